//! Looking up definitions by name: exactly, then in any case, then by their beginning, then by their words.

use std::collections::{BTreeMap, HashSet};

use tantivy::DocId;

use super::candidates::{Candidate, order};
use super::filter::Part;
use crate::error::{Cause, Result};
use crate::index::{NameField, Place, Segment};
use crate::symbol::SymbolKind;
use crate::terms::{Terms, Words, parts};
use crate::{ChunkKind, RepositoryIndex};

/// How well a name fits; a better fit wins over everything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    Words,
    Beginning,
    AnyCase,
    Exact,
}

impl Fit {
    fn score(self) -> f32 {
        match self {
            Self::Words => 1.0,
            Self::Beginning => 2.0,
            Self::AnyCase => 3.0,
            Self::Exact => 4.0,
        }
    }

    fn reason(self) -> &'static str {
        match self {
            Self::Words => "symbol has these words",
            Self::Beginning => "symbol begins so",
            Self::AnyCase => "symbol, in another case",
            Self::Exact => "symbol, exactly",
        }
    }
}

// Beyond this many names a beginning says nothing.
const MOST_NAMES: usize = 200;

/// The definitions of one repository whose names fit at least so well, best first.
pub(crate) fn find(part: &Part<'_>, name: &str, least: Fit) -> Result<Vec<Candidate>> {
    let Some(segment) = part.index.segment() else { return Ok(Vec::new()) };
    let fits = fits(segment, name, least).map_err(|error| part.index.failed(error))?;
    let whole = whole_term(name);
    let mut candidates = Vec::new();
    for (document, fit) in fits {
        let place = segment.place(document);
        if part.admits(place.file) {
            let score = fit.score() + 0.5 * standing(part.index, &place, &whole);
            candidates.push(Candidate::new(part, Some(document), place, score).because(fit.reason()));
        }
    }
    Ok(order(part.index, candidates, 1.0))
}

/// What decides within one fit, 0 to 1: what defines most comes first, ordinary files before tests, and a file
/// that is called like the symbol before others.
fn standing(index: &RepositoryIndex, place: &Place, whole: &str) -> f32 {
    let name = index.files()[place.file].path.file_name();
    let stem = name.split('.').next().unwrap_or(name);
    let namesake = if whole_term(stem) == whole { 1.0 } else { 0.8 };
    index.weights()[place.file] * importance(place.kind) * namesake
}

/// A name without what separates its parts, as it is indexed.
fn whole_term(name: &str) -> String {
    let parts: String = Words::new(name).flat_map(|word| parts(word.text)).collect();
    parts.to_lowercase()
}

fn importance(kind: ChunkKind) -> f32 {
    match kind {
        ChunkKind::Symbol(SymbolKind::Class | SymbolKind::Struct | SymbolKind::Namespace) => 1.0,
        ChunkKind::Symbol(SymbolKind::Function | SymbolKind::Enum) => 0.9,
        ChunkKind::Symbol(SymbolKind::Method | SymbolKind::Type | SymbolKind::Macro) => 0.8,
        ChunkKind::Symbol(SymbolKind::Flag) => 0.7,
        ChunkKind::Symbol(SymbolKind::Field | SymbolKind::Key) => 0.5,
        _ => 0.6,
    }
}

/// The best fit of each document.
fn fits(segment: &Segment, name: &str, least: Fit) -> Result<BTreeMap<DocId, Fit>, Cause> {
    let name = name.trim().trim_end_matches("()").replace("::", ".");
    let lowered = name.to_lowercase();
    let mut fits = BTreeMap::new();
    if name.is_empty() {
        return Ok(fits);
    }
    let mut add = |documents: Vec<DocId>, fit: Fit| {
        for document in documents {
            fits.entry(document).or_insert(fit);
        }
    };
    add(segment.symbols(NameField::Exact, &name)?, Fit::Exact);
    add(segment.symbols(NameField::Lower, &lowered)?, Fit::AnyCase);
    if least <= Fit::Beginning {
        for longer in names_from(segment, &lowered)? {
            add(segment.symbols(NameField::Lower, &longer)?, Fit::Beginning);
        }
    }
    if least <= Fit::Words {
        add(with_all_words(segment, &name)?, Fit::Words);
    }
    Ok(fits)
}

/// Names that begin so, in alphabetical order.
fn names_from(segment: &Segment, beginning: &str) -> Result<Vec<String>, Cause> {
    let mut names = Vec::new();
    segment.each_name(NameField::Lower, beginning, |name| {
        let begins_so = name.starts_with(beginning) && names.len() < MOST_NAMES;
        if begins_so {
            names.push(name.to_owned());
        }
        begins_so
    })?;
    Ok(names)
}

/// Symbols whose names hold every word.
fn with_all_words(segment: &Segment, name: &str) -> Result<Vec<DocId>, Cause> {
    let words: HashSet<String> = Terms::default().list(name).into_iter().collect();
    let mut common: Option<Vec<DocId>> = None;
    let several = words.len() > 1;
    let whole = whole_term(name);
    // A name of several parts is sought by its parts: as a whole it was sought before.
    for word in words.iter().filter(|word| !(several && **word == whole)) {
        let with = segment.symbols(NameField::Words, word)?;
        common = Some(match common {
            None => with,
            Some(before) => {
                before.into_iter().filter(|document| with.binary_search(document).is_ok()).collect()
            }
        });
    }
    Ok(common.unwrap_or_default())
}
