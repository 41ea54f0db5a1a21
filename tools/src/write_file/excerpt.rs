//! What a change did, as a short list of numbered lines: an agent sees at once whether it hit the right place.

use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use crate::visible;

const CONTEXT: usize = 2;
const MOST_LINES: usize = 60;
const MOST_CHARACTERS: usize = 200;
// A whole new file of many lines is compared roughly rather than slowly.
const PATIENCE: Duration = Duration::from_millis(200);

/// Lines with their number and a sign: ` ` as it was (numbered anew), `-` gone (old number), `+` new.
pub(super) fn excerpt(before: &str, after: &str) -> String {
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(before, after);
    let groups = diff.grouped_ops(CONTEXT);
    let rows = groups.iter().enumerate().flat_map(|(number, group)| {
        let gap = (number > 0).then(|| "...\n".to_owned());
        gap.into_iter().chain(group.iter().flat_map(|operation| diff.iter_changes(operation)).map(|change| {
            let (sign, index) = match change.tag() {
                ChangeTag::Equal => (' ', change.new_index()),
                ChangeTag::Insert => ('+', change.new_index()),
                ChangeTag::Delete => ('-', change.old_index()),
            };
            row(sign, index.unwrap_or_default() + 1, change.value())
        }))
    });
    let mut rows = rows.peekable();
    let mut text: String = rows.by_ref().take(MOST_LINES).collect();
    let more = rows.count();
    if more > 0 {
        text.push_str(&format!("... and {more} more lines of the change\n"));
    }
    text
}

fn row(sign: char, number: usize, line: &str) -> String {
    let line = line.trim_end_matches(['\n', '\r']);
    let shown: String = line.chars().take(MOST_CHARACTERS).collect();
    let cut = if shown.len() < line.len() { "[...]" } else { "" };
    format!("{number:>5} {sign}{}{cut}\n", visible(&shown))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_changed_lines_with_their_numbers() {
        let before = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n";
        let after = before.replace("c\n", "x\ny\n").replace("j\n", "j\nk\n");
        let expected = "    1  a\n    2  b\n    3 -c\n    3 +x\n    4 +y\n    5  d\n    6  e\n...\n   10  i\n   11  j\n   12 +k\n";
        assert_eq!(excerpt(before, &after), expected);
    }

    #[test]
    fn a_new_file_of_many_lines_is_cut() {
        let text = excerpt("", &"line\n".repeat(1_000));
        assert!(text.ends_with("... and 940 more lines of the change\n"), "{text}");
        assert_eq!(excerpt("a\n", "a\n"), "");
    }
}
