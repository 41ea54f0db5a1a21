//! The indexes that are open, kept so that a search costs no opening.
//! An index is built on the first search of its repository; whether files changed since is checked in the
//! background every few seconds of use, and a changed repository is indexed anew while the old index answers.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indexer::{BuildProgress, IndexState, IndexStore, RepositoryIndex};
use repos::{Checkout, RepositoryName};

use crate::Result;

// Agents search in bursts: a change is noticed within one thought of theirs, and a burst pays for one check.
const CHECK_EVERY: Duration = Duration::from_secs(5);

#[derive(Clone)]
pub(crate) struct Indexes {
    store: Arc<IndexStore>,
    open: Arc<Mutex<HashMap<RepositoryName, Opened>>>,
}

#[derive(Clone)]
pub(crate) struct Opened {
    pub(crate) index: Arc<RepositoryIndex>,
    /// Whether files are known to have changed since the index was built.
    pub(crate) stale: bool,
    /// The folder that was indexed; a link may lead to another one since.
    folder: PathBuf,
    checked: Instant,
}

impl Indexes {
    pub(crate) fn new(store: IndexStore) -> Self {
        Self { store: Arc::new(store), open: Arc::default() }
    }

    /// The index of a checkout, built first where there is none.
    pub(crate) fn get(&self, checkout: &Checkout, progress: &dyn BuildProgress) -> Result<Opened> {
        let known =
            self.lock().get(&checkout.name).filter(|opened| opened.folder == checkout.folder).cloned();
        if let Some(opened) = known {
            if opened.checked.elapsed() > CHECK_EVERY {
                self.check_in_background(checkout.clone());
            }
            return Ok(opened);
        }
        self.refresh(checkout, progress)
    }

    pub(crate) fn summary(&self, checkout: &Checkout) -> (Option<u64>, &'static str) {
        match self.store.state(checkout) {
            IndexState::Ready(report) => (Some(report.files), "ready"),
            IndexState::Stale(report) => (Some(report.files), "stale"),
            IndexState::OldFormat | IndexState::Missing => (None, "missing"),
        }
    }

    fn refresh(&self, checkout: &Checkout, progress: &dyn BuildProgress) -> Result<Opened> {
        let mut stale = false;
        if !matches!(self.store.state(checkout), IndexState::Ready(_))
            && let Err(error) = self.store.build(checkout, progress)
        {
            // An old index that answers is worth more than none, as long as its answers say that it is old.
            stale = self.store.open(checkout).is_ok();
            if !stale {
                return Err(error.into());
            }
            tracing::warn!("could not index {} anew: {error}", checkout.name);
        }
        let index = Arc::new(self.store.open(checkout)?);
        let opened = Opened { index, stale, folder: checkout.folder.clone(), checked: Instant::now() };
        self.lock().insert(checkout.name.clone(), opened.clone());
        Ok(opened)
    }

    fn check_in_background(&self, checkout: Checkout) {
        // The time is set first, so that the calls of one burst start one check.
        if let Some(opened) = self.lock().get_mut(&checkout.name) {
            opened.checked = Instant::now();
        }
        let indexes = self.clone();
        std::thread::spawn(move || {
            if !indexes.notice_changes(&checkout) {
                return;
            }
            if let Err(error) = indexes.refresh(&checkout, &()) {
                tracing::warn!("could not index {} anew: {error}", checkout.name);
            }
        });
    }

    /// Whether the index is to be opened anew: files changed since it was built, which answers say from now on, or
    /// another process has built it since.
    fn notice_changes(&self, checkout: &Checkout) -> bool {
        let state = self.store.state(checkout);
        let mut open = self.lock();
        let Some(opened) = open.get_mut(&checkout.name) else { return true };
        opened.stale = !matches!(state, IndexState::Ready(_));
        !matches!(state, IndexState::Ready(report) if report == *opened.index.report())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<RepositoryName, Opened>> {
        // Each critical section is one map operation, so a panic elsewhere leaves the map whole.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
