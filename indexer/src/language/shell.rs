//! Shell scripts: their functions, and what they run as windows of lines.

use std::sync::LazyLock;

use super::{Language, Registration};
use crate::analysis::Analysis;
use crate::source::{Note, Source};
use crate::syntax::{Grammar, chunks, parse};

pub(super) const REGISTRATIONS: &[Registration] = &[Registration {
    language: Language::Shell,
    names: &["shell", "sh", "bash"],
    extensions: &["sh", "bash", "zsh"],
    file_names: &[],
    interpreters: &["sh", "bash", "zsh", "dash", "ksh"],
    analyze,
}];

static GRAMMAR: LazyLock<Option<Grammar>> =
    LazyLock::new(|| Grammar::new(tree_sitter_bash::LANGUAGE.into(), include_str!("../queries/shell.scm")));

/// The grammar.
pub(super) fn grammar() -> Option<&'static Grammar> {
    GRAMMAR.as_ref()
}

fn analyze(source: &Source) -> Analysis {
    let Some(grammar) = GRAMMAR.as_ref() else { return chunks::plain(source, Note::ParseErrors) };
    let mut analysis = match parse(grammar, source.text()) {
        Ok(parsed) => chunks::analyze(source, &parsed),
        Err(note) => chunks::plain(source, note),
    };
    let comments = source.text().lines().take_while(|line| line.starts_with('#') || line.is_empty());
    analysis.about = comments.filter(|line| !line.starts_with("#!")).take(10).collect::<Vec<_>>().join("\n");
    analysis
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_functions_and_the_opening_comment() {
        let text = "#!/bin/sh\n# Trains on two cards.\nset -e\nrun() {\n  python train.py\n}\nfunction stop { :; }\nrun\n";
        let analysis = analyze(&Source::new(text.to_owned()));
        let names: Vec<_> =
            analysis.symbols.iter().map(|symbol| (symbol.name.as_str(), symbol.start_line)).collect();
        assert_eq!(names, [("run", 4), ("stop", 7)]);
        assert_eq!(analysis.about, "# Trains on two cards.");
    }
}
