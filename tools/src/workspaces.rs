//! Workspaces: private copies of checkouts in which commands run and files change.
//! A handle is unguessable and belongs to one repository. Copies are bounded in number, size and idle time, and a
//! handle that no longer works is answered with what became of it.

mod lease;

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, Once, OnceLock, PoisonError, Weak};
use std::time::Duration;

use repos::{Checkout, RepositoryName};
use sandbox::{CopyLimits, Workspace};
use schemars::JsonSchema;
use serde::Serialize;

use self::lease::Kept;
use crate::{Error, Result};

pub(crate) use lease::Lease;

// A copy that another process is just making bears no mark of its owner yet.
const LEFTOVER_AGE: Duration = Duration::from_secs(60);
// Handles whose end is remembered, so that an agent that comes back late learns what happened.
const REMEMBERED: usize = 1_000;

/// How workspaces are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceSettings {
    /// How long one may stay unused before it is removed.
    pub idle: Duration,
    /// How many there are at most; beyond this the one unused for longest goes.
    pub most: usize,
    /// Bytes on disk of each, its copy of the repository included.
    pub bytes: u64,
}

impl Default for WorkspaceSettings {
    fn default() -> Self {
        // One agent rarely holds more than a few, and rarely comes back after an hour.
        Self { idle: Duration::from_secs(3_600), most: 16, bytes: 6 << 30 }
    }
}

/// One workspace, as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WorkspaceSummary {
    /// Handle.
    pub workspace: String,
    /// Repository.
    pub repo: String,
    /// Since its last use.
    pub idle_seconds: u64,
    /// Changed files.
    pub changed_files: usize,
}

type Forget = Box<dyn Fn(PathBuf) + Send + Sync>;

pub(crate) struct Workspaces {
    folder: PathBuf,
    settings: WorkspaceSettings,
    shared: Arc<Shared>,
    leftovers: Once,
    sweeper: Once,
}

#[derive(Default)]
struct Shared {
    held: Mutex<Held>,
    /// Told of the folder of each workspace that goes, to remove the containers that stand ready for it.
    forget: OnceLock<Forget>,
}

#[derive(Default)]
struct Held {
    by_id: HashMap<String, Arc<Kept>>,
    /// Oldest first.
    gone: VecDeque<(String, RepositoryName, Farewell)>,
}

/// Why a workspace is gone.
#[derive(Clone, Copy, Debug)]
enum Farewell {
    Unused(Duration),
    MadeRoom(usize),
}

impl Workspaces {
    pub(crate) fn new(folder: PathBuf, settings: WorkspaceSettings) -> Self {
        Self { folder, settings, shared: Arc::default(), leftovers: Once::new(), sweeper: Once::new() }
    }

    /// Calls `forget` with the folder of each workspace that goes from now on.
    pub(crate) fn when_removed(&self, forget: impl Fn(PathBuf) + Send + Sync + 'static) {
        // A second engine is never connected, so the first call is the only one.
        let _ = self.shared.forget.set(Box::new(forget));
    }

    /// Removes the copies of processes that were killed before they could, once.
    pub(crate) fn remove_leftovers(&self) {
        self.leftovers.call_once(|| match Workspace::prune(&self.folder, LEFTOVER_AGE) {
            Ok(names) => names
                .iter()
                .for_each(|name| tracing::info!("removed the workspace {name} of a process that is gone")),
            Err(error) => tracing::warn!("could not remove leftover workspaces: {error}"),
        });
    }

    /// The workspace of that handle, if it is one of `repository`.
    pub(crate) fn get(&self, id: &str, repository: &RepositoryName) -> Result<Lease> {
        self.shared.sweep(self.settings.idle);
        let held = self.shared.lock();
        match held.by_id.get(id) {
            Some(kept) if kept.repository == *repository => Ok(Lease::of(kept)),
            Some(kept) => Err(Error::WorkspaceOfAnother {
                id: id.to_owned(),
                owner: kept.repository.to_string(),
                repository: repository.to_string(),
            }),
            None => Err(held.explain(id)),
        }
    }

    /// Makes a private copy of a checkout.
    pub(crate) fn create(&self, checkout: &Checkout) -> Result<Lease> {
        self.remove_leftovers();
        self.shared.sweep(self.settings.idle);
        self.sweep_in_background();
        let full = || Error::WorkspacesInUse { most: self.settings.most };
        if !self.shared.lock().has_room(self.settings.most) {
            return Err(full());
        }
        let defaults = CopyLimits::default();
        let limits = CopyLimits { bytes: defaults.bytes.min(self.settings.bytes), ..defaults };
        let workspace = Workspace::copy_of(&checkout.folder, &self.folder, limits)?;
        let kept = Arc::new(Kept::new(checkout.name.clone(), workspace));
        let lease = Lease::of(&kept);
        let mut held = self.shared.lock();
        // Others may have copied meanwhile.
        if !held.has_room(self.settings.most) {
            return Err(full());
        }
        let evicted = held.make_room(self.settings.most);
        held.by_id.insert(kept.id().to_owned(), kept);
        drop(held);
        self.shared.release(evicted);
        Ok(lease)
    }

