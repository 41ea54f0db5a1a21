//! The generation that an update starts from.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use repos::Commit;

use super::inventory::{Inventory, Stored, StoredContent, Summary};
use super::manifest::{Found, Manifest};
use super::records::{FileRecord, Records};
use crate::admission::SkipReason;
use crate::error::Cause;
use crate::files::{ListedFile, Listing};

/// A generation on disk.
pub(crate) struct Previous {
    folder: PathBuf,
    pub(crate) manifest: Manifest,
}

/// All that is stored about the files of a generation.
pub(crate) struct Stock {
    pub(crate) records: Records,
    pub(crate) layers: Vec<Inventory>,
}

impl Previous {
    /// The generation in the folder of an index, where all of it is there.
    pub(crate) fn find(folder: &Path) -> Option<Self> {
        let Found::Manifest(manifest) = Manifest::read(folder) else { return None };
        let is_whole = manifest.records_path(folder).is_file()
            && manifest.layer_folders(folder).iter().all(|layer| layer.is_dir());
        is_whole.then(|| Self { folder: folder.to_owned(), manifest: *manifest })
    }

    /// Whether it was made of these files.
    pub(crate) fn is_of(&self, listing: &Listing, commit: Option<&Commit>) -> bool {
        self.manifest.report.commit.as_ref() == commit && self.manifest.fingerprint == listing.fingerprint()
    }

    /// Reads what an update needs.
    pub(crate) fn stock(&self) -> Result<Stock, Cause> {
        let records = Records::read(&self.manifest.records_path(&self.folder))?;
        let layers = self.manifest.layer_folders(&self.folder);
        let layers = layers.iter().map(|layer| Inventory::open(layer)).collect::<Result<_, _>>()?;
        Ok(Stock { records, layers })
    }
}

impl Stock {
    /// The indexed files, by path.
    pub(crate) fn files_by_path(&self) -> HashMap<&str, &FileRecord> {
        self.records.files.iter().map(|file| (file.path.as_str(), file)).collect()
    }

    /// The files that are left out, by path.
    pub(crate) fn skipped_by_path(&self) -> HashMap<&str, (&ListedFile, SkipReason)> {
        self.records.skipped.iter().map(|(file, reason)| (file.path.as_str(), (file, *reason))).collect()
    }

    /// What was found in a file that a layer holds.
    pub(crate) fn content(&self, at: Stored) -> Option<&StoredContent> {
        self.layers[at.layer].files[at.file].content.as_ref()
    }

    /// The summaries of the files of each layer.
    pub(crate) fn summaries(&self) -> Result<Vec<Vec<Summary>>, Cause> {
        self.layers.iter().map(Inventory::summaries).collect()
    }
}
