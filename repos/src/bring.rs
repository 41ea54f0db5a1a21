//! Bringing one repository: exactly the pinned commit, verified, and in place by a rename, so that a killed process
//! leaves a hidden partial folder that the next one finishes or clears, never half a checkout.

use std::fs::TryLockError;
use std::io::ErrorKind;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::checkout::{CheckoutPlace, remove};
use crate::git::{Failure, FetchFailure, LastWords, Outcome, Session, Want};
use crate::ledger::Ledger;
use crate::source::Remote;
use crate::{Commit, Entry, Error, Git, Result, SyncStep, Synced};

/// Written into the partial folder once everything has arrived, so that a later run need not fetch again.
const ARRIVED: &str = ".git/repolab-arrived";
/// Depths tried on a server that refuses a bare hash, after which the commit counts as absent.
/// The longest history in the registry has about 5,000 commits.
const DEPTHS: [u32; 2] = [100, 20_000];
/// How often a lock that another process holds is tried.
const LOCK_TICK: Duration = Duration::from_millis(50);

/// The work on one repository.
pub(crate) struct Bring<'a> {
    pub(crate) data: &'a Path,
    pub(crate) git: &'a Git,
    pub(crate) entry: &'a Entry,
    pub(crate) limit: Duration,
    pub(crate) report: &'a dyn Fn(SyncStep),
}