    /// Removes a workspace whose first use failed, so that its handle was never told to anybody.
    pub(crate) fn discard(&self, lease: Lease) {
        let kept = self.shared.lock().by_id.remove(lease.id());
        drop(lease);
        self.shared.release(kept.into_iter().collect());
    }

    /// Every workspace, by repository and handle.
    pub(crate) fn summaries(&self) -> Vec<WorkspaceSummary> {
        self.shared.sweep(self.settings.idle);
        // Counting reads folders, which must not happen under the lock.
        let kept: Vec<Arc<Kept>> = self.shared.lock().by_id.values().cloned().collect();
        let mut summaries: Vec<_> = kept.iter().map(summary).collect();
        summaries.sort_by(|one, other| (&one.repo, &one.workspace).cmp(&(&other.repo, &other.workspace)));
        summaries
    }

    /// Starts the thread that removes what is unused; it ends with this value.
    fn sweep_in_background(&self) {
        self.sweeper.call_once(|| {
            let (shared, idle) = (Arc::downgrade(&self.shared), self.settings.idle);
            let pause = (idle / 4).clamp(Duration::from_millis(20), Duration::from_secs(30));
            std::thread::spawn(move || {
                loop {
                    std::thread::sleep(pause);
                    let Some(shared) = Weak::upgrade(&shared) else { return };
                    shared.sweep(idle);
                }
            });
        });
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Held> {
        // Each critical section leaves the maps whole, so a panic elsewhere does no harm.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes what has been unused for `idle`.
    fn sweep(&self, idle: Duration) {
        let mut held = self.lock();
        let unused: Vec<String> = held
            .by_id
            .iter()
            .filter(|(_, kept)| is_unused(kept) && kept.idle() >= idle)
            .map(|(id, _)| id.clone())
            .collect();
        let expired = unused.iter().filter_map(|id| held.dismiss(id, Farewell::Unused(idle))).collect();
        drop(held);
        self.release(expired);
    }

    /// Deletes files, so it must not be called under the lock.
    fn release(&self, gone: Vec<Arc<Kept>>) {
        for kept in gone {
            let folder = kept.folder().to_owned();
            drop(kept);
            if let Some(forget) = self.forget.get() {
                forget(folder);
            }
        }
    }
}

impl Held {
    fn has_room(&self, most: usize) -> bool {
        self.by_id.len() < most || self.by_id.values().any(is_unused)
    }

    /// Takes the longest unused ones out until one more fits.
    fn make_room(&mut self, most: usize) -> Vec<Arc<Kept>> {
        let mut evicted = Vec::new();
        while self.by_id.len() >= most {
            let unused = self.by_id.iter().filter(|(_, kept)| is_unused(kept));
            let Some(id) = unused.max_by_key(|(_, kept)| kept.idle()).map(|(id, _)| id.clone()) else {
                break;
            };
            evicted.extend(self.dismiss(&id, Farewell::MadeRoom(most)));
        }
        evicted
    }

    fn dismiss(&mut self, id: &str, farewell: Farewell) -> Option<Arc<Kept>> {
        let kept = self.by_id.remove(id)?;
        self.gone.push_back((id.to_owned(), kept.repository.clone(), farewell));
        if self.gone.len() > REMEMBERED {
            self.gone.pop_front();
        }
        Some(kept)
    }

    /// What became of a handle that leads nowhere.
    fn explain(&self, id: &str) -> Error {
        let Some((id, repository, farewell)) = self.gone.iter().rev().find(|(gone, ..)| gone == id) else {
            // A handle has 36 characters; what is longer is none and need not be repeated whole.
            return Error::NoSuchWorkspace { id: id.chars().take(40).collect() };
        };
        let (id, repository) = (id.clone(), repository.to_string());
        match *farewell {
            Farewell::Unused(idle) => Error::WorkspaceExpired { id, repository, idle },
            Farewell::MadeRoom(most) => Error::WorkspaceMadeRoom { id, repository, most },
        }
    }
}

/// Whether no lease of it is alive. Leases are made under the lock, so under the lock the answer stays true.
fn is_unused(kept: &Arc<Kept>) -> bool {
    Arc::strong_count(kept) == 1
}

fn summary(kept: &Arc<Kept>) -> WorkspaceSummary {
    // The list and this function hold one each; a lease is one more.
    let in_use = Arc::strong_count(kept) > 2;
    WorkspaceSummary {
        workspace: kept.id().to_owned(),
        repo: kept.repository.to_string(),
        idle_seconds: if in_use { 0 } else { kept.idle().as_secs() },
        changed_files: kept.changed_files(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Place {
        folder: tempfile::TempDir,
        workspaces: Workspaces,
    }

    impl Place {
        fn with(idle: Duration, most: usize) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let settings = WorkspaceSettings { idle, most, bytes: 4 << 20 };
            let workspaces = Workspaces::new(folder.path().join("workspaces"), settings);
            Self { folder, workspaces }
        }

        fn checkout(&self, name: &str) -> Checkout {
            let folder = self.folder.path().join(name);
            fs_err::create_dir_all(&folder).unwrap();
            fs_err::write(folder.join("a.py"), "a = 1\n").unwrap();
            let mut catalog = repos::Catalog::open(&self.folder.path().join("data")).unwrap();
            if catalog.resolve(name).is_err() {
                catalog.add(folder.to_str().unwrap(), None).unwrap();
            }
            catalog.checkout(&name.parse().unwrap()).unwrap()
        }

        fn make(&self, name: &str) -> Lease {
            self.workspaces.create(&self.checkout(name)).unwrap()
        }

        fn get(&self, id: &str, name: &str) -> Result<Lease> {
            self.workspaces.get(id, &name.parse().unwrap())
        }
    }

    const LONG: Duration = Duration::from_secs(3_600);
    const SHORT: Duration = Duration::from_millis(40);

    fn wait_until(holds: impl Fn() -> bool) {
        let start = std::time::Instant::now();
        while !holds() {
            assert!(start.elapsed() < Duration::from_secs(30), "it did not come about");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn a_handle_of_another_repository_says_whose_it_is() {
        let place = Place::with(LONG, 4);
        let id = place.make("one").id().to_owned();
        place.checkout("two");
        let error = place.get(&id, "two").unwrap_err();
        assert!(matches!(&error, Error::WorkspaceOfAnother { owner, .. } if owner == "one"), "{error}");
        assert!(matches!(place.get("nonsense", "one"), Err(Error::NoSuchWorkspace { .. })));
        assert_eq!(place.get(&id, "one").unwrap().id(), id);
    }

    #[test]
    fn an_unused_workspace_expires_in_the_background_and_one_in_use_never() {
        let place = Place::with(SHORT, 4);
        let (used, unused) = (place.make("one"), place.make("one"));
        let (id, folder) = (unused.id().to_owned(), unused.folder().to_owned());
        drop(unused);
        wait_until(|| !folder.exists());
        let error = place.get(&id, "one").unwrap_err();
        assert!(matches!(error, Error::WorkspaceExpired { .. }), "{error}");
        assert!(used.folder().exists());
        assert_eq!(place.get(used.id(), "one").unwrap().id(), used.id());
    }

    #[test]
    fn the_longest_unused_makes_room_and_those_in_use_stay() {
        let place = Place::with(LONG, 2);
        let first = place.make("one");
        let second = place.make("one").id().to_owned();
        let third = place.make("one");
        let error = place.get(&second, "one").unwrap_err();
        assert!(matches!(error, Error::WorkspaceMadeRoom { most: 2, .. }), "{error}");
        let full = place.workspaces.create(&place.checkout("one")).unwrap_err();
        assert!(matches!(full, Error::WorkspacesInUse { most: 2 }), "{full}");
        assert!(first.folder().exists() && third.folder().exists());
    }

    #[test]
    fn two_workspaces_do_not_see_each_other() {
        let place = Place::with(LONG, 4);
        let (one, other) = (place.make("one"), place.make("one"));
        fs_err::write(one.folder().join("new"), "").unwrap();
        one.wrote(0);
        assert!(!other.folder().join("new").exists());
        let counts: Vec<_> = place
            .workspaces
            .summaries()
            .into_iter()
            .map(|found| (found.workspace == one.id(), found.changed_files))
            .collect();
        assert!(counts.contains(&(true, 1)) && counts.contains(&(false, 0)), "{counts:?}");
    }

    #[test]
    fn what_goes_is_told_to_whoever_keeps_containers_for_it() {
        let place = Place::with(LONG, 1);
        let told: Arc<Mutex<Vec<PathBuf>>> = Arc::default();
        let hears = told.clone();
        place.workspaces.when_removed(move |folder| hears.lock().unwrap().push(folder));
        let folder = place.make("one").folder().to_owned();
        place.make("one");
        assert_eq!(*told.lock().unwrap(), [folder]);
    }

    #[test]
    fn a_full_workspace_names_its_limit_and_use() {
        let place = Place::with(LONG, 4);
        let lease = place.make("one");
        assert!(lease.room(1 << 20, 4 << 20).is_ok());
        fs_err::write(lease.folder().join("big"), vec![1; 3 << 20]).unwrap();
        lease.wrote(3 << 20);
        let error = lease.room(1 << 20, 4 << 20).unwrap_err();
        assert!(matches!(error, Error::WorkspaceFull { occupied, .. } if occupied > 3 << 20), "{error}");
        fs_err::remove_file(lease.folder().join("big")).unwrap();
        assert!(lease.room(1 << 20, 4 << 20).is_ok(), "room that was made counts");
    }
}
