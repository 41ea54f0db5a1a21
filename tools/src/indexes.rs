//! The indexes that are open, kept so that a search costs no opening.
//! An index is built on the first search of its repository; whether files changed since is checked every few seconds
//! of use. A few changed files are indexed before the answer; where that takes longer, the old index answers meanwhile.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indexer::{BuildProgress, IndexState, IndexStore, RepositoryIndex};
use repos::{Checkout, RepositoryName};

use crate::Result;

// Agents search in bursts: a change is noticed within one thought of theirs, and a burst pays for one check.
const CHECK_EVERY: Duration = Duration::from_secs(5);

// An update of a few files takes less, and whoever asks after a change wants to see it.
const PATIENCE: Duration = Duration::from_millis(100);

#[derive(Clone)]
pub(crate) struct Indexes {
    store: Arc<IndexStore>,
    open: Arc<Mutex<HashMap<RepositoryName, Opened>>>,
    check_every: Duration,
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
        Self { store: Arc::new(store), open: Arc::default(), check_every: CHECK_EVERY }
    }

    /// The index of a checkout, built first where there is none.
    pub(crate) fn get(&self, checkout: &Checkout, progress: &dyn BuildProgress) -> Result<Opened> {
        if self.known(checkout).is_some_and(|opened| opened.checked.elapsed() > self.check_every) {
            let checked = self.check_in_background(checkout.clone());
            let _ = checked.recv_timeout(PATIENCE);
        }
        if let Some(mut opened) = self.known(checkout) {
            // Another commit than the one that was indexed is known at once, other changes by the next check.
            opened.stale |= opened.index.commit() != checkout.commit.as_ref();
            return Ok(opened);
        }
        self.refresh(checkout, progress)
    }

    fn known(&self, checkout: &Checkout) -> Option<Opened> {
        self.lock().get(&checkout.name).filter(|opened| opened.folder == checkout.folder).cloned()
    }

    pub(crate) fn summary(&self, checkout: &Checkout) -> (Option<u64>, &'static str) {
        match self.store.state(checkout) {
            IndexState::Ready(report) => (Some(report.files), "ready"),
            IndexState::Stale(report) => (Some(report.files), "stale"),
            IndexState::OldFormat | IndexState::Missing => (None, "missing"),
        }
    }

    fn refresh(&self, checkout: &Checkout, progress: &dyn BuildProgress) -> Result<Opened> {
        let (index, stale) = match self.store.open_or_build(checkout, progress) {
            Ok(index) => (index, false),
            // An old index that answers is worth more than none, as long as its answers say that it is old.
            Err(error) => {
                let Ok(old) = self.store.open(checkout) else { return Err(error.into()) };
                tracing::warn!("could not index {} anew: {error}", checkout.name);
                (old, true)
            }
        };
        let index = Arc::new(index);
        let opened = Opened { index, stale, folder: checkout.folder.clone(), checked: Instant::now() };
        self.lock().insert(checkout.name.clone(), opened.clone());
        Ok(opened)
    }

    /// Starts a check, and an update where files changed; the receiver hears when both are over.
    fn check_in_background(&self, checkout: Checkout) -> Receiver<()> {
        // The time is set first, so that the calls of one burst start one check.
        if let Some(opened) = self.lock().get_mut(&checkout.name) {
            opened.checked = Instant::now();
        }
        let indexes = self.clone();
        let (done, checked) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            if indexes.notice_changes(&checkout)
                && let Err(error) = indexes.refresh(&checkout, &())
            {
                tracing::warn!("could not index {} anew: {error}", checkout.name);
            }
            let _ = done.send(());
        });
        checked
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

#[cfg(test)]
mod tests {
    use indexer::{Mode, Query};
    use repos::Origin;

    use super::*;

    fn hits(opened: &Opened, text: &str) -> usize {
        let query = Query { text: text.to_owned(), mode: Mode::Symbol, limit: 10, ..Query::default() };
        opened.index.search(&query).unwrap().len()
    }

    fn place() -> (tempfile::TempDir, Checkout) {
        let folder = tempfile::tempdir().unwrap();
        let repository = folder.path().join("r");
        fs_err::create_dir(&repository).unwrap();
        fs_err::write(repository.join("a.py"), "def before(): pass\n").unwrap();
        let name = "r".parse().unwrap();
        (folder, Checkout { name, folder: repository, commit: None, origin: Origin::Linked })
    }

    #[test]
    fn a_changed_file_is_stale_until_it_is_indexed_anew() {
        let (folder, checkout) = place();
        let indexes = Indexes::new(IndexStore::new(folder.path().join("indexes")));
        let opened = indexes.get(&checkout, &()).unwrap();
        assert!(!opened.stale && !indexes.notice_changes(&checkout));

        fs_err::write(checkout.folder.join("a.py"), "def afterwards(): pass\n").unwrap();
        assert!(indexes.notice_changes(&checkout));
        let opened = indexes.get(&checkout, &()).unwrap();
        assert!(opened.stale, "answers say so while the old index answers");
        assert_eq!((hits(&opened, "before"), hits(&opened, "afterwards")), (1, 0));

        indexes.refresh(&checkout, &()).unwrap();
        let opened = indexes.get(&checkout, &()).unwrap();
        assert!(!opened.stale);
        assert_eq!((hits(&opened, "before"), hits(&opened, "afterwards")), (0, 1));
    }

    #[test]
    fn use_after_a_while_starts_the_check_by_itself() {
        let (folder, checkout) = place();
        let indexes = Indexes {
            check_every: Duration::ZERO,
            ..Indexes::new(IndexStore::new(folder.path().join("indexes")))
        };
        indexes.get(&checkout, &()).unwrap();
        fs_err::write(checkout.folder.join("a.py"), "def afterwards(): pass\n").unwrap();
        let started = Instant::now();
        while hits(&indexes.get(&checkout, &()).unwrap(), "afterwards") == 0 {
            assert!(started.elapsed() < Duration::from_secs(30), "the change was never noticed");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
