//! The hidden folder in which a commit is received, checked out and verified before anybody sees it.
//! What an earlier run had received completely is used; everything else starts anew, since git cannot resume a pack.

use std::cell::Cell;
use std::io::ErrorKind;
use std::path::PathBuf;

use crate::checkout::remove;
use crate::explain::Target;
use crate::git::{Failure, FetchFailure, Outcome, Session, Want};
use crate::{Commit, Error, Result, SyncStep};

/// Written once everything has arrived, so that a later run need not fetch again.
const ARRIVED: &str = ".git/repolab-arrived";
/// Depths tried on a server that refuses a bare hash, after which the commit counts as absent.
/// The longest history in the registry has about 5,000 commits.
const DEPTHS: [u32; 2] = [100, 20_000];

/// One commit on its way.
pub(crate) struct Partial<'a> {
    pub(crate) folder: PathBuf,
    pub(crate) commit: &'a Commit,
    pub(crate) session: Session<'a>,
    pub(crate) target: Target<'a>,
    pub(crate) report: &'a dyn Fn(SyncStep),
}

impl Partial<'_> {
    /// Makes the folder a repository that has the commit.
    pub(crate) fn receive(&self) -> Result<()> {
        if self.has_arrived() {
            return self.remove_git_locks();
        }
        remove(&self.folder)?;
        (self.report)(SyncStep::Fetching { percent: None });
        self.session.init(&self.folder).map_err(|failure| self.local("make a repository", failure))?;
        match self.fetch(Want::Commit(self.commit)) {
            Err(Failure::Refused(words)) if words.fetch_failure() == FetchFailure::HashRefused => {
                self.search_branches()?;
            }
            fetched => fetched.map_err(|failure| self.target.explain(failure, Some(self.commit)))?,
        }
        let path = self.folder.join(ARRIVED);
        fs_err::write(&path, self.commit.as_str())
            .map_err(|source| Error::ChangeCheckout { folder: path, source })
    }

    /// Writes the files and makes sure that all of them are there, of exactly this commit.
    pub(crate) fn check_out(&self) -> Result<()> {
        (self.report)(SyncStep::CheckingOut);
        self.session
            .check_out(&self.folder, self.commit)
            .map_err(|failure| self.local("check the files out", failure))?;
        let unclear = |failure| self.local("verify the files", failure);
        let head = self.session.head(&self.folder).map_err(unclear)?;
        if head != self.commit.as_str() {
            return Err(self.target.not_verified(self.commit, format!("it is at {head}")));
        }
        let missing = self.session.missing_files(&self.folder).map_err(unclear)?;
        match missing.first() {
            None => Ok(()),
            Some(file) => {
                let reason = format!("{} files such as `{}` are missing", missing.len(), file.escape_debug());
                Err(self.target.not_verified(self.commit, reason))
            }
        }
    }

    /// Fetches ever more of all branches until the commit is among it.
    fn search_branches(&self) -> Result<()> {
        for depth in DEPTHS {
            self.fetch(Want::Branches { depth })
                .map_err(|failure| self.target.explain(failure, Some(self.commit)))?;
            let has = self.session.has(&self.folder, self.commit);
            if has.map_err(|failure| self.local("look for the commit", failure))? {
                return Ok(());
            }
        }
        Err(self.target.no_such_commit(self.commit))
    }

    /// Fetches, and reports each percentage once.
    fn fetch(&self, want: Want<'_>) -> Outcome<()> {
        let last = Cell::new(None);
        self.session.fetch(&self.folder, self.target.remote, want, &|percent| {
            if last.replace(Some(percent)) != Some(percent) {
                (self.report)(SyncStep::Fetching { percent: Some(percent) });
            }
        })
    }

    fn local(&self, attempt: &'static str, failure: Failure) -> Error {
        self.target.explain_local(attempt, failure, &self.folder)
    }

    fn has_arrived(&self) -> bool {
        fs_err::read_to_string(self.folder.join(ARRIVED)).is_ok_and(|text| text == self.commit.as_str())
    }

    /// A killed git leaves its lock files; the repository's own lock says that no other is at work.
    fn remove_git_locks(&self) -> Result<()> {
        for name in ["index.lock", "HEAD.lock", "shallow.lock"] {
            let path = self.folder.join(".git").join(name);
            match fs_err::remove_file(&path) {
                Err(source) if source.kind() != ErrorKind::NotFound => {
                    return Err(Error::ChangeCheckout { folder: path, source });
                }
                _ => {}
            }
        }
        Ok(())
    }
}
