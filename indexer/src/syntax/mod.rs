//! tree-sitter, bounded: a parse ends after a set time and its file falls back to windows of lines.
//! Queries see the nodes through a cursor; nothing here recurses, since trees can be 100,000 levels deep.

pub(crate) mod chunks;
mod definitions;
mod grammar;
pub(crate) mod keys;
mod nesting;

use std::ops::{ControlFlow, Range};
use std::time::{Duration, Instant};

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use crate::source::Note;

use definitions::read_definitions;
pub(crate) use definitions::{Definition, unquoted};
pub(crate) use grammar::{Grammar, LazyGrammar};

// The slowest real file of the corpus takes 0.1 s; what takes longer is generated or hostile. Work beyond the
// limit would differ from machine to machine, so it stands far from any real file.
const LONGEST_PARSE: Duration = Duration::from_secs(5);
// Recovery from errors is quadratic in places and does not always report progress; size bounds it.
const LARGEST_PARSED_BYTES: usize = 2 << 20;

// A query looks at the siblings of each node, so it is quadratic where an error has many: 100,000 open brackets
// took 4.6 s. What was found until then stays.
const LONGEST_QUERY: Duration = Duration::from_secs(1);

/// A tree and what the grammar's query found in it.
pub(crate) struct Parsed {
    pub(crate) tree: Tree,
    /// In the order of their first bytes, outer ones first.
    pub(crate) definitions: Vec<Definition>,
    /// The bytes of each docstring, in order.
    pub(crate) documentation: Vec<Range<usize>>,
}

/// Parses a text; errors in it are noted by the caller from the tree, only size and time refuse one.
pub(crate) fn parse(grammar: &Grammar, text: &str) -> Result<Parsed, Note> {
    let tree = parse_tree(grammar, text)?;
    let (definitions, documentation) = read_definitions(grammar, &tree, text);
    Ok(Parsed { tree, definitions, documentation })
}

/// Parses a text without looking for anything in its tree.
pub(crate) fn parse_tree(grammar: &Grammar, text: &str) -> Result<Tree, Note> {
    if text.len() > LARGEST_PARSED_BYTES {
        return Err(Note::TooLargeToParse);
    }
    parse_within(grammar, text, LONGEST_PARSE).ok_or(Note::ParseTimeout)
}

fn parse_within(grammar: &Grammar, text: &str, limit: Duration) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&grammar.language).ok()?;
    let mut watch = stop_after::<ParseState>(limit);
    let options = ParseOptions::new().progress_callback(&mut watch);
    parser.parse_with_options(
        &mut |byte, _| text.as_bytes().get(byte..).unwrap_or_default(),
        None,
        Some(options),
    )
}

/// A watch that ends the work it is given to when the time is over.
fn stop_after<State>(limit: Duration) -> impl FnMut(&State) -> ControlFlow<()> {
    let started = Instant::now();
    move |_| if started.elapsed() > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    static PYTHON: LazyGrammar =
        LazyGrammar::new(tree_sitter_python::LANGUAGE, include_str!("../queries/python.scm"));

    fn python() -> &'static Grammar {
        PYTHON.get().unwrap()
    }

    #[test]
    fn gives_up_when_the_time_is_over() {
        let text = "x = [1, 2, 3]\n".repeat(10_000);
        assert!(parse_within(python(), &text, Duration::ZERO).is_none());
        assert!(parse_within(python(), &text, LONGEST_PARSE).is_some());
    }

    #[test]
    fn survives_text_that_is_made_to_hurt() {
        for text in ["(".repeat(20_000), "[".repeat(50_000) + &"]".repeat(50_000), "\0\u{1}def".repeat(1_000)]
        {
            assert!(parse(python(), &text).is_ok());
        }
        assert_eq!(parse(python(), &"x".repeat(LARGEST_PARSED_BYTES + 1)).err(), Some(Note::TooLargeToParse));
    }
}
