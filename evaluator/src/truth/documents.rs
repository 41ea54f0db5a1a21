//! The documents of a repository, cut into the sections that the indexer's outline gives.

use indexer::{Language, SymbolKind, file_outline};
use repos::RepositoryPath;

use super::files::Files;
use super::trigrams::{PlacedTrigram, placed};

const ENDINGS: [&str; 4] = [".md", ".mdx", ".markdown", ".rst"];
/// Larger sections are no answer as a whole: a search shows no piece of a file that is longer.
const LONGEST_FAMILY_LINES: u32 = 80;

/// A document with its sections.
pub(crate) struct Document {
    pub(crate) path: RepositoryPath,
    pub(crate) trigrams: Vec<PlacedTrigram>,
    /// By first line; sections with the ones beneath them overlap those.
    pub(crate) sections: Vec<Lines>,
    /// Runs of lines between blank ones.
    pub(crate) paragraphs: Vec<Lines>,
}

/// Lines of a document, from 1, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lines {
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Whether they hold sections beneath their own.
    pub(crate) is_family: bool,
}

impl Lines {
    pub(crate) fn own(start: u32, end: u32) -> Self {
        Self { start, end, is_family: false }
    }

    pub(crate) fn count(self) -> u32 {
        self.end - self.start + 1
    }

    pub(crate) fn holds(self, trigram: PlacedTrigram) -> bool {
        self.start <= trigram.first_line && trigram.last_line <= self.end
    }

    pub(crate) fn overlaps(self, other: Self) -> bool {
        self.start <= other.end && other.start <= self.end
    }
}

/// All Markdown and reStructuredText documents, by path.
pub(crate) fn documents(files: &Files) -> Vec<Document> {
    files.paths().filter(|path| may_be_document(path)).filter_map(|path| document(files, path)).collect()
}

fn may_be_document(path: &RepositoryPath) -> bool {
    let name = path.file_name().to_lowercase();
    name == "readme" || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

fn document(files: &Files, path: &RepositoryPath) -> Option<Document> {
    let outline = file_outline(files.root(), path).ok()?;
    if !matches!(outline.language, Some(Language::Markdown | Language::RestructuredText)) {
        return None;
    }
    let text = files.text(path);
    let last = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
    let headings = outline.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Heading);
    let families: Vec<(u32, u32)> = headings.map(|heading| (heading.start_line, heading.end_line)).collect();
    Some(Document {
        path: path.clone(),
        trigrams: placed(&text),
        sections: sections(&families, last),
        paragraphs: paragraphs(&text),
    })
}

/// Each heading's own lines up to the next heading, and with the headings beneath it where that is not too long.
fn sections(families: &[(u32, u32)], last: u32) -> Vec<Lines> {
    let first_heading = families.first().map_or(last + 1, |(start, _)| *start);
    let mut sections = Vec::new();
    if first_heading > 1 {
        sections.push(Lines::own(1, first_heading - 1));
    }
    for (number, (start, end)) in families.iter().enumerate() {
        let next = families.get(number + 1).map_or(last + 1, |(next, _)| *next);
        let own = Lines::own(*start, (next - 1).max(*start));
        sections.push(own);
        let family = Lines { start: *start, end: *end, is_family: true };
        if *end > own.end && family.count() <= LONGEST_FAMILY_LINES {
            sections.push(family);
        }
    }
    sections
}

fn paragraphs(text: &str) -> Vec<Lines> {
    let mut paragraphs: Vec<Lines> = Vec::new();
    let mut after_blank = true;
    for (number, line) in (1..).zip(text.lines()) {
        let is_blank = line.trim().is_empty();
        match paragraphs.last_mut() {
            _ if is_blank => {}
            Some(paragraph) if !after_blank => paragraph.end = number,
            _ => paragraphs.push(Lines::own(number, number)),
        }
        after_blank = is_blank;
    }
    paragraphs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::truth::sample;

    #[test]
    fn sections_stand_alone_and_with_those_beneath_them() {
        let text = "lead\n\n# A\na\n## B\nb\n\nb\n## C\nc\n";
        let (_folder, files) =
            sample::files(&[("README.md", text), ("run.py", "x"), ("docs/a.rst", "A\n=\na\n")]);
        let documents = documents(&files);
        let shown = |document: &Document| {
            let lines = |lines: &Lines| (lines.start, lines.end, lines.is_family);
            let sections = document.sections.iter().map(lines).collect::<Vec<_>>();
            (document.path.to_string(), sections, document.paragraphs.len())
        };
        let family = vec![(1, 2, false), (3, 4, false), (3, 10, true), (5, 8, false), (9, 10, false)];
        assert_eq!(shown(&documents[0]), ("README.md".to_owned(), family, 3));
        assert_eq!(documents[1].path.as_str(), "docs/a.rst");
        assert_eq!(documents.len(), 2);
    }

    #[test]
    fn a_long_family_is_no_answer_as_a_whole() {
        let families = [(1, 200), (100, 200)];
        assert_eq!(sections(&families, 200), [Lines::own(1, 99), Lines::own(100, 200)]);
        assert_eq!(sections(&[], 5), [Lines::own(1, 5)]);
    }
}