impl Bring<'_> {
    /// Fetches, checks out, verifies and puts in place, unless another process just did.
    pub(crate) fn run(&self) -> Result<Synced> {
        let deadline = Instant::now() + self.limit;
        let remote = self.remote()?;
        let place = CheckoutPlace::new(self.data, &self.entry.name);
        let lock = self.lock(&place, deadline)?;
        if let (Some(checkout), Some(commit)) = (place.checkout(), &self.entry.commit)
            && checkout.commit.as_ref() == Some(commit)
        {
            return Ok(Synced { commit: commit.clone(), checkout, fetched: false });
        }
        let session = Session { git: self.git, lock: &lock, deadline };
        let commit = self.pinned(&session, &remote)?;
        let partial = place.partial();
        let result = self
            .receive(&session, &remote, &commit, &partial)
            .and_then(|()| self.check_out(&session, &remote, &commit, &partial));
        if result.is_err() {
            // What failed to fetch or to check out would fail again; what was killed is kept and comes here no more.
            remove(&partial)?;
        }
        result?;
        self.pin(&commit)?;
        let checkout = place.put_in_place(&partial)?;
        Ok(Synced { commit, checkout, fetched: true })
    }

    fn remote(&self) -> Result<Remote> {
        let url = self.entry.url.as_ref();
        url.ok_or_else(|| Error::NothingToFetch { name: self.entry.name.clone() })?.parse()
    }

    /// Waits for other processes that sync the same repository.
    fn lock(&self, place: &CheckoutPlace, deadline: Instant) -> Result<fs_err::File> {
        let lock = place.lock_file()?;
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(lock),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => thread::sleep(LOCK_TICK),
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::Busy { name: self.entry.name.clone(), limit: self.limit });
                }
                Err(TryLockError::Error(source)) => {
                    return Err(Error::ChangeCheckout { folder: place.folder(), source });
                }
            }
        }
    }

    /// The entry's commit, or what the remote's default branch is at now.
    fn pinned(&self, session: &Session<'_>, remote: &Remote) -> Result<Commit> {
        if let Some(commit) = &self.entry.commit {
            return Ok(commit.clone());
        }
        let head = session.head_of(remote).map_err(|failure| self.explain(failure, remote))?;
        head.ok_or_else(|| Error::EmptyRemote { name: self.entry.name.clone(), url: remote.to_string() })?
            .parse()
    }

    /// Records what an added repository is served at from now on, before it is served.
    fn pin(&self, commit: &Commit) -> Result<()> {
        if self.entry.commit.is_some() {
            return Ok(());
        }
        Ledger::update(self.data, |ledger| {
            ledger.pin(&self.entry.name, commit);
            Ok(())
        })
    }

    /// Makes the partial folder a repository that has the commit.
    fn receive(&self, session: &Session<'_>, remote: &Remote, commit: &Commit, partial: &Path) -> Result<()> {
        if arrived(partial, commit) {
            return remove_git_locks(partial);
        }
        remove(partial)?;
        (self.report)(SyncStep::Fetching { percent: None });
        session.init(partial).map_err(|failure| self.explain_local("make a repository", failure, partial))?;
        match self.fetch(session, remote, Want::Commit(commit), partial) {
            Ok(()) => {}
            Err(Failure::Refused(words)) if words.fetch_failure() == FetchFailure::HashRefused => {
                self.search_branches(session, remote, commit, partial)?;
            }
            Err(failure) => return Err(self.explain(failure, remote)),
        }
        let path = partial.join(ARRIVED);
        fs_err::write(&path, commit.as_str()).map_err(|source| Error::ChangeCheckout { folder: path, source })
    }

    /// Fetches ever more of all branches until the commit is among it.
    fn search_branches(
        &self,
        session: &Session<'_>,
        remote: &Remote,
        commit: &Commit,
        partial: &Path,
    ) -> Result<()> {
        for depth in DEPTHS {
            self.fetch(session, remote, Want::Branches { depth }, partial)
                .map_err(|failure| self.explain(failure, remote))?;
            let has = session.has(partial, commit);
            if has.map_err(|failure| self.explain_local("look for the commit", failure, partial))? {
                return Ok(());
            }
        }
        Err(self.no_such_commit(remote, commit.clone()))
    }

    fn fetch(&self, session: &Session<'_>, remote: &Remote, want: Want<'_>, partial: &Path) -> Outcome<()> {
        let last = std::cell::Cell::new(None);
        session.fetch(partial, remote, want, &|percent| {
            if last.replace(Some(percent)) != Some(percent) {
                (self.report)(SyncStep::Fetching { percent: Some(percent) });
            }
        })
    }

    /// Writes the files and makes sure that all of them are there, of exactly this commit.
    fn check_out(
        &self,
        session: &Session<'_>,
        remote: &Remote,
        commit: &Commit,
        partial: &Path,
    ) -> Result<()> {
        (self.report)(SyncStep::CheckingOut);
        session.check_out(partial, commit).map_err(|failure| match failure {
            Failure::Refused(words) if words.fetch_failure() == FetchFailure::Incomplete => {
                self.incomplete(remote, commit.clone(), words)
            }
            failure => self.explain_local("check the files out", failure, partial),
        })?;
        let explain = |failure| self.explain_local("verify the files", failure, partial);
        let head = session.head(partial).map_err(explain)?;
        let missing = session.missing_files(partial).map_err(explain)?;
        let reason = match missing.first() {
            _ if head != commit.as_str() => format!("it is at {head}"),
            Some(file) => format!("{} files such as `{file}` are missing", missing.len()),
            None => return Ok(()),
        };
        Err(Error::NotVerified { name: self.entry.name.clone(), commit: commit.clone(), reason })
    }

    /// Says what a failure means when a server was asked.
    fn explain(&self, failure: Failure, remote: &Remote) -> Error {
        let (name, url) = (self.entry.name.clone(), remote.to_string());
        match failure {
            Failure::NotStarted(source) => Error::StartGit { source },
            Failure::TimedOut => Error::FetchTimedOut { name, url, limit: self.limit },
            Failure::Refused(words) => match (words.fetch_failure(), &self.entry.commit) {
                (FetchFailure::Unreachable, _) => Error::Unreachable { name, url, source: words },
                (FetchFailure::NoAccess, _) => Error::NoAccess { name, url, source: words },
                (FetchFailure::NoSuchCommit, Some(commit)) => self.no_such_commit(remote, commit.clone()),
                (FetchFailure::Incomplete, Some(commit)) => self.incomplete(remote, commit.clone(), words),
                _ => Error::Fetch { name, url, source: words },
            },
        }
    }

    /// Says what a failure means when git worked on its own.
    fn explain_local(&self, attempt: &'static str, failure: Failure, folder: &Path) -> Error {
        match failure {
            Failure::NotStarted(source) => Error::StartGit { source },
            Failure::TimedOut => Error::FetchTimedOut {
                name: self.entry.name.clone(),
                url: self.entry.url.clone().unwrap_or_default(),
                limit: self.limit,
            },
            Failure::Refused(source) => Error::Git { attempt, folder: folder.to_owned(), source },
        }
    }

    fn no_such_commit(&self, remote: &Remote, commit: Commit) -> Error {
        Error::NoSuchCommit { name: self.entry.name.clone(), url: remote.to_string(), commit }
    }

    fn incomplete(&self, remote: &Remote, commit: Commit, source: LastWords) -> Error {
        Error::IncompleteRemote { name: self.entry.name.clone(), url: remote.to_string(), commit, source }
    }
}

/// Whether an earlier run that was killed had received the commit.
fn arrived(partial: &Path, commit: &Commit) -> bool {
    fs_err::read_to_string(partial.join(ARRIVED)).is_ok_and(|text| text == commit.as_str())
}

/// A killed git leaves its lock files; the repository's own lock says that no other is at work.
fn remove_git_locks(partial: &Path) -> Result<()> {
    for name in ["index.lock", "HEAD.lock", "shallow.lock"] {
        let path = partial.join(".git").join(name);
        match fs_err::remove_file(&path) {
            Err(source) if source.kind() != ErrorKind::NotFound => {
                return Err(Error::ChangeCheckout { folder: path, source });
            }
            _ => {}
        }
    }
    Ok(())
}
