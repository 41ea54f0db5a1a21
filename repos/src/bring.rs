//! Bringing one repository: under its lock, at the pinned commit, and in place by a rename, so that a killed process
//! leaves a hidden partial folder that the next one finishes or clears, never half a checkout.

use std::fs::TryLockError;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::checkout::{CheckoutPlace, remove};
use crate::explain::Target;
use crate::git::Session;
use crate::ledger::Ledger;
use crate::partial::Partial;
use crate::source::Remote;
use crate::{Commit, Entry, Error, Git, Result, SyncStep, Synced};

/// How often a lock that another process holds is tried.
const LOCK_TICK: Duration = Duration::from_millis(50);

/// The work on one repository.
pub(crate) struct Bring<'a> {
    pub(crate) data: &'a Path,
    pub(crate) git: &'a Git,
    pub(crate) entry: &'a Entry,
    /// For everything, waiting included.
    pub(crate) limit: Duration,
    pub(crate) report: &'a dyn Fn(SyncStep),
}

impl Bring<'_> {
    /// Fetches, checks out, verifies and puts in place, unless another process just did.
    pub(crate) fn run(&self) -> Result<Synced> {
        let deadline = Instant::now() + self.limit;
        let name = &self.entry.name;
        let url = self.entry.url.as_ref().ok_or_else(|| Error::NothingToFetch { name: name.clone() })?;
        let remote: Remote = url.parse()?;
        let place = CheckoutPlace::new(self.data, name);
        let lock = self.lock(&place, deadline)?;
        if let (Some(checkout), Some(commit)) = (place.checkout(), &self.entry.commit)
            && checkout.commit.as_ref() == Some(commit)
        {
            return Ok(Synced { commit: commit.clone(), checkout, fetched: false });
        }
        let session = Session { git: self.git, lock: &lock, deadline };
        let target = Target { name, remote: &remote, limit: self.limit };
        let commit = self.commit(&session, &target)?;
        let partial =
            Partial { folder: place.partial(), commit: &commit, session, target, report: self.report };
        if let Err(error) = partial.receive().and_then(|()| partial.check_out()) {
            // A folder in which something failed is of no use to the next run; one whose process was killed is.
            // If it cannot be removed, the next run says so; what failed first is the better answer now.
            let _ = remove(&partial.folder);
            return Err(error);
        }
        self.pin(&commit)?;
        let checkout = place.put_in_place(&partial.folder)?;
        Ok(Synced { checkout, fetched: true, commit })
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
    fn commit(&self, session: &Session<'_>, target: &Target<'_>) -> Result<Commit> {
        if let Some(commit) = &self.entry.commit {
            return Ok(commit.clone());
        }
        let head = session.head_of(target.remote).map_err(|failure| target.explain(failure, None))?;
        head.ok_or_else(|| target.empty())?.parse()
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
}
