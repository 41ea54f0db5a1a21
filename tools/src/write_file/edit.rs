//! Replacing the one place where a text occurs. An edit that could mean two places, or none, changes nothing and
//! says where to look.

use crate::{Error, Result, visible};

// Enough to choose from; the count says how many there are.
const MOST_LINES_NAMED: usize = 10;
// Comparing lines for a hint must not take longer than an answer.
const MOST_LINES_COMPARED: usize = 20_000;
const MOST_CHARACTERS: usize = 160;
// Below this two lines have little in common.
const LIKE: f64 = 0.75;

/// `text` with the one occurrence of `old` replaced by `new`.
pub(super) fn replace_once(path: &str, text: &str, (old, new): (&str, &str)) -> Result<String> {
    let starts: Vec<usize> = text.match_indices(old).map(|(start, _)| start).collect();
    match starts.as_slice() {
        [start] => Ok([&text[..*start], new, &text[start + old.len()..]].concat()),
        [] if text.contains("\r\n") && !old.contains('\r') && old.contains('\n') => {
            // `read_file` shows lines without their ends, so an agent cannot know of the carriage returns.
            let (old, new) = (old.replace('\n', "\r\n"), new.replace("\r\n", "\n").replace('\n', "\r\n"));
            replace_once(path, text, (&old, &new))
        }
        [] => Err(Error::TextNotFound { path: path.to_owned(), nearest: nearest_line(text, old) }),
        several => Err(Error::TextNotUnique {
            path: path.to_owned(),
            count: several.len(),
            lines: several.iter().take(MOST_LINES_NAMED).map(|start| line_of(text, *start)).collect(),
        }),
    }
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// The line most like the first line of `old` that says anything.
fn nearest_line(text: &str, old: &str) -> Option<(usize, String)> {
    let shorten = |line: &str| line.trim().chars().take(MOST_CHARACTERS).collect::<String>();
    let wanted = shorten(old.lines().find(|line| !line.trim().is_empty())?);
    let likeness = |line: &str| strsim::jaro_winkler(&wanted, &shorten(line));
    text.lines()
        .take(MOST_LINES_COMPARED)
        .enumerate()
        .map(|(number, line)| (likeness(line), number + 1, line))
        .filter(|(likeness, ..)| *likeness >= LIKE)
        .max_by(|one, other| one.0.total_cmp(&other.0).then(other.1.cmp(&one.1)))
        .map(|(_, number, line)| (number, visible(&shorten(line)).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "def one():\n    return 1\n\ndef two():\n    return 1\n";

    #[test]
    fn replaces_the_only_occurrence() {
        let edited = replace_once("a", TEXT, ("two():\n    return 1", "two():\n    return 2")).unwrap();
        assert_eq!(edited, "def one():\n    return 1\n\ndef two():\n    return 2\n");
        assert_eq!(replace_once("a", TEXT, ("def one", "def eins")).unwrap().len(), TEXT.len() + 1);
    }

    #[test]
    fn several_occurrences_are_counted_and_placed() {
        let error = replace_once("a.py", TEXT, ("return 1", "return 2")).unwrap_err();
        assert_eq!(error.to_string(), "`old_text` occurs 2 times in `a.py`: at the lines 2, 5");
    }

    #[test]
    fn a_missing_text_shows_the_nearest_line() {
        let error = replace_once("a.py", TEXT, ("def twoo():\n", "")).unwrap_err();
        assert!(error.hint().unwrap().starts_with("the nearest line is 4: `def two():`"), "{error:?}");
        let error = replace_once("a.py", TEXT, ("zzz", "")).unwrap_err();
        assert!(matches!(error, Error::TextNotFound { nearest: None, .. }));
    }

    #[test]
    fn keeps_the_line_ends_of_windows() {
        let edited = replace_once("a", "a\r\nb\r\nc\r\n", ("a\nb", "a\nx")).unwrap();
        assert_eq!(edited, "a\r\nx\r\nc\r\n");
    }
}
