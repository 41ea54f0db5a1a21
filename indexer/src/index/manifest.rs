//! The one file that says which generation of an index is valid. It is replaced by a rename, so a reader sees
//! the old or the new generation and never a half-written one.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::BuildReport;
use crate::error::Cause;

const FILE_NAME: &str = "manifest.json";
/// How a manifest is called until it is published; one that stays so is debris.
pub(crate) const UNPUBLISHED_PREFIX: &str = "unpublished-";

/// The valid generation and what it was built from.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) format_version: u32,
    /// The file of the records, beside the manifest; no two generations share it.
    pub(crate) records: String,
    /// The folders of the layers, beside the manifest: the base, then the deltas, oldest first.
    pub(crate) layers: Vec<String>,
    /// Of the files that were indexed.
    pub(crate) fingerprint: String,
    pub(crate) report: BuildReport,
}

/// What stands in a manifest's place.
pub(crate) enum Found {
    /// Nothing, or nothing that can be read.
    Nothing,
    /// A manifest of another format.
    OtherFormat(u32),
    /// A manifest of this format.
    Manifest(Box<Manifest>),
}

/// The part that every format shares.
#[derive(Deserialize)]
struct Header {
    format_version: u32,
}

impl Manifest {
    /// Reads the manifest in `folder`.
    pub(crate) fn read(folder: &Path) -> Found {
        let Ok(bytes) = fs_err::read(folder.join(FILE_NAME)) else { return Found::Nothing };
        let Ok(header) = serde_json::from_slice::<Header>(&bytes) else { return Found::Nothing };
        if header.format_version != super::FORMAT_VERSION {
            return Found::OtherFormat(header.format_version);
        }
        serde_json::from_slice(&bytes).map_or(Found::Nothing, |manifest| Found::Manifest(Box::new(manifest)))
    }

    /// Makes this the manifest of `folder`, at once and for good.
    pub(crate) fn publish(&self, folder: &Path) -> Result<(), Cause> {
        let mut file = tempfile::Builder::new().prefix(UNPUBLISHED_PREFIX).tempfile_in(folder)?;
        file.write_all(&serde_json::to_vec_pretty(self)?)?;
        file.as_file().sync_all()?;
        file.persist(folder.join(FILE_NAME)).map_err(|error| error.error)?;
        sync_folder(folder)
    }

    /// Whether the generation needs the entry of that name.
    pub(crate) fn names(&self, entry: &str) -> bool {
        self.records == entry || self.layers.iter().any(|layer| layer == entry)
    }

    /// The file of the records.
    pub(crate) fn records_path(&self, folder: &Path) -> PathBuf {
        folder.join(&self.records)
    }

    /// The folders of the layers.
    pub(crate) fn layer_folders(&self, folder: &Path) -> Vec<PathBuf> {
        self.layers.iter().map(|layer| folder.join(layer)).collect()
    }
}

/// Makes the names in a folder outlive a crash.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), Cause> {
    Ok(fs_err::File::open(folder)?.sync_all()?)
}
