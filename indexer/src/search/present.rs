//! The files of a repository as they stand on disk now, and what the trigram index knows of each. Listing costs
//! more than everything else of a selective search, so an index that stays open keeps a listing for a moment.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::Result;
use crate::error::Cause;
use crate::files::{ListedFile, Listing};
use crate::trigrams::{Plan, Selection, Standing, TrigramIndex};

// A search never shows what is gone, but may miss what was written so shortly before it.
const KEPT: Duration = Duration::from_secs(1);

/// A file on disk.
pub(crate) struct PresentFile {
    pub(crate) listed: ListedFile,
    pub(crate) standing: Standing,
}

/// The files of one repository.
pub(crate) struct PresentFiles {
    trigrams: Option<TrigramIndex>,
    known: Mutex<Option<(Instant, Arc<[PresentFile]>)>>,
}

impl PresentFiles {
    /// Reads the trigram index in the folder of a base layer, where there is one; files are listed by the first
    /// search.
    pub(crate) fn open(base: Option<&Path>) -> Result<Self, Cause> {
        Ok(Self { trigrams: base.map(TrigramIndex::open).transpose()?, known: Mutex::default() })
    }

    /// The files in a folder, in the order of their paths; what was written in the last second may be missing.
    pub(crate) fn list(&self, folder: &Path) -> Result<Arc<[PresentFile]>> {
        // Waiting is right: whoever comes second finds what the first one listed. A panic leaves the list whole.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((listed, files)) = &*known
            && listed.elapsed() < KEPT
        {
            return Ok(files.clone());
        }
        let started = Instant::now();
        let with_standing = |listed| {
            let standing = self.trigrams.as_ref().map_or(Standing::Unknown, |known| known.standing(&listed));
            PresentFile { listed, standing }
        };
        let files: Arc<[PresentFile]> = Listing::of(folder)?.files.into_iter().map(with_standing).collect();
        *known = Some((started, files.clone()));
        Ok(files)
    }

    /// The indexed texts that can match.
    pub(crate) fn select(&self, plan: &Plan) -> Selection {
        self.trigrams.as_ref().map_or(Selection::All, |trigrams| trigrams.select(plan))
    }
}
