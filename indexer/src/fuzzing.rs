//! What must hold for every text whatsoever, as checks that panic. The fuzz targets and the property tests call
//! them with texts of their own; nothing here is part of the library.

use crate::analysis::Analysis;
use crate::language::notebook_code;
use crate::search::{asks_for_explanation, query_terms, route, wording};
use crate::source::Source;
use crate::terms::Terms;
use crate::{Language, PathGlob};

// A pasted page gives so many terms at most.
const MOST_QUERY_TERMS: usize = 64;

/// Terms lie in their text, on the borders of characters, and in order.
pub fn tokenizer(text: &str) {
    let mut position = 0;
    Terms::default().each(text, |term| {
        assert!(text.get(term.start..term.end).is_some_and(|source| !source.is_empty()), "{term:?}");
        assert!(!term.text.is_empty() && term.position >= position, "{term:?} after {position}");
        position = term.position;
    });
}

/// Chunks hold every line that is not blank exactly once and in order, and symbols lie in their file.
pub fn chunker(language: Language, text: &str) {
    let (source, _) = Source::decode(text.as_bytes().to_vec());
    let analysis = language.analyze(&source);
    lies_within(&source, &analysis);
    if language == Language::Notebook {
        return;
    }
    let mut next = 0;
    for chunk in &analysis.chunks {
        let (first, end) = (chunk.start_line as usize - 1, chunk.end_line as usize);
        assert!(first >= next, "a chunk from {} begins before {next} ends", first + 1);
        assert!((next..first).all(|line| is_blank(&source, line)), "lines {}-{first} are left out", next + 1);
        assert!(!chunk.body.trim().is_empty());
        next = end;
    }
    assert!(
        (next..source.line_count()).all(|line| is_blank(&source, line)),
        "lines from {next} are left out"
    );
}

/// The words of a search are read whatever they are, and are few.
pub fn query(text: &str) {
    let terms = query_terms(text, &[]);
    assert!(terms.len() <= MOST_QUERY_TERMS, "{} terms", terms.len());
    for term in &terms {
        assert!(!term.text.is_empty() && term.weight > 0.0 && term.weight.is_finite(), "{term:?}");
    }
    for place in wording::paths(text) {
        assert!(text.get(place).is_some_and(|path| !path.is_empty()));
    }
    let _ = (wording::names(text), wording::quotations(text));
    let _ = (route(text), asks_for_explanation(text), PathGlob::parse(text));
}

/// Whatever stands in a notebook, its cells lie in the file.
pub fn notebook(text: &str) {
    let (source, _) = Source::decode(text.as_bytes().to_vec());
    lies_within(&source, &Language::Notebook.analyze(&source));
    let (code, places) = notebook_code(&source);
    assert_eq!(code.line_count(), places.len());
    for place in places {
        assert!((1..=lines(&source)).contains(&place.line) && place.cell > 0, "{place:?}");
    }
}

fn lies_within(source: &Source, analysis: &Analysis) {
    let last = lines(source);
    for chunk in &analysis.chunks {
        assert!(1 <= chunk.start_line && chunk.start_line <= chunk.end_line, "{chunk:?}");
        assert!(chunk.end_line <= last, "{chunk:?} in {last} lines");
    }
    for symbol in &analysis.symbols {
        assert!(1 <= symbol.start_line && symbol.start_line <= symbol.end_line, "{symbol:?}");
        assert!(symbol.end_line <= last, "{symbol:?} in {last} lines");
    }
}

fn lines(source: &Source) -> u32 {
    u32::try_from(source.line_count()).unwrap_or(u32::MAX)
}

fn is_blank(source: &Source, line: usize) -> bool {
    source.line(line).trim().is_empty()
}
