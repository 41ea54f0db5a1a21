//! How the files of a language are read. What is nothing but a grammar and a query needs no code of its own.

use tree_sitter::Tree;

use crate::analysis::Analysis;
use crate::source::{Note, Source, one_line};
use crate::syntax::{LazyGrammar, Parsed, chunks, keys, parse};

/// How files are read.
pub(super) enum Reader {
    /// By a grammar of code: definitions are symbols and chunks, and identifiers are told from strings.
    Code(LazyGrammar),
    /// By a grammar of settings: keys are symbols. The function says which texts the grammar bears.
    Keys(LazyGrammar, fn(&Source) -> Result<(), Note>),
    /// By a function, and a grammar of code if that rests on one.
    Own(fn(&Source) -> Analysis, Option<&'static LazyGrammar>),
}

// How much of the opening comment tells what the file is about, beyond its licence.
const ABOUT_LINES: usize = 10;
const LONGEST_ABOUT_LINE_BYTES: usize = 300;

impl Reader {
    /// Finds what a file holds; one that cannot be parsed is read as windows of lines.
    pub(super) fn analyze(&self, source: &Source) -> Analysis {
        match self {
            Self::Code(grammar) => parsed(grammar, source).map_or_else(
                |note| chunks::plain(source, note),
                |parsed| Analysis {
                    about: opening_comment(source.text(), &parsed.tree),
                    ..chunks::analyze(source, &parsed)
                },
            ),
            Self::Keys(grammar, check) => check(source)
                .and_then(|()| parsed(grammar, source))
                .map_or_else(|note| chunks::plain(source, note), |parsed| keys::analyze(source, parsed)),
            Self::Own(analyze, _) => analyze(source),
        }
    }

    /// The grammar whose trees show identifiers.
    pub(super) fn grammar(&self) -> Option<&LazyGrammar> {
        match self {
            Self::Code(grammar) => Some(grammar),
            Self::Keys(..) => None,
            Self::Own(_, grammar) => *grammar,
        }
    }
}

fn parsed(grammar: &LazyGrammar, source: &Source) -> Result<Parsed, Note> {
    parse(grammar.get()?, source.text())
}

/// The comments before the first code, without the line that names the interpreter.
fn opening_comment(text: &str, tree: &Tree) -> String {
    let mut cursor = tree.walk();
    let mut lines = Vec::new();
    let mut more = cursor.goto_first_child();
    while more && lines.len() < ABOUT_LINES {
        let node = cursor.node();
        if !node.kind().contains("comment") && node.kind() != "hash_bang_line" {
            break;
        }
        let comment = text[node.byte_range()].lines().filter(|line| !line.starts_with("#!"));
        lines.extend(comment.map(|line| one_line(line, LONGEST_ABOUT_LINE_BYTES)));
        more = cursor.goto_next_sibling();
    }
    lines.truncate(ABOUT_LINES);
    lines.join("\n")
}
