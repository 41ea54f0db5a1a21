//! A path inside a repository, checked before any system call sees it.
//! This is the first of two locks: the second is `Root`, which resolves beneath an open folder.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// A relative path with `/` between its parts, without `..`, `.git`, NUL or an empty name.
///
/// A leading `./`, doubled slashes and a trailing slash are dropped, since agents and the benchmark write them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RepositoryPath(String);

impl RepositoryPath {
    /// The repository's own folder, written as the empty path.
    pub fn top() -> Self {
        Self(String::new())
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path relative to the repository's folder.
    pub fn as_path(&self) -> &Path {
        Path::new(if self.0.is_empty() { "." } else { &self.0 })
    }

    /// The last part, or the empty text for the repository's own folder.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// The parts between the slashes; none for the repository's own folder.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('/').filter(|part| !part.is_empty())
    }

    /// The path of `name` inside this folder; `name` must be a single checked part.
    pub(crate) fn join(&self, name: &str) -> Self {
        Self(if self.0.is_empty() { name.to_owned() } else { format!("{}/{name}", self.0) })
    }
}

impl FromStr for RepositoryPath {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let refuse = |reason| Err(Error::InvalidPath { text: text.to_owned(), reason });
        if text.starts_with('/') {
            return refuse("it is absolute; give it relative to the repository");
        }
        if text.contains('\0') {
            return refuse("it holds a NUL character");
        }
        if text.contains('\\') {
            return refuse("it holds a backslash; separate folders with `/`");
        }
        let mut parts = Vec::new();
        for part in text.split('/').filter(|part| !part.is_empty() && *part != ".") {
            if part == ".." {
                return refuse("it holds `..`");
            }
            if is_git_name(part) {
                return refuse("git's own files are not served");
            }
            parts.push(part);
        }
        Ok(Self(parts.join("/")))
    }
}

/// Whether a file system could take a name for git's own folder: in any case, with characters that some systems
/// ignore in names, or as the short name that Windows gives it.
pub(crate) fn is_git_name(name: &str) -> bool {
    let heard: String = name.chars().filter(|character| !is_ignored(*character)).collect();
    let heard = heard.trim_end_matches(['.', ' ']);
    heard.eq_ignore_ascii_case(".git") || heard.eq_ignore_ascii_case("git~1")
}

/// Characters that are not seen, and that HFS+ does not tell names apart by.
pub(crate) fn is_ignored(character: char) -> bool {
    matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

impl TryFrom<String> for RepositoryPath {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<RepositoryPath> for String {
    fn from(path: RepositoryPath) -> Self {
        path.0
    }
}

impl fmt::Display for RepositoryPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.0.is_empty() { "." } else { &self.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalizes_what_agents_write() {
        for (text, path) in [("./a//b/", "a/b"), ("", ""), ("./", ""), ("a b/ü.py", "a b/ü.py")] {
            assert_eq!(text.parse::<RepositoryPath>().unwrap().as_str(), path);
        }
    }

    #[test]
    fn refuses_paths_that_could_leave_the_repository() {
        for text in ["/etc/passwd", "..", "a/../b", "a\0", "a\\b"] {
            assert!(text.parse::<RepositoryPath>().is_err(), "{text:?} was accepted");
        }
    }

    #[test]
    fn refuses_every_spelling_of_gits_own_folder() {
        for text in [
            ".git/config",
            "a/.GIT/x",
            ".Git",
            ".git\u{200c}/config",
            ".g\u{feff}it",
            ".git.",
            ".git /x",
            "GIT~1",
        ] {
            assert!(text.parse::<RepositoryPath>().is_err(), "{text:?} was accepted");
        }
        for text in [".github/x", ".gitignore", "git", "x.git", ".git-hooks"] {
            assert!(text.parse::<RepositoryPath>().is_ok(), "{text:?} was refused");
        }
    }
}
