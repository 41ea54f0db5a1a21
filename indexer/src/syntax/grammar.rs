//! A grammar with the query that says what matters in its trees. Both are made when a first file needs them: a
//! query takes up to 20 ms, and most repositories need few.

use std::sync::OnceLock;

use tree_sitter::{
    Language, Node, Query, QueryCursor, QueryCursorOptions, QueryCursorState, QueryMatch, StreamingIterator,
    Tree,
};
use tree_sitter_language::LanguageFn;

use super::stop_after;
use crate::source::Note;

/// A grammar that is made ready at its first use.
pub(crate) struct LazyGrammar {
    language: LanguageFn,
    query: &'static str,
    ready: OnceLock<Option<Grammar>>,
}

/// A grammar with the query that finds what matters in its trees.
pub(crate) struct Grammar {
    pub(super) language: Language,
    pub(super) query: Query,
}

impl LazyGrammar {
    /// Pairs a language with the text of a query.
    pub(crate) const fn new(language: LanguageFn, query: &'static str) -> Self {
        Self { language, query, ready: OnceLock::new() }
    }

    /// The grammar; an error when its query does not fit it, which a test rules out.
    pub(crate) fn get(&self) -> Result<&Grammar, Note> {
        let make = || {
            let language = Language::new(self.language);
            let query = Query::new(&language, self.query).ok()?;
            Some(Grammar { language, query })
        };
        self.ready.get_or_init(make).as_ref().ok_or(Note::ParseErrors)
    }

    /// What is wrong with the query.
    #[cfg(test)]
    pub(crate) fn complaint(&self) -> Option<String> {
        Query::new(&Language::new(self.language), self.query).err().map(|error| error.to_string())
    }
}

impl Grammar {
    /// Calls `sink` with every match of the query in a tree.
    pub(crate) fn each_match(&self, tree: &Tree, text: &str, mut sink: impl FnMut(&QueryMatch<'_, '_>)) {
        let mut cursor = QueryCursor::new();
        let mut watch = stop_after::<QueryCursorState>(super::LONGEST_QUERY);
        let options = QueryCursorOptions::new().progress_callback(&mut watch);
        let mut matches =
            cursor.matches_with_options(&self.query, tree.root_node(), text.as_bytes(), options);
        while let Some(found) = matches.next() {
            sink(found);
        }
    }

    /// The node that a match captured under `name`.
    pub(crate) fn capture<'tree>(&self, found: &QueryMatch<'_, 'tree>, name: &str) -> Option<Node<'tree>> {
        found.nodes_for_capture_index(self.query.capture_index_for_name(name)?).next()
    }
}
