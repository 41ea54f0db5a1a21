//! What a failure of git means to the user: git has one exit code, an error of ours names the repository, the URL
//! and what is the matter with them.

use std::path::Path;
use std::time::Duration;

use crate::git::{Failure, FetchFailure};
use crate::source::Remote;
use crate::{Commit, Error, RepositoryName};

/// What was to be fetched, from where, within which time.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    pub(crate) name: &'a RepositoryName,
    pub(crate) remote: &'a Remote,
    pub(crate) limit: Duration,
}

impl Target<'_> {
    /// Explains a failure of work that asks a server, for `commit` where one was asked for.
    pub(crate) fn explain(&self, failure: Failure, commit: Option<&Commit>) -> Error {
        let (name, url) = (self.name.clone(), self.url());
        let source = match failure {
            Failure::NotStarted(source) => return Error::StartGit { source },
            Failure::TimedOut => return Error::FetchTimedOut { name, url, limit: self.limit },
            Failure::Refused(words) => words,
        };
        match (source.fetch_failure(), commit) {
            (FetchFailure::Unreachable, _) => Error::Unreachable { name, url, source },
            (FetchFailure::NoAccess, _) => Error::NoAccess { name, url, source },
            (FetchFailure::NoSuchCommit, Some(commit)) => self.no_such_commit(commit),
            (FetchFailure::Incomplete, Some(commit)) => {
                Error::IncompleteRemote { name, url, commit: commit.clone(), source }
            }
            _ => Error::Fetch { name, url, source },
        }
    }

    /// Explains a failure of work inside `folder`.
    pub(crate) fn explain_local(&self, attempt: &'static str, failure: Failure, folder: &Path) -> Error {
        match failure {
            Failure::NotStarted(source) => Error::StartGit { source },
            Failure::TimedOut => {
                Error::FetchTimedOut { name: self.name.clone(), url: self.url(), limit: self.limit }
            }
            Failure::Refused(source) => Error::Git { attempt, folder: folder.to_owned(), source },
        }
    }

    /// The server has no such commit.
    pub(crate) fn no_such_commit(&self, commit: &Commit) -> Error {
        Error::NoSuchCommit { name: self.name.clone(), url: self.url(), commit: commit.clone() }
    }

    /// The server has no commit at all.
    pub(crate) fn empty(&self) -> Error {
        Error::EmptyRemote { name: self.name.clone(), url: self.url() }
    }

    /// The folder does not hold what it should.
    pub(crate) fn not_verified(&self, commit: &Commit, reason: String) -> Error {
        Error::NotVerified { name: self.name.clone(), commit: commit.clone(), reason }
    }

    fn url(&self) -> String {
        self.remote.to_string()
    }
}
