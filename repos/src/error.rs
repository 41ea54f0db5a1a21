//! Everything that can go wrong with a repository, one variant per attempt.
//! The cause stands in `source`, never in the text, so that a report prints each fact once.

use std::path::PathBuf;

use crate::{RepositoryName, RepositoryPath};

/// The result of an operation of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// What was attempted, on what.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is no repository name.
    #[error(
        "`{text}` is not a repository name: use 1 to 64 of a-z, 0-9, `-`, `_` and `.`, starting with a letter or digit"
    )]
    InvalidName {
        /// The refused text.
        text: String,
    },
    /// The text is no full commit hash.
    #[error("`{text}` is not a full commit hash of 40 hexadecimal digits")]
    InvalidCommit {
        /// The refused text.
        text: String,
    },
    /// The text is no path inside a repository.
    #[error("`{text}` is not a path inside a repository: {reason}")]
    InvalidPath {
        /// The refused text.
        text: String,
        /// Which rule it breaks.
        reason: &'static str,
    },
    /// The folder of a checkout could not be opened.
    #[error("could not open the folder {}", folder.display())]
    OpenRoot {
        /// The folder.
        folder: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// No such file in the checkout.
    #[error("there is no file `{path}`")]
    FileNotFound {
        /// The path as asked.
        path: RepositoryPath,
    },
    /// The path leads out of the checkout.
    #[error("`{path}` leads out of the repository")]
    PathEscapes {
        /// The path as asked.
        path: RepositoryPath,
    },
    /// A folder, device, socket or pipe where a file was wanted.
    #[error("`{path}` is {kind}, not a regular file")]
    NotAFile {
        /// The path as asked.
        path: RepositoryPath,
        /// What it is instead, with its article.
        kind: &'static str,
    },
    /// The file is larger than the caller allows.
    #[error("`{path}` has {bytes} bytes, more than the {limit} that are read")]
    FileTooLarge {
        /// The path as asked.
        path: RepositoryPath,
        /// Its size.
        bytes: u64,
        /// The limit that it exceeds.
        limit: u64,
    },
    /// The file could not be read.
    #[error("could not read `{path}`")]
    ReadFile {
        /// The path as asked.
        path: RepositoryPath,
        /// Why.
        source: std::io::Error,
    },
    /// Nothing of that name is known.
    #[error("there is no repository `{name}`")]
    UnknownRepository {
        /// The name as asked.
        name: RepositoryName,
        /// The nearest known names, best first.
        suggestions: Vec<RepositoryName>,
    },
    /// The repository is known but not on this machine.
    #[error("the repository `{name}` is not checked out")]
    NotCheckedOut {
        /// The name as asked.
        name: RepositoryName,
    },
}
