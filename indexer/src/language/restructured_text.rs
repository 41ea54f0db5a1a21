//! reStructuredText: sections by underlined titles. The first kind of underline met is the highest level.

use super::sections::{self, Heading};
use super::{Language, Reader, Registration};
use crate::analysis::Analysis;
use crate::source::Source;

pub(super) static REGISTRATIONS: [Registration; 1] = [Registration {
    language: Language::RestructuredText,
    names: &["restructuredtext", "rst"],
    extensions: &["rst"],
    file_names: &[],
    interpreters: &[],
    reader: Reader::Own(analyze, None),
}];

const MARKS: &str = "=-`:'\"~^_*+#<>.";
// Shorter runs are list marks and ellipses.
const SHORTEST_UNDERLINE: usize = 3;

fn analyze(source: &Source) -> Analysis {
    sections::analyze(source, &headings(source))
}

fn headings(source: &Source) -> Vec<Heading> {
    let mut headings = Vec::new();
    let mut styles: Vec<(char, bool)> = Vec::new();
    for line in 1..source.line_count() {
        let (title, underline) = (source.line(line - 1), source.line(line));
        let Some(mark) = mark(underline) else { continue };
        if !is_title(title) || width(title) > underline.trim_end().chars().count() + 1 {
            continue;
        }
        let overlined = line >= 2 && source.line(line - 2).trim_end() == underline.trim_end();
        let style = (mark, overlined);
        let level = styles.iter().position(|known| *known == style).unwrap_or_else(|| {
            styles.push(style);
            styles.len() - 1
        });
        let line = line - 1 - usize::from(overlined);
        headings.push(Heading { level: level + 1, title: title.trim().to_owned(), line });
    }
    headings
}

/// The character of a line that is one character repeated.
fn mark(line: &str) -> Option<char> {
    let line = line.trim_end();
    let first = line.chars().next().filter(|first| MARKS.contains(*first))?;
    (line.len() >= SHORTEST_UNDERLINE && line.chars().all(|character| character == first)).then_some(first)
}

fn is_title(line: &str) -> bool {
    let indented = line.starts_with(char::is_whitespace) && line.trim_start().len() + 4 < line.len();
    !line.trim().is_empty() && mark(line).is_none() && !indented
}

/// How many columns a title takes: wide characters take two.
fn width(title: &str) -> usize {
    title.trim_end().chars().map(|character| 1 + usize::from(u32::from(character) >= 0x1100)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_titles_with_and_without_an_overline() {
        let text =
            "=====\nGuide\n=====\n\nFirst\n-----\ntext\n\nDeep\n~~~~\n\nSecond\n------\n\n图\n--\n- a\n---\n";
        let analysis = analyze(&Source::new(text.to_owned()));
        let found: Vec<_> = analysis
            .symbols
            .iter()
            .map(|symbol| (symbol.qualified(), symbol.start_line, symbol.end_line))
            .collect();
        let of = |name: &str, first, last| (name.to_owned(), first, last);
        assert_eq!(
            found,
            [
                of("Guide", 1, 18),
                of("Guide > First", 5, 11),
                of("Guide > First > Deep", 9, 11),
                of("Guide > Second", 12, 16),
                of("Guide > - a", 17, 18)
            ]
        );
    }
}
