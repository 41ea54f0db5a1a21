//! How indexes stand, for lists of all repositories. Comparing an index with its files walks the whole checkout, so
//! the answer that all is well is kept for as long as a search would trust it.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use repos::{Checkout, Commit};

use crate::Toolbox;

const TRUSTED: Duration = Duration::from_secs(5);

/// The state of one index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State {
    /// Files that are indexed.
    pub(crate) files: Option<u64>,
    /// `ready`, `stale` or `missing`.
    pub(crate) word: &'static str,
}

type Key = (PathBuf, Option<Commit>);

/// What was found to be ready a moment ago.
#[derive(Debug, Default)]
pub(crate) struct IndexStates(Mutex<HashMap<Key, (Instant, State)>>);

impl IndexStates {
    /// The states of all these, in their order.
    pub(crate) fn of_all(&self, toolbox: &Toolbox, checkouts: &[Checkout]) -> Vec<State> {
        checkouts.par_iter().map(|checkout| self.of(toolbox, checkout)).collect()
    }

    fn of(&self, toolbox: &Toolbox, checkout: &Checkout) -> State {
        let key = (checkout.folder.clone(), checkout.commit.clone());
        let known = self.lock().get(&key).copied();
        if let Some((since, state)) = known
            && since.elapsed() < TRUSTED
        {
            return state;
        }
        let (files, word) = toolbox.index_summary(checkout);
        let state = State { files, word };
        let mut states = self.lock();
        // Any other state ends with the next search, and must not outlive it here.
        if word == "ready" {
            states.insert(key, (Instant::now(), state));
        } else {
            states.remove(&key);
        }
        state
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Key, (Instant, State)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
