//! The trigrams of a text: three bytes that stand side by side in a line, without case. The two characters beyond
//! ASCII that are cases of ASCII letters count as these, so a search without case needs no second look.

use std::borrow::Cow;

/// Three bytes, the first one highest.
pub(crate) type Trigram = u32;

const TRIGRAMS: usize = 1 << 24;
const LARGEST_TRIGRAM: Trigram = (1 << 24) - 1;
// U+017F is a case of `s`, U+212A of `k`; no other character beyond ASCII folds into it.
const LONG_S: &[u8] = "\u{17f}".as_bytes();
const KELVIN_SIGN: &[u8] = "\u{212a}".as_bytes();

/// A byte without case.
pub(super) fn fold_byte(byte: u8) -> u8 {
    byte.to_ascii_lowercase()
}

/// A character without the cases that ASCII letters have.
pub(super) fn fold(character: char) -> char {
    match character {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        _ => character.to_ascii_lowercase(),
    }
}

/// Collects the trigrams of one text after the other; it is large, so it is used for many.
pub(super) struct TrigramSet {
    seen: Vec<u64>,
}

impl TrigramSet {
    /// An empty set.
    pub(super) fn new() -> Self {
        Self { seen: vec![0; TRIGRAMS / 64] }
    }

    /// The trigrams of `text`, each once, in no order.
    pub(super) fn of(&mut self, text: &[u8]) -> Vec<Trigram> {
        let mut found = Vec::new();
        each(&without_odd_cases(text), |trigram| {
            let bit = 1 << (trigram % 64);
            let word = &mut self.seen[trigram as usize / 64];
            if *word & bit == 0 {
                *word |= bit;
                found.push(trigram);
            }
        });
        for trigram in &found {
            self.seen[*trigram as usize / 64] = 0;
        }
        found
    }
}

/// Calls `found` with every trigram of `text` as it comes.
pub(super) fn each(text: &[u8], mut found: impl FnMut(Trigram)) {
    for line in text.split(|byte| *byte == b'\n') {
        let [first, second, rest @ ..] = line else { continue };
        let mut trigram = u32::from(fold_byte(*first)) << 8 | u32::from(fold_byte(*second));
        for byte in rest {
            trigram = (trigram << 8 | u32::from(fold_byte(*byte))) & LARGEST_TRIGRAM;
            found(trigram);
        }
    }
}

fn without_odd_cases(text: &[u8]) -> Cow<'_, [u8]> {
    let odd = |place: &[u8]| place.starts_with(LONG_S) || place.starts_with(KELVIN_SIGN);
    let starts = memchr::memchr2_iter(LONG_S[0], KELVIN_SIGN[0], text);
    let places: Vec<usize> = starts.filter(|start| odd(&text[*start..])).collect();
    if places.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut folded = Vec::with_capacity(text.len());
    let mut end = 0;
    for place in places {
        folded.extend_from_slice(&text[end..place]);
        let is_long_s = text[place..].starts_with(LONG_S);
        folded.push(if is_long_s { b's' } else { b'k' });
        end = place + if is_long_s { LONG_S.len() } else { KELVIN_SIGN.len() };
    }
    folded.extend_from_slice(&text[end..]);
    Cow::Owned(folded)
}

#[cfg(test)]
mod tests {
    use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

    use super::*;

    fn trigrams(text: &str) -> Vec<String> {
        let mut set = TrigramSet::new();
        set.of(b"anything before leaves no trace");
        let found = set.of(text.as_bytes());
        found.into_iter().map(|one| String::from_utf8_lossy(&one.to_be_bytes()[1..]).into_owned()).collect()
    }

    #[test]
    fn takes_each_once_without_case_and_never_across_lines() {
        assert_eq!(trigrams("AbcABC\nxy\nz12"), ["abc", "bca", "cab", "z12"]);
        assert_eq!(trigrams("图"), ["图"]);
        assert_eq!(trigrams("ab"), [""; 0]);
    }

    #[test]
    fn the_odd_cases_of_ascii_letters_count_as_these() {
        assert_eq!(trigrams("ma\u{17f}\u{212a}"), ["mas", "ask"]);
        assert_eq!(fold('\u{17f}'), 's');
        let ascii = ClassUnicodeRange::new('\0', '\x7f');
        let mut cases = ClassUnicode::new([ascii]);
        cases.case_fold_simple();
        let odd = ['\u{17f}', '\u{212a}'].map(|character| ClassUnicodeRange::new(character, character));
        let expected = ClassUnicode::new([ascii].into_iter().chain(odd));
        assert_eq!(cases, expected, "no others are cases of ASCII letters");
    }
}
