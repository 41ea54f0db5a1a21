//! Bringing repositories to this machine, several at once. One that fails does not stop the others.

use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::bring::Bring;
use crate::{Catalog, Checkout, Commit, Error, Origin, RepositoryName, Result};

/// How much work is done at once and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncOptions {
    /// How many repositories are fetched at once; at least one.
    pub parallel: usize,
    /// After how long one repository is given up, everything included.
    pub timeout: Duration,
}

impl Default for SyncOptions {
    /// Four at once, a quarter of an hour each.
    fn default() -> Self {
        Self { parallel: 4, timeout: Duration::from_secs(900) }
    }
}

/// Where the sync of one repository stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncStep {
    /// It was taken up.
    Started,
    /// The server is asked, or objects arrive.
    Fetching {
        /// How much has arrived, once the server has said how much there is.
        percent: Option<u8>,
    },
    /// Files are written.
    CheckingOut,
    /// It is complete and in place.
    Verified,
    /// Nothing had to be done.
    AlreadyThere,
    /// It was given up.
    Failed,
}

/// Hears how syncs go on, from several threads.
pub trait SyncProgress: Sync {
    /// The repository has reached this step.
    fn update(&self, name: &RepositoryName, step: SyncStep);
}

/// Hears nothing.
impl SyncProgress for () {
    fn update(&self, _name: &RepositoryName, _step: SyncStep) {}
}

/// A repository that is on this machine at its pinned commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Synced {
    /// The commit it is at.
    pub commit: Commit,
    /// Its files.
    pub checkout: Checkout,
    /// Whether it was fetched now, not there already.
    pub fetched: bool,
}

/// Brings the named repositories, in the order of `names` whichever is done first.
pub(crate) fn all(
    catalog: &Catalog,
    names: &[RepositoryName],
    options: &SyncOptions,
    progress: &dyn SyncProgress,
) -> Vec<(RepositoryName, Result<Synced>)> {
    let queue = Mutex::new(names.iter().enumerate());
    let done = Mutex::new(Vec::with_capacity(names.len()));
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    thread::scope(|scope| {
        for _ in 0..options.parallel.clamp(1, names.len().max(1)) {
            scope.spawn(|| {
                while let Some((position, name)) = next() {
                    let result = one(catalog, name, options, progress);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((
                        position,
                        name.clone(),
                        result,
                    ));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(position, _, _)| *position);
    done.into_iter().map(|(_, name, result)| (name, result)).collect()
}

fn one(
    catalog: &Catalog,
    name: &RepositoryName,
    options: &SyncOptions,
    progress: &dyn SyncProgress,
) -> Result<Synced> {
    progress.update(name, SyncStep::Started);
    let result = bring(catalog, name, options, progress);
    progress.update(
        name,
        match &result {
            Ok(Synced { fetched: true, .. }) => SyncStep::Verified,
            Ok(Synced { fetched: false, .. }) => SyncStep::AlreadyThere,
            Err(_) => SyncStep::Failed,
        },
    );
    result
}

fn bring(
    catalog: &Catalog,
    name: &RepositoryName,
    options: &SyncOptions,
    progress: &dyn SyncProgress,
) -> Result<Synced> {
    // Read anew: another process may have pinned, linked or removed it meanwhile.
    let entry = catalog.current(name)?;
    let found = catalog.checkout(&entry.name);
    match (found, &entry.commit) {
        (Ok(checkout), Some(commit)) if checkout.commit.as_ref() == Some(commit) => {
            return Ok(Synced { commit: commit.clone(), checkout, fetched: false });
        }
        (Ok(Checkout { origin: Origin::Linked, name, folder, .. }), _) if entry.url.is_some() => {
            return Err(Error::Linked { name, folder });
        }
        (Err(error @ Error::LinkIsGone { .. }), _) => return Err(error),
        _ => {}
    }
    Bring {
        data: catalog.data_folder(),
        git: catalog.git(),
        entry: &entry,
        limit: options.timeout,
        report: &|step| progress.update(&entry.name, step),
    }
    .run()
}
