//! What the letters of an expression are in a text without case. Line ends and bytes that are no characters say
//! nothing: the first are in no trigram, the second could be part of any character.

use std::collections::BTreeSet;

use regex_syntax::hir::{Class, ClassBytesRange, ClassUnicodeRange};

use super::text::fold;

// A larger class, such as that of all letters, says too little.
const LARGEST_CLASS: usize = 64;

/// A part of an expression.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Some text, nobody knows which.
    Anything,
    /// One of these texts.
    OneOf(BTreeSet<Vec<u8>>),
}

/// The pieces of a literal, in order.
pub(super) fn of_literal(bytes: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for chunk in bytes.utf8_chunks() {
        for (number, line) in chunk.valid().split('\n').enumerate() {
            if number > 0 {
                pieces.push(Piece::Anything);
            }
            let folded: String = line.chars().map(fold).collect();
            pieces.push(Piece::OneOf(BTreeSet::from([folded.into_bytes()])));
        }
        if !chunk.invalid().is_empty() {
            pieces.push(Piece::Anything);
        }
    }
    pieces
}

/// The piece of a class of characters or bytes.
pub(super) fn of_class(class: &Class) -> Piece {
    let characters: Option<Vec<char>> = match class {
        Class::Unicode(class) => {
            let size: usize = class.iter().map(ClassUnicodeRange::len).sum();
            (size <= LARGEST_CLASS)
                .then(|| class.iter().flat_map(|range| range.start()..=range.end()).collect())
        }
        Class::Bytes(class) => (class.is_ascii()
            && class.iter().map(ClassBytesRange::len).sum::<usize>() <= LARGEST_CLASS)
            .then(|| class.iter().flat_map(|range| range.start()..=range.end()).map(char::from).collect()),
    };
    match characters {
        Some(characters) if !characters.contains(&'\n') => {
            Piece::OneOf(characters.into_iter().map(|one| fold(one).to_string().into_bytes()).collect())
        }
        _ => Piece::Anything,
    }
}
