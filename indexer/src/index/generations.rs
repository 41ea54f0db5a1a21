//! The folder of one repository's index: a lock, a manifest, and the generation that the manifest names: records and
//! layers. Whoever holds the lock may remove everything else: nobody else is building, and a reader that has an older
//! generation open keeps its files until it closes them.

use std::io::Write;
use std::path::{Path, PathBuf};

use fs_err::{File, OpenOptions};
use tempfile::{NamedTempFile, TempDir};

use super::manifest::{Found, Manifest, UNPUBLISHED_PREFIX, sync_folder};
use super::records::Records;
use crate::error::Cause;

const LAYER_PREFIX: &str = "layer-";
const RECORDS_PREFIX: &str = "files-";
/// Everything that builds make, those of older formats included.
const PREFIXES: [&str; 4] = [LAYER_PREFIX, RECORDS_PREFIX, UNPUBLISHED_PREFIX, "generation-"];
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

/// Makes the folder of a new layer; it vanishes unless it is kept.
pub(crate) fn new_layer(folder: &Path) -> Result<TempDir, Cause> {
    Ok(tempfile::Builder::new().prefix(LAYER_PREFIX).tempdir_in(folder)?)
}

/// Writes records for good; they vanish unless they are kept.
pub(crate) fn write_records(folder: &Path, records: &Records) -> Result<NamedTempFile, Cause> {
    let mut file = tempfile::Builder::new().prefix(RECORDS_PREFIX).tempfile_in(folder)?;
    file.write_all(&records.to_bytes()?)?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// Makes a generation the valid one; on failure the old one stays.
pub(crate) fn publish(
    folder: &Path,
    manifest: &Manifest,
    records: NamedTempFile,
    layer: Option<TempDir>,
) -> Result<(), Cause> {
    sync_folder(folder)?;
    // Kept before the manifest names them: should its last step fail, it may stand there already.
    let _ = layer.map(TempDir::keep);
    records.keep().map_err(|error| error.error)?;
    manifest.publish(folder)
}

/// The name of an entry of the folder of an index.
pub(crate) fn name_of(path: &Path) -> String {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned()
}

/// Removes all but the valid generation, and what a killed build left. A failure leaves debris for the next build and
/// harms nobody.
pub(crate) fn remove_others(folder: &Path) {
    let valid = match Manifest::read(folder) {
        Found::Manifest(manifest) => Some(manifest),
        Found::Nothing | Found::OtherFormat(_) => None,
    };
    let Ok(entries) = fs_err::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = name_of(&entry.path());
        let is_ours = PREFIXES.iter().any(|prefix| name.starts_with(prefix));
        if !is_ours || valid.as_ref().is_some_and(|manifest| manifest.names(&name)) {
            continue;
        }
        let _ = if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            fs_err::remove_dir_all(entry.path())
        } else {
            fs_err::remove_file(entry.path())
        };
    }
}

/// The bytes of a generation on disk.
pub(crate) fn size(folder: &Path, manifest: &Manifest) -> Result<u64, Cause> {
    let mut bytes = fs_err::metadata(manifest.records_path(folder))?.len();
    for layer in manifest.layer_folders(folder) {
        for entry in fs_err::read_dir(layer)? {
            bytes += entry?.metadata()?.len();
        }
    }
    Ok(bytes)
}

/// The folder of a repository's index.
pub(crate) fn folder_of(indexes: &Path, repository: &repos::RepositoryName) -> PathBuf {
    indexes.join(repository.as_str())
}
