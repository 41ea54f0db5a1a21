//! The text of a file as the parsers want it, with a note of everything that had to be handled on the way.
//! Line numbers always mean lines of the stored file: a line ends at `\n`, as it does for `read_file`.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

// Lines beyond this are shown cut and hold data more often than code.
const LONG_LINE_BYTES: usize = 2_000;

/// Something odd about a file that was handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Note {
    NonUtf8,
    ByteOrderMark,
    CrLf,
    LoneCr,
    LongLines,
    ParseErrors,
    ParseTimeout,
    TooLargeToParse,
    TooDeepToParse,
    Python2,
    BrokenNotebook,
}

impl Note {
    /// The name under which a report counts it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::NonUtf8 => "non_utf8",
            Self::ByteOrderMark => "byte_order_mark",
            Self::CrLf => "crlf",
            Self::LoneCr => "lone_cr",
            Self::LongLines => "long_lines",
            Self::ParseErrors => "parse_errors",
            Self::ParseTimeout => "parse_timeout",
            Self::TooLargeToParse => "too_large_to_parse",
            Self::TooDeepToParse => "too_deep_to_parse",
            Self::Python2 => "python2",
            Self::BrokenNotebook => "broken_notebook",
        }
    }
}

/// Adds one to the count of each note.
pub(crate) fn count_notes(counts: &mut BTreeMap<String, u64>, notes: &[Note]) {
    for note in notes {
        *counts.entry(note.name().to_owned()).or_default() += 1;
    }
}

/// A file's text and where its lines start.
#[derive(Debug)]
pub(crate) struct Source {
    text: String,
    line_starts: Vec<usize>,
}

impl Source {
    /// Decodes the bytes of a file; bytes that are not UTF-8 become U+FFFD, a byte order mark is dropped.
    pub(crate) fn decode(bytes: Vec<u8>) -> (Self, Vec<Note>) {
        let mut notes = Vec::new();
        let mut text = String::from_utf8(bytes).unwrap_or_else(|error| {
            notes.push(Note::NonUtf8);
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        });
        if text.starts_with('\u{feff}') {
            notes.push(Note::ByteOrderMark);
            text.drain(..'\u{feff}'.len_utf8());
        }
        let source = Self::new(text);
        source.note_lines(&mut notes);
        (source, notes)
    }

    /// Text that needs no decoding.
    pub(crate) fn new(text: String) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(end, _)| end + 1);
        let line_starts = std::iter::once(0).chain(ends).collect();
        Self { text, line_starts }
    }

    /// The whole text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// How many lines there are; an empty rest after the last `\n` is none.
    pub(crate) fn line_count(&self) -> usize {
        let rest_is_empty = self.line_starts.last() == Some(&self.text.len());
        self.line_starts.len() - usize::from(rest_is_empty)
    }

    /// The bytes of the lines `lines`, counted from 0.
    pub(crate) fn bytes_of(&self, lines: Range<usize>) -> Range<usize> {
        let at = |line: usize| self.line_starts.get(line).copied().unwrap_or(self.text.len());
        at(lines.start)..at(lines.end)
    }

    /// The text of one line, counted from 0, without its end.
    pub(crate) fn line(&self, line: usize) -> &str {
        self.text[self.bytes_of(line..line + 1)].trim_end_matches(['\n', '\r'])
    }

    /// The line, counted from 0, that holds a byte.
    pub(crate) fn line_at(&self, byte: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= byte).saturating_sub(1)
    }

    fn note_lines(&self, notes: &mut Vec<Note>) {
        if self.text.contains('\r') {
            let crlf = self.text.contains("\r\n");
            notes.push(if crlf { Note::CrLf } else { Note::LoneCr });
        }
        let ends = self.line_starts.iter().skip(1).copied().chain([self.text.len()]);
        if self.line_starts.iter().zip(ends).any(|(start, end)| end - start > LONG_LINE_BYTES) {
            notes.push(Note::LongLines);
        }
    }
}

/// `text` cut to at most `bytes` bytes, never inside a character.
pub(crate) fn cut(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// `text` on one line, cut to at most `bytes` bytes.
pub(crate) fn one_line(text: &str, bytes: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if line.len() + word.len() >= bytes {
            let room = bytes.saturating_sub(line.len() + 1);
            if line.is_empty() {
                line.push_str(cut(word, room));
            }
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_lines_as_the_reader_does() {
        for text in ["", "a", "a\n", "a\nb", "a\n\n", "\r\n", "a\rb"] {
            assert_eq!(Source::new(text.to_owned()).line_count(), text.lines().count(), "{text:?}");
        }
    }

    #[test]
    fn notes_what_it_handled() {
        let (source, notes) = Source::decode(b"\xef\xbb\xbfcaf\xe9\r\nx".to_vec());
        assert_eq!(source.text(), "caf\u{fffd}\r\nx");
        assert_eq!(notes, [Note::NonUtf8, Note::ByteOrderMark, Note::CrLf]);
        assert_eq!(source.line(0), "caf\u{fffd}");
        let (_, notes) = Source::decode("a\rb".into());
        assert_eq!(notes, [Note::LoneCr]);
        let (_, notes) = Source::decode(vec![b'x'; 3_000]);
        assert_eq!(notes, [Note::LongLines]);
    }

    #[test]
    fn finds_the_line_of_a_byte() {
        let source = Source::new("ab\ncd\n".to_owned());
        assert_eq!([0, 2, 3, 5].map(|byte| source.line_at(byte)), [0, 0, 1, 1]);
        assert_eq!(source.bytes_of(1..2), 3..6);
    }

    #[test]
    fn never_cuts_inside_a_character() {
        assert_eq!(cut("aé", 2), "a");
        assert_eq!(one_line("  a\n  b c", 4), "a b");
        assert_eq!(one_line("éééé", 4), "é");
    }
}
