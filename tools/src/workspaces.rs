//! Workspaces: private copies of checkouts in which commands run and files change.
//! A handle is unguessable and belongs to one repository. A copy goes when nobody used it for a while, when there are
//! too many, and when the server ends; never while a command runs in it.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use repos::{Checkout, RepositoryName};
use sandbox::{CopyLimits, Workspace};

use crate::{Error, Result};

// One agent rarely holds more than a few; beyond this the one unused for longest goes.
const MOST_WORKSPACES: usize = 16;
// Enough for an agent to learn why its handle is gone, and little enough to keep.
const MOST_REMEMBERED: usize = 256;
// A copy that another process is just making bears no mark of its owner yet.
const LEFTOVER_AGE: Duration = Duration::from_secs(60);

pub(crate) struct Workspaces {
    folder: PathBuf,
    idle: Duration,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    by_id: HashMap<String, Slot>,
    /// Handles that were good once.
    gone: VecDeque<String>,
}

struct Slot {
    repository: RepositoryName,
    workspace: Arc<Workspace>,
    used: Instant,
}

/// A workspace as it is listed.
pub(crate) struct HeldWorkspace {
    pub(crate) id: String,
    pub(crate) repository: RepositoryName,
    pub(crate) idle: Duration,
}

impl Workspaces {
    /// Copies go below `folder`; one that nobody used for `idle` goes.
    pub(crate) fn new(folder: PathBuf, idle: Duration) -> Self {
        Self { folder, idle, held: Mutex::default() }
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
        let mut held = self.lock();
        if held.gone.iter().any(|gone| gone == id) {
            return Err(Error::WorkspaceExpired { id: id.to_owned() });
        }
        let Some(slot) = held.by_id.get_mut(id) else {
            return Err(Error::NoSuchWorkspace { id: id.to_owned() });
        };
        if slot.repository != *repository {
            return Err(Error::WorkspaceOfAnother {
                id: id.to_owned(),
                repository: slot.repository.to_string(),
            });
        }
        slot.used = Instant::now();
        Ok(slot.workspace.clone())
    }

    /// Makes a private copy of a checkout.
    pub(crate) fn create(&self, checkout: &Checkout) -> Result<Arc<Workspace>> {
        let workspace = Arc::new(Workspace::copy_of(&checkout.folder, &self.folder, CopyLimits::default())?);
        let slot =
            Slot { repository: checkout.name.clone(), workspace: workspace.clone(), used: Instant::now() };
        self.lock().by_id.insert(workspace.id().to_owned(), slot);
        Ok(workspace)
    }

    /// Lets go of those that nobody used for too long, and of the longest unused beyond the most that are held.
    ///
    /// Dropping them deletes their files, which takes a while.
    #[must_use]
    pub(crate) fn expired(&self) -> Vec<Arc<Workspace>> {
        let mut held = self.lock();
        // A running command holds its workspace, too.
        let mut unused: Vec<(Instant, String)> = held
            .by_id
            .iter()
            .filter(|(_, slot)| Arc::strong_count(&slot.workspace) == 1)
            .map(|(id, slot)| (slot.used, id.clone()))
            .collect();
        unused.sort();
        let beyond = held.by_id.len().saturating_sub(MOST_WORKSPACES);
        let mut expired = Vec::new();
        for (number, (used, id)) in unused.into_iter().enumerate() {
            if number < beyond || used.elapsed() >= self.idle {
                expired.extend(held.by_id.remove(&id).map(|slot| slot.workspace));
                held.gone.push_back(id);
            }
        }
        while held.gone.len() > MOST_REMEMBERED {
            held.gone.pop_front();
        }
        expired
    }

    /// Those that are held, by repository and age.
    pub(crate) fn list(&self) -> Vec<HeldWorkspace> {
        let held = self.lock();
        let mut list: Vec<HeldWorkspace> = held
            .by_id
            .iter()
            .map(|(id, slot)| HeldWorkspace {
                id: id.clone(),
                repository: slot.repository.clone(),
                idle: slot.used.elapsed(),
            })
            .collect();
        list.sort_by(|one, other| one.repository.cmp(&other.repository).then(one.idle.cmp(&other.idle)));
        list
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        // Each critical section leaves the maps whole.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use repos::Origin;

    use super::*;

    fn place(idle: Duration) -> (tempfile::TempDir, Workspaces, Checkout) {
        let folder = tempfile::tempdir().unwrap();
        fs_err::create_dir(folder.path().join("source")).unwrap();
        fs_err::write(folder.path().join("source/a.py"), "x = 1\n").unwrap();
        let workspaces = Workspaces::new(folder.path().join("workspaces"), idle);
        let name: RepositoryName = "source".parse().unwrap();
        let checkout =
            Checkout { name, folder: folder.path().join("source"), commit: None, origin: Origin::Linked };
        (folder, workspaces, checkout)
    }

    #[test]
    fn what_nobody_uses_goes_and_its_handle_says_so() {
        let (_folder, workspaces, checkout) = place(Duration::ZERO);
        let running = workspaces.create(&checkout).unwrap();
        let idle = workspaces.create(&checkout).unwrap();
        let (id, files) = (idle.id().to_owned(), idle.folder().to_owned());
        drop(idle);
        drop(workspaces.expired());
        assert!(!files.exists() && running.folder().exists());
        assert!(matches!(workspaces.get(&id, &checkout.name), Err(Error::WorkspaceExpired { .. })));
        assert!(workspaces.get(running.id(), &checkout.name).is_ok());
    }

    #[test]
    fn the_longest_unused_goes_when_there_are_too_many() {
        let (_folder, workspaces, checkout) = place(Duration::from_secs(3_600));
        let ids: Vec<String> =
            (0..MOST_WORKSPACES + 2).map(|_| workspaces.create(&checkout).unwrap().id().to_owned()).collect();
        workspaces.get(&ids[0], &checkout.name).unwrap();
        assert_eq!(workspaces.expired().len(), 2);
        let held: Vec<String> = workspaces.list().into_iter().map(|one| one.id).collect();
        assert_eq!(held.len(), MOST_WORKSPACES);
        assert!(held.contains(&ids[0]) && !held.contains(&ids[1]) && !held.contains(&ids[2]));
    }

    #[test]
    fn a_handle_is_good_for_its_own_repository_only() {
        let (_folder, workspaces, checkout) = place(Duration::from_secs(3_600));
        let workspace = workspaces.create(&checkout).unwrap();
        let other = "other".parse().unwrap();
        assert!(matches!(workspaces.get(workspace.id(), &other), Err(Error::WorkspaceOfAnother { .. })));
        assert!(matches!(workspaces.get("no-such", &other), Err(Error::NoSuchWorkspace { .. })));
    }

    #[test]
    fn two_workspaces_never_see_each_other() {
        let (_folder, workspaces, checkout) = place(Duration::from_secs(3_600));
        let (one, other) = (workspaces.create(&checkout).unwrap(), workspaces.create(&checkout).unwrap());
        fs_err::write(one.folder().join("a.py"), "x = 2\n").unwrap();
        assert_eq!(fs_err::read_to_string(other.folder().join("a.py")).unwrap(), "x = 1\n");
        assert_eq!(fs_err::read_to_string(checkout.folder.join("a.py")).unwrap(), "x = 1\n");
    }
}
