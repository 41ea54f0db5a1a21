//! JSON lines as people have them: with blank lines, a byte order mark, Windows line ends and broken rows.
//! Every row that cannot be used is kept as a problem with its number, never silently dropped.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A row that could not be used as it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The row's number, from 1: a line of a JSONL file, a row of a parquet file.
    pub line: usize,
    /// What is wrong with it and what became of it.
    pub why: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}: {}", self.line, self.why)
    }
}

/// A row that was read, or why it was not.
pub(crate) type Numbered<T> = (usize, Result<T, String>);

/// Reads every line that is not blank.
pub(crate) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Vec<Numbered<T>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes
        .split(|byte| *byte == b'\n')
        .enumerate()
        .filter(|(_, line)| !line.trim_ascii().is_empty())
        .map(|(index, line)| (index + 1, serde_json::from_slice(line).map_err(|error| explain(&error))))
        .collect()
}

/// Each line is a document of its own, so the parser's "line 1" would mislead.
fn explain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match text.strip_suffix(&place) {
        Some(reason) if error.column() > 0 => format!("{reason} (column {})", error.column()),
        Some(reason) => reason.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lines_as_an_editor_does_and_explains_the_broken_ones() {
        let rows = parse::<u32>(b"\xef\xbb\xbf1\r\n\n  \n2x\n\"a\"\n\xff\n3");
        let shown: Vec<String> = rows.iter().map(|row| format!("{row:?}")).collect();
        expect_test::expect![[r#"
            (1, Ok(1))
            (4, Err("trailing characters (column 2)"))
            (5, Err("invalid type: string \"a\", expected u32 (column 3)"))
            (6, Err("expected value (column 1)"))
            (7, Ok(3))"#]]
        .assert_eq(&shown.join("\n"));
    }
}
