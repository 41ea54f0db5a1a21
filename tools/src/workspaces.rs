//! Workspaces: private copies of checkouts in which commands run and files change.
//! A handle is unguessable and belongs to one repository; the copies go when the server ends.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use repos::{Checkout, RepositoryName};
use sandbox::{CopyLimits, Workspace};

use crate::{Error, Result};

// One agent rarely holds more than a few; beyond this the one unused for longest goes.
const MOST_WORKSPACES: usize = 16;

// A copy that another process is just making bears no mark of its owner yet.
const LEFTOVER_AGE: Duration = Duration::from_secs(60);

pub(crate) struct Workspaces {
    folder: PathBuf,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    uses: u64,
    by_id: HashMap<String, Slot>,
}

struct Slot {
    repository: RepositoryName,
    workspace: Arc<Workspace>,
    last_use: u64,
}

impl Workspaces {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, held: Mutex::default() }
    }

    /// Removes the copies of processes that were killed before they could.
    pub(crate) fn remove_leftovers(&self) {
        match Workspace::prune(&self.folder, LEFTOVER_AGE) {
            Ok(names) => names
                .iter()
                .for_each(|name| tracing::info!("removed the workspace {name} of a process that is gone")),
            Err(error) => tracing::warn!("could not remove leftover workspaces: {error}"),
        }
    }

    /// The workspace of that handle, if it is one of `repository`.
    pub(crate) fn get(&self, id: &str, repository: &RepositoryName) -> Result<Arc<Workspace>> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.uses += 1;
        let now = held.uses;
        held.by_id
            .get_mut(id)
            .filter(|slot| slot.repository == *repository)
            .map(|slot| {
                slot.last_use = now;
                slot.workspace.clone()
            })
            .ok_or_else(|| Error::NoSuchWorkspace { id: id.to_owned() })
    }

    /// Makes a private copy of a checkout.
    pub(crate) fn create(&self, checkout: &Checkout) -> Result<Arc<Workspace>> {
        let workspace = Arc::new(Workspace::copy_of(&checkout.folder, &self.folder, CopyLimits::default())?);
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.uses += 1;
        let slot =
            Slot { repository: checkout.name.clone(), workspace: workspace.clone(), last_use: held.uses };
        held.by_id.insert(workspace.id().to_owned(), slot);
        let oldest = (held.by_id.len() > MOST_WORKSPACES)
            .then(|| held.by_id.iter().min_by_key(|(_, slot)| slot.last_use).map(|(id, _)| id.clone()));
        // Removing a slot deletes files, which must not happen under the lock.
        let evicted = oldest.flatten().and_then(|id| held.by_id.remove(&id));
        drop(held);
        drop(evicted);
        Ok(workspace)
    }
}
