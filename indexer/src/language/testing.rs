//! What a language finds in a text, as its tests show it.

use expect_test::Expect;

use super::Language;
use crate::source::Source;

/// Compares the symbols, the chunks and the notes of a text with what is expected.
#[track_caller]
pub(super) fn check(language: Language, text: &str, expected: &Expect) {
    let analysis = language.analyze(&Source::new(text.to_owned()));
    let mut found = String::new();
    for symbol in &analysis.symbols {
        let (kind, first, last) = (symbol.kind, symbol.start_line, symbol.end_line);
        found.push_str(&format!("{kind} {} {first}-{last} `{}`", symbol.qualified(), symbol.signature));
        if !symbol.registered.is_empty() {
            found.push_str(&format!(" registered as {}", symbol.registered.join(", ")));
        }
        found.push_str(if symbol.exported { " exported\n" } else { "\n" });
    }
    for chunk in &analysis.chunks {
        let title = chunk.title.as_deref().unwrap_or_default();
        found.push_str(&format!("[{} {}-{} {title}]\n", chunk.kind, chunk.start_line, chunk.end_line));
    }
    for note in &analysis.notes {
        found.push_str(&format!("({})\n", note.name()));
    }
    expected.assert_eq(&found);
}
