//! Shell scripts: their functions, and what they run as windows of lines.

use super::{Language, Reader, Registration};
use crate::syntax::LazyGrammar;

pub(super) static REGISTRATIONS: [Registration; 1] = [Registration {
    language: Language::Shell,
    names: &["shell", "sh", "bash"],
    extensions: &["sh", "bash", "zsh"],
    file_names: &[],
    interpreters: &["sh", "bash", "zsh", "dash", "ksh"],
    reader: Reader::Code(LazyGrammar::new(tree_sitter_bash::LANGUAGE, include_str!("../queries/shell.scm"))),
}];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    #[test]
    fn finds_functions_and_the_opening_comment() {
        let text = "#!/bin/sh\n# Trains on two cards.\nset -e\nrun() {\n  python train.py\n}\nfunction stop { :; }\nrun\n";
        let analysis = Language::Shell.analyze(&Source::new(text.to_owned()));
        let names: Vec<_> =
            analysis.symbols.iter().map(|symbol| (symbol.name.as_str(), symbol.start_line)).collect();
        assert_eq!(names, [("run", 4), ("stop", 7)]);
        assert_eq!(analysis.about, "# Trains on two cards.");
    }
}
