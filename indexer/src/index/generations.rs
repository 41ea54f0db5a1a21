//! The folder of one repository's index: a lock, a manifest, and the generation that the manifest names.
//! Whoever holds the lock may remove every other generation: nobody else is building, and a reader that has one
//! open keeps its files until it closes them.

use std::path::{Path, PathBuf};

use fs_err::{File, OpenOptions};
use tempfile::TempDir;

use super::FORMAT_VERSION;
use super::manifest::{Found, Manifest, UNPUBLISHED_PREFIX};
use crate::BuildReport;
use crate::error::Cause;

const PREFIX: &str = "generation-";
const LOCK: &str = "lock";

/// The right to build; it ends when it is dropped, also by the death of the process.
pub(crate) struct BuildLock {
    _file: File,
    /// Whether another build held it first.
    pub(crate) waited: bool,
}

impl BuildLock {
    /// Waits until nobody else builds in `folder`, which is made first.
    pub(crate) fn acquire(folder: &Path) -> Result<Self, Cause> {
        fs_err::create_dir_all(folder)?;
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(folder.join(LOCK))?;
        let waited = match file.try_lock() {
            Ok(()) => false,
            Err(std::fs::TryLockError::WouldBlock) => {
                file.lock()?;
                true
            }
            Err(std::fs::TryLockError::Error(error)) => return Err(error.into()),
        };
        Ok(Self { _file: file, waited })
    }
}

/// Removes what killed builds left, unless somebody builds now or nothing may be written here.
pub(crate) fn remove_debris(folder: &Path) {
    let Ok(file) = OpenOptions::new().write(true).open(folder.join(LOCK)) else { return };
    if file.try_lock().is_ok() {
        remove_others(folder);
    }
}

/// Makes the folder of a new generation; it vanishes unless it is kept.
pub(crate) fn create(folder: &Path) -> Result<TempDir, Cause> {
    Ok(tempfile::Builder::new().prefix(PREFIX).tempdir_in(folder)?)
}

/// Makes a generation the valid one; on failure it vanishes and the old one stays.
pub(crate) fn publish(
    generation: TempDir,
    folder: &Path,
    fingerprint: &str,
    report: BuildReport,
) -> Result<BuildReport, Cause> {
    let name = generation.path().file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    let fingerprint = fingerprint.to_owned();
    let manifest = Manifest { format_version: FORMAT_VERSION, generation: name, fingerprint, report };
    manifest.publish(folder)?;
    let _ = generation.keep();
    Ok(manifest.report)
}

/// Removes all generations but the valid one, and what a killed build left. A failure leaves debris for the next build and harms nobody.
pub(crate) fn remove_others(folder: &Path) {
    let valid = match Manifest::read(folder) {
        Found::Manifest(manifest) => Some(manifest.generation),
        Found::Nothing | Found::OtherFormat(_) => None,
    };
    let Ok(entries) = fs_err::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        if name.starts_with(PREFIX) && Some(name) != valid.as_deref() {
            let _ = fs_err::remove_dir_all(entry.path());
        } else if name.starts_with(UNPUBLISHED_PREFIX) {
            let _ = fs_err::remove_file(entry.path());
        }
    }
}

/// The bytes of the files in a folder.
pub(crate) fn size(folder: &Path) -> Result<u64, Cause> {
    let mut bytes = 0;
    for entry in fs_err::read_dir(folder)? {
        bytes += entry?.metadata()?.len();
    }
    Ok(bytes)
}

/// The folder of a repository's index.
pub(crate) fn folder_of(indexes: &Path, repository: &repos::RepositoryName) -> PathBuf {
    indexes.join(repository.as_str())
}
