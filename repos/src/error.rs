//! Everything that can go wrong with a repository, one variant per attempt.
//! The cause stands in `source`, never in the text, so that a report prints each fact once.

use std::path::PathBuf;
use std::time::Duration;

use crate::{Commit, LastWords, RepositoryName, RepositoryPath};

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
    /// A file where a folder was wanted.
    #[error("`{path}` is not a folder")]
    NotAFolder {
        /// The path as asked.
        path: RepositoryPath,
    },
    /// The folder could not be listed.
    #[error("could not list `{path}`")]
    ListInside {
        /// The path as asked.
        path: RepositoryPath,
        /// Why.
        source: std::io::Error,
    },
    /// A link without a destination, through which nothing is written.
    #[error("`{path}` is a link that leads nowhere")]
    DanglingLink {
        /// The link.
        path: RepositoryPath,
    },
    /// The file could not be written.
    #[error("could not write `{path}`")]
    WriteFile {
        /// The path as asked.
        path: RepositoryPath,
        /// Why.
        source: std::io::Error,
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
        /// The name, alias or URL as asked, cut where it is very long.
        name: String,
        /// The nearest known names, best first.
        suggestions: Vec<RepositoryName>,
    },
    /// The repository is known but not on this machine.
    #[error("the repository `{name}` is not checked out")]
    NotCheckedOut {
        /// The name as asked.
        name: RepositoryName,
    },
    /// The folder of a link is gone.
    #[error("`{name}` is linked to {}, which is not a folder", folder.display())]
    LinkIsGone {
        /// The repository.
        name: RepositoryName,
        /// Where the folder was.
        folder: PathBuf,
    },
    /// The folder cannot be linked.
    #[error("could not link `{name}` to {}", folder.display())]
    Link {
        /// The repository.
        name: RepositoryName,
        /// The folder as given.
        folder: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// There is no link to remove.
    #[error("`{name}` is not linked to a folder")]
    NotLinked {
        /// The repository.
        name: RepositoryName,
    },
    /// The registry's own entries stay.
    #[error("`{name}` belongs to the registry, which stays as it is")]
    NotAdded {
        /// The repository.
        name: RepositoryName,
    },
    /// The text is nothing that can be added.
    #[error("`{text}` cannot be added: {reason}")]
    InvalidSource {
        /// The refused text.
        text: String,
        /// Which rule it breaks.
        reason: &'static str,
    },
    /// The name, or a name that reads the same, is in use.
    #[error("the name `{name}` already means the repository `{taken_by}`")]
    NameTaken {
        /// The name that was wanted.
        name: RepositoryName,
        /// Who has it.
        taken_by: RepositoryName,
    },
    /// The text of a registry breaks its form.
    #[error("could not read the registry of repositories")]
    InvalidRegistry {
        /// Where and why.
        source: Box<toml::de::Error>,
    },
    /// The catalog file could not be opened.
    #[error("could not read {}", path.display())]
    ReadCatalog {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The catalog file breaks its form.
    #[error("could not understand {}", path.display())]
    ParseCatalog {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: Box<toml::de::Error>,
    },
    /// The catalog file could not be replaced.
    #[error("could not write {}", path.display())]
    WriteCatalog {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A folder of checkouts could not be listed, made, moved or removed.
    #[error("could not change the checkout folder {}", folder.display())]
    ChangeCheckout {
        /// The folder.
        folder: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A folder that was to be searched for repositories could not be listed.
    #[error("could not list the folder {}", folder.display())]
    ListFolder {
        /// The folder.
        folder: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// There is no URL to fetch from.
    #[error("`{name}` is a folder that was added; there is no URL to fetch it from")]
    NothingToFetch {
        /// The repository.
        name: RepositoryName,
    },
    /// A linked folder is never changed.
    #[error("`{name}` is linked to {}, which is not known to be at the pinned commit and is never changed", folder.display())]
    Linked {
        /// The repository.
        name: RepositoryName,
        /// The folder.
        folder: PathBuf,
    },
    /// Another process works on the same repository for the whole time limit.
    #[error("another process was still syncing `{name}` after {} seconds", limit.as_secs())]
    Busy {
        /// The repository.
        name: RepositoryName,
        /// How long this one waited.
        limit: Duration,
    },
    /// There is no git to start.
    #[error("could not start git")]
    StartGit {
        /// Why.
        source: std::io::Error,
    },
    /// Git failed at work that needs no server.
    #[error("git could not {attempt} in {}", folder.display())]
    Git {
        /// What it was to do.
        attempt: &'static str,
        /// Where.
        folder: PathBuf,
        /// Git's last words.
        source: LastWords,
    },
    /// Fetching took too long; git was ended.
    #[error("fetching `{name}` from {url} took longer than {} seconds", limit.as_secs())]
    FetchTimedOut {
        /// The repository.
        name: RepositoryName,
        /// Where from.
        url: String,
        /// The limit for the whole sync.
        limit: Duration,
    },
    /// No connection to the server, or it broke.
    #[error("could not reach {url} to fetch `{name}`")]
    Unreachable {
        /// The repository.
        name: RepositoryName,
        /// Where from.
        url: String,
        /// Git's last words.
        source: LastWords,
    },
    /// The server refuses to show the repository, or has none there.
    #[error("{url} does not give access to a repository `{name}`")]
    NoAccess {
        /// The repository.
        name: RepositoryName,
        /// Where from.
        url: String,
        /// Git's last words.
        source: LastWords,
    },
    /// The server answered, and the fetch failed for another reason.
    #[error("could not fetch `{name}` from {url}")]
    Fetch {
        /// The repository.
        name: RepositoryName,
        /// Where from.
        url: String,
        /// Git's last words.
        source: LastWords,
    },
    /// The server does not have all files of the commit.
    #[error("{url} does not hold every file of `{name}` at commit {commit}")]
    IncompleteRemote {
        /// The repository.
        name: RepositoryName,
        /// Where from.
        url: String,
        /// The pinned commit.
        commit: Commit,
        /// Git's last words.
        source: LastWords,
    },
    /// The server does not have the commit.
    #[error("commit {commit} of `{name}` is not in {url}")]
    NoSuchCommit {
        /// The repository.
        name: RepositoryName,
        /// Where from.
        url: String,
        /// The pinned commit.
        commit: Commit,
    },
    /// The remote has no commit at all.
    #[error("{url} has no commit to pin `{name}` at")]
    EmptyRemote {
        /// The repository.
        name: RepositoryName,
        /// Where from.
        url: String,
    },
    /// What was checked out is not what was asked for.
    #[error("the checkout of `{name}` is not complete at commit {commit}: {reason}")]
    NotVerified {
        /// The repository.
        name: RepositoryName,
        /// The pinned commit.
        commit: Commit,
        /// What differs.
        reason: String,
    },
}
