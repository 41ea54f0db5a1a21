//! The indexes of all repositories under one folder, one each, so that statistics stay those of the repository.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use repos::{Checkout, RepositoryName, Root};
use tempfile::TempDir;

use super::build::build;
use super::draft::Draft;
use super::generations::{self, BuildLock};
use super::manifest::{Found, Manifest, sync_folder};
use super::previous::Previous;
use super::update::update;
use super::{FORMAT_VERSION, RepositoryIndex};
use crate::error::{Cause, Error, Result};
use crate::files::Listing;
use crate::source::count_notes;
use crate::{BuildProgress, BuildReport, trigrams};

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

/// What a build starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    TheOldIndex,
    Nothing,
}

impl IndexStore {
    /// Keeps indexes in `folder`, which is made when it is needed.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Brings the index of a checkout up to date: only files that changed are read where there is an index of this
    /// format, and none where nothing changed. The old index answers until then. While another build of it runs, in
    /// this process or another, this one waits and then takes over the result if it is current.
    ///
    /// Errors when the files cannot be listed or the index cannot be written; the old index stays.
    pub fn build(&self, checkout: &Checkout, progress: &dyn BuildProgress) -> Result<BuildReport> {
        self.build_from(From::TheOldIndex, checkout, progress)
    }

    /// Builds the index of a checkout from all its files, whatever is there; else as [`build`](Self::build).
    pub fn rebuild(&self, checkout: &Checkout, progress: &dyn BuildProgress) -> Result<BuildReport> {
        self.build_from(From::Nothing, checkout, progress)
    }

    /// Opens the index of a checkout as it is, stale or not.
    ///
    /// Errors when there is none, when its format is another, or when it cannot be read.
    pub fn open(&self, checkout: &Checkout) -> Result<RepositoryIndex> {
        let mut manifest = self.manifest(checkout)?;
        loop {
            let records = manifest.records.clone();
            match self.open_generation(checkout, manifest) {
                Ok(index) => return Ok(index),
                // A build may have replaced the generation since the manifest was read.
                Err(error) => match self.manifest(checkout) {
                    Ok(newer) if newer.records != records => manifest = newer,
                    _ => return Err(error),
                },
            }
        }
    }

    /// Opens the index of a checkout, brought up to date first, and built anew when it is damaged.
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
        if let Ok(index) = self.open(checkout) {
            return Ok(index);
        }
        self.rebuild(checkout, progress)?;
        self.open(checkout)
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

    fn build_from(
        &self,
        from: From,
        checkout: &Checkout,
        progress: &dyn BuildProgress,
    ) -> Result<BuildReport> {
        let folder = self.folder_of(&checkout.name);
        let explain =
            |source| Error::Build { repository: checkout.name.clone(), folder: folder.clone(), source };
        let started = Instant::now();
        let lock = BuildLock::acquire(&folder);
        let listing = Listing::of(&checkout.folder)?;
        let previous = Previous::find(&folder);
        let current = previous.as_ref().filter(|previous| previous.is_of(&listing, checkout.commit.as_ref()));
        let lock = match (lock, current) {
            // A folder that cannot be written may hold a good index.
            (Err(_), Some(current)) if from == From::TheOldIndex => return Ok(unchanged(current, started)),
            (lock, _) => lock.map_err(explain)?,
        };
        generations::remove_others(&folder);
        match current {
            // Another build has just done it.
            Some(current) if lock.waited => return Ok(current.manifest.report.clone()),
            Some(current) if from == From::TheOldIndex => return Ok(unchanged(current, started)),
            _ => {}
        }
        listing.wait_for_clock();
        let root = checkout.root()?;
        let previous = previous.filter(|_| from == From::TheOldIndex);
        let work = Work { folder: &folder, checkout, listing: &listing, root: &root, started };
        let report = work.run(previous.as_ref(), progress).map_err(explain)?;
        generations::remove_others(&folder);
        Ok(report)
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
        RepositoryIndex::open(checkout, manifest, &self.folder_of(&checkout.name))
    }

