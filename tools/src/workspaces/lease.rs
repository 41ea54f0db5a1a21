//! A workspace that somebody uses. As long as one lease of it lives, it neither expires nor makes room.

use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use repos::RepositoryName;
use sandbox::Workspace;

use crate::{Error, Result};

/// A workspace with what is known about its use.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) repository: RepositoryName,
    workspace: Workspace,
    last_use: Mutex<Instant>,
    /// Bytes on disk; counted on, and measured anew before anything is refused.
    occupied: AtomicU64,
    /// Counts what may have changed files, so that a count of changes is known to be old.
    writes: AtomicU64,
    counted: Mutex<Option<(u64, usize)>>,
}

impl Kept {
    pub(super) fn new(repository: RepositoryName, workspace: Workspace) -> Self {
        let occupied = AtomicU64::new(workspace.occupied_bytes());
        Self {
            repository,
            workspace,
            last_use: Mutex::new(Instant::now()),
            occupied,
            writes: AtomicU64::new(0),
            counted: Mutex::new(None),
        }
    }

    pub(super) fn idle(&self) -> Duration {
        self.last_use.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }

    /// Files that differ from the checkout; counted once after each use that may have changed some.
    pub(super) fn changed_files(&self) -> usize {
        let writes = self.writes.load(Ordering::SeqCst);
        let known = *self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, count)) = known
            && at == writes
        {
            return count;
        }
        let count = self.workspace.changes(0).map_or(0, |changes| changes.total);
        *self.counted.lock().unwrap_or_else(PoisonError::into_inner) = Some((writes, count));
        count
    }

    fn touch(&self) {
        *self.last_use.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }
}

impl Deref for Kept {
    type Target = Workspace;

    fn deref(&self) -> &Workspace {
        &self.workspace
    }
}

/// The right to use a workspace; idle time starts when it ends.
#[derive(Debug)]
pub(crate) struct Lease(pub(super) Arc<Kept>);

impl Lease {
    pub(super) fn of(kept: &Arc<Kept>) -> Self {
        kept.touch();
        Self(kept.clone())
    }

    /// Bytes that may still be written under `limit`; an error when `wanted` do not fit.
    pub(crate) fn room(&self, wanted: u64, limit: u64) -> Result<u64> {
        let room = |occupied: u64| limit.checked_sub(occupied).filter(|room| *room >= wanted.max(1));
        if let Some(room) = room(self.0.occupied.load(Ordering::Relaxed)) {
            return Ok(room);
        }
        let occupied = self.0.occupied_bytes();
        self.0.occupied.store(occupied, Ordering::Relaxed);
        room(occupied).ok_or_else(|| Error::WorkspaceFull { id: self.id().to_owned(), occupied, limit })
    }

    /// Notes that files may have changed, by up to so many bytes on disk.
    pub(crate) fn wrote(&self, bytes: u64) {
        self.0.occupied.fetch_add(bytes, Ordering::Relaxed);
        self.0.writes.fetch_add(1, Ordering::SeqCst);
    }
}

impl Clone for Lease {
    fn clone(&self) -> Self {
        Self::of(&self.0)
    }
}

impl Deref for Lease {
    type Target = Workspace;

    fn deref(&self) -> &Workspace {
        &self.0.workspace
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.0.touch();
    }
}
