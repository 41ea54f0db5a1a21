//! The indexes of all repositories under one folder, one each, so that statistics stay those of the repository.

use std::path::{Path, PathBuf};
use std::time::Instant;

use repos::{Checkout, RepositoryName};

use super::build::{Written, build};
use super::generations::{self, BuildLock};
use super::manifest::{Found, Manifest, sync_folder};
use super::{FORMAT_VERSION, RepositoryIndex};
use crate::error::{Error, Result};
use crate::files::Listing;
use crate::{BuildProgress, BuildReport};

/// Builds and opens indexes.
#[derive(Clone, Debug)]
pub struct IndexStore {
    folder: PathBuf,
}

/// What stands on disk for a checkout.
#[derive(Clone, Debug, PartialEq)]
pub enum IndexState {
    /// Nothing.
    Missing,
    /// An index of another format, to be built anew.
    OldFormat,
    /// An index of the files as they are.
    Ready(BuildReport),
    /// An index of the files as they were: the commit or some file has changed since.
    Stale(BuildReport),
}

impl IndexStore {
    /// Keeps indexes in `folder`, which is made when it is needed.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Builds the index of a checkout and replaces the old one, which answers until then. While another build of
    /// it runs, in this process or another, this one waits and then takes over the result if it is current.
    ///
    /// Errors when the files cannot be listed or the index cannot be written; the old index stays.
    pub fn build(&self, checkout: &Checkout, progress: &dyn BuildProgress) -> Result<BuildReport> {
        let folder = self.folder_of(&checkout.name);
        let lock = BuildLock::acquire(&folder).map_err(|source| Error::Build {
            repository: checkout.name.clone(),
            folder: folder.clone(),
            source,
        })?;
        if lock.waited
            && let IndexState::Ready(report) = self.state(checkout)
        {
            return Ok(report);
        }
        generations::remove_others(&folder);
        let report = self.build_alone(checkout, &folder, progress)?;
        generations::remove_others(&folder);
        Ok(report)
    }

    /// Opens the index of a checkout as it is, stale or not.
    ///
    /// Errors when there is none, when its format is another, or when it cannot be read.
    pub fn open(&self, checkout: &Checkout) -> Result<RepositoryIndex> {
        let manifest = self.manifest(checkout)?;
        match self.open_generation(checkout, manifest.clone()) {
            Ok(index) => Ok(index),
            // A build may have replaced the generation between the two reads.
            Err(error) => match self.manifest(checkout) {
                Ok(newer) if newer.generation != manifest.generation => self.open_generation(checkout, newer),
                _ => Err(error),
            },
        }
    }

    /// Opens the index of a checkout, built first unless it is there and current.
    pub fn open_or_build(
        &self,
        checkout: &Checkout,
        progress: &dyn BuildProgress,
    ) -> Result<RepositoryIndex> {
        if matches!(self.state(checkout), IndexState::Ready(_))
            && let Ok(index) = self.open(checkout)
        {
            return Ok(index);
        }
        self.build(checkout, progress)?;
        self.open(checkout)
    }

    /// Removes what killed builds of a checkout left; a build that is under way is not disturbed.
    pub fn remove_debris(&self, checkout: &Checkout) {
        generations::remove_debris(&self.folder_of(&checkout.name));
    }

    /// What stands on disk, compared with the files as they are now; it lists them but reads none.
    pub fn state(&self, checkout: &Checkout) -> IndexState {
        let manifest = match Manifest::read(&self.folder_of(&checkout.name)) {
            Found::Nothing => return IndexState::Missing,
            Found::OtherFormat(_) => return IndexState::OldFormat,
            Found::Manifest(manifest) => manifest,
        };
        let same_files =
            Listing::of(&checkout.folder).is_ok_and(|now| now.fingerprint() == manifest.fingerprint);
        if same_files && manifest.report.commit == checkout.commit {
            IndexState::Ready(manifest.report)
        } else {
            IndexState::Stale(manifest.report)
        }
    }

    /// Builds under the lock: into a folder of its own, which the manifest names only when all is written.
    fn build_alone(
        &self,
        checkout: &Checkout,
        folder: &Path,
        progress: &dyn BuildProgress,
    ) -> Result<BuildReport> {
        let started = Instant::now();
        let listing = Listing::of(&checkout.folder)?;
        let root = checkout.root()?;
        let write = || {
            let generation = generations::create(folder)?;
            let written = build(&root, &listing, generation.path(), progress)?;
            let report = report(checkout, written, generations::size(generation.path())?, started);
            sync_folder(generation.path())?;
            generations::publish(generation, folder, &listing.fingerprint(), report)
        };
        write().map_err(|source| Error::Build {
            repository: checkout.name.clone(),
            folder: folder.to_owned(),
            source,
        })
    }

    fn manifest(&self, checkout: &Checkout) -> Result<Manifest> {
        let repository = checkout.name.clone();
        match Manifest::read(&self.folder_of(&checkout.name)) {
            Found::Nothing => Err(Error::NotBuilt { repository }),
            Found::OtherFormat(found) => {
                Err(Error::FormatChanged { repository, found, wanted: FORMAT_VERSION })
            }
            Found::Manifest(manifest) => Ok(*manifest),
        }
    }

    fn open_generation(&self, checkout: &Checkout, manifest: Manifest) -> Result<RepositoryIndex> {
        let folder = manifest.generation_folder(&self.folder_of(&checkout.name));
        RepositoryIndex::open(checkout, manifest.report, &folder)
    }

    fn folder_of(&self, repository: &RepositoryName) -> PathBuf {
        generations::folder_of(&self.folder, repository)
    }
}

fn report(checkout: &Checkout, written: Written, index_bytes: u64, started: Instant) -> BuildReport {
    BuildReport {
        repository: checkout.name.clone(),
        commit: checkout.commit.clone(),
        format_version: FORMAT_VERSION,
        files: written.files,
        chunks: written.chunks,
        symbols: written.symbols,
        bytes: written.bytes,
        seconds: started.elapsed().as_secs_f64(),
        index_bytes,
        skipped: written.skipped,
        notes: written.notes,
    }
}
