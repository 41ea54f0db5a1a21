//! A file as a person attaches it to a conversation: whole, or a range of its lines, without line numbers.
//! Clients that offer files as resources read them here; agents use `read_file`, whose answers are numbered and
//! cut to fit.

use repos::RepositoryPath;

use crate::nearest::no_such_file;
use crate::{Error, Result, Toolbox, visible};

/// More than this is no attachment: it would fill a model's context, and clients cut it.
const MOST_TEXT_BYTES: usize = 60_000;
/// Pictures and other binary files that a client shows to a person.
const MOST_BINARY_BYTES: u64 = 4 << 20;
// Only the lines that were asked for are kept, so the file itself may be larger.
const MOST_FILE_BYTES: u64 = 64 << 20;

/// A file with the commit it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholeFile {
    /// Repository name.
    pub repo: String,
    /// Path of the file.
    pub path: String,
    /// The commit that is served, when known.
    pub commit: Option<String>,
    /// What is in it.
    pub content: Content,
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Text, with hidden characters made visible.
    Text(String),
    /// Bytes that are no text.
    Binary(Vec<u8>),
}

/// Lines from 1, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRange {
    /// The first line.
    pub first: u32,
    /// The last line; the file may end before.
    pub last: u32,
}

impl WholeFile {
    /// Reads `path` of the repository `repo`, or `lines` of it.
    ///
    /// Text of more than 60 kB and binary files of more than 4 MiB are refused with the way to read parts of them.
    pub fn read(toolbox: &Toolbox, repo: &str, path: &str, lines: Option<LineRange>) -> Result<Self> {
        let (_, checkout) = toolbox.repository(repo)?;
        let path: RepositoryPath = path.parse()?;
        let root = checkout.root()?;
        let bytes = root.read(&path, MOST_FILE_BYTES).map_err(|error| match error {
            repos::Error::FileNotFound { path } => no_such_file(&root, checkout.name.as_str(), &path),
            other => other.into(),
        })?;
        Ok(Self {
            content: content(&path, bytes, lines)?,
            repo: checkout.name.to_string(),
            path: path.to_string(),
            commit: checkout.commit.map(String::from),
        })
    }
}

fn content(path: &RepositoryPath, bytes: Vec<u8>, lines: Option<LineRange>) -> Result<Content> {
    let too_large = |size: usize| Error::TooLargeToAttach { path: path.to_string(), bytes: size };
    let text = match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => text,
        Ok(text) => return binary(text.into_bytes(), too_large),
        Err(error) => return binary(error.into_bytes(), too_large),
    };
    let text = match lines {
        None => text,
        Some(range) => pick(&text, range),
    };
    let shown = visible(&text);
    if shown.len() > MOST_TEXT_BYTES {
        return Err(too_large(shown.len()));
    }
    Ok(Content::Text(shown.into_owned()))
}

fn binary(bytes: Vec<u8>, too_large: impl Fn(usize) -> Error) -> Result<Content> {
    if bytes.len() as u64 > MOST_BINARY_BYTES {
        return Err(too_large(bytes.len()));
    }
    Ok(Content::Binary(bytes))
}

fn pick(text: &str, range: LineRange) -> String {
    let first = range.first.saturating_sub(1) as usize;
    let count = (range.last as usize).saturating_sub(first);
    text.split_inclusive('\n').skip(first).take(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picks_lines_with_their_ends() {
        let range = |first, last| LineRange { first, last };
        for (lines, expected) in
            [(range(1, 1), "a\n"), (range(2, 9), "b\nc"), (range(4, 5), ""), (range(2, 1), "")]
        {
            assert_eq!(pick("a\nb\nc", lines), expected, "{lines:?}");
        }
    }

    #[test]
    fn tells_text_from_bytes_and_refuses_what_is_too_large() {
        let path: RepositoryPath = "a".parse().unwrap();
        let of = |bytes: &[u8]| content(&path, bytes.to_vec(), None);
        assert_eq!(of(b"x\xe2\x80\xaey").unwrap(), Content::Text("x\\u{202e}y".to_owned()));
        assert_eq!(of(b"\x89PNG\r\n").unwrap(), Content::Binary(b"\x89PNG\r\n".to_vec()));
        assert_eq!(of(b"a\0b").unwrap(), Content::Binary(b"a\0b".to_vec()));
        assert!(of(&vec![b'x'; MOST_TEXT_BYTES + 1]).is_err());
        let lines = Some(LineRange { first: 2, last: 2 });
        let long = format!("{}\nshort\n", "x".repeat(MOST_TEXT_BYTES + 1));
        assert_eq!(content(&path, long.into_bytes(), lines).unwrap(), Content::Text("short\n".to_owned()));
    }
}