    fn folder_of(&self, repository: &RepositoryName) -> PathBuf {
        generations::folder_of(&self.folder, repository)
    }
}

fn unchanged(current: &Previous, started: Instant) -> BuildReport {
    let seconds = started.elapsed().as_secs_f64();
    BuildReport { seconds, files_read: 0, files_changed: 0, ..current.manifest.report.clone() }
}

/// A build under the lock: what it writes is named by the manifest only when all is there.
struct Work<'a> {
    folder: &'a Path,
    checkout: &'a Checkout,
    listing: &'a Listing,
    root: &'a Root,
    started: Instant,
}

impl Work<'_> {
    fn run(&self, previous: Option<&Previous>, progress: &dyn BuildProgress) -> Result<BuildReport, Cause> {
        let files = (self.root, self.listing);
        // Whatever of the old index cannot be read is a reason to build anew, not to fail.
        let updated = previous.and_then(|previous| {
            let draft = update(files, &previous.stock().ok()?, progress).ok()??;
            Some((previous, draft))
        });
        match updated {
            Some((previous, draft)) => self.publish(&draft, &previous.manifest.layers),
            None => self.publish(&build(self.root, self.listing, progress)?, &[]),
        }
    }

    fn publish(&self, draft: &Draft, layers: &[String]) -> Result<BuildReport, Cause> {
        let mut kept: Vec<String> = draft.kept.iter().map(|layer| layers[*layer].clone()).collect();
        let layer = draft.layer.as_ref().map(|parts| {
            let folder = generations::new_layer(self.folder)?;
            parts.write(folder.path())?;
            sync_folder(folder.path())?;
            Ok::<TempDir, Cause>(folder)
        });
        let layer = layer.transpose()?;
        // What differs from the base is searched in any case.
        if let Some(base) = layer.as_ref().filter(|_| kept.is_empty()) {
            trigrams::write(self.root, self.listing, base.path())?;
        }
        kept.extend(layer.as_ref().map(|layer| generations::name_of(layer.path())));
        let records = generations::write_records(self.folder, &draft.records)?;
        let mut manifest = Manifest {
            format_version: FORMAT_VERSION,
            records: generations::name_of(records.path()),
            layers: kept,
            fingerprint: self.listing.fingerprint(),
            report: self.report(draft),
        };
        manifest.report.index_bytes = generations::size(self.folder, &manifest)?;
        let base = manifest.layer_folders(self.folder).into_iter().next();
        manifest.report.trigram_bytes = base.map_or(Ok(0), |base| trigrams::size(&base))?;
        manifest.report.seconds = self.started.elapsed().as_secs_f64();
        generations::publish(self.folder, &manifest, records, layer)?;
        Ok(manifest.report)
    }

    fn report(&self, draft: &Draft) -> BuildReport {
        let files = &draft.records.files;
        let sum = |of: fn(&super::FileRecord) -> u64| files.iter().map(of).sum();
        let mut skipped = draft.records.skipped_by_reason();
        for (reason, count) in &self.listing.skipped {
            *skipped.entry(reason.name().to_owned()).or_default() += count;
        }
        let mut notes = BTreeMap::new();
        for file in files {
            count_notes(&mut notes, &file.notes);
        }
        BuildReport {
            repository: self.checkout.name.clone(),
            commit: self.checkout.commit.clone(),
            format_version: FORMAT_VERSION,
            files: files.len() as u64,
            chunks: sum(|file| u64::from(file.content.chunks)),
            symbols: sum(|file| u64::from(file.content.symbols)),
            bytes: sum(|file| file.text_bytes),
            files_read: draft.files_read,
            files_changed: draft.files_changed,
            seconds: 0.0,
            index_bytes: 0,
            trigram_bytes: 0,
            skipped,
            notes,
        }
    }
}
