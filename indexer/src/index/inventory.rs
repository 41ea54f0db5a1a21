//! What a layer holds, file by file. A search never reads it; an update does, to find what need not be read again: a
//! file with known content, in this layer or an older one, is taken from there whatever happened in between.

use std::collections::HashMap;
use std::path::Path;

use repos::RepositoryPath;
use serde::{Deserialize, Serialize};

use super::pack::{Pack, Parts};
use super::records::{Content, language_name};
use crate::Language;
use crate::error::Cause;
use crate::mentions::Mention;
use crate::source::Note;

const FILES: &str = "files";
const SUMMARIES: &str = "summaries";

/// A file of a layer; its own document is there, its content may lie in an older layer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoredFile {
    pub(crate) path: RepositoryPath,
    pub(crate) hash: u64,
    /// The document of the file itself.
    pub(crate) document: u32,
    /// A hash of what others say of the file.
    pub(crate) said: u64,
    pub(crate) content: Option<StoredContent>,
}

/// What was found in the text of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoredContent {
    #[serde(with = "language_name")]
    pub(crate) language: Language,
    pub(crate) lines: u32,
    pub(crate) text_bytes: u64,
    pub(crate) notes: Vec<Note>,
    /// Where it lies; the number of the layer is that of no generation.
    pub(crate) place: Content,
}

/// The words of a file that its own document is made of, beside its path, and what it says of others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Summary {
    pub(crate) flags: String,
    pub(crate) about: String,
    pub(crate) mentions: Vec<Mention>,
}

/// Adds the files of a layer to its pack; `summaries` belong to them in the same order.
pub(crate) fn add(parts: &mut Parts, files: &[StoredFile], summaries: &[Summary]) -> Result<(), Cause> {
    parts.add_value(FILES, files)?;
    parts.add_value(SUMMARIES, summaries)
}

/// The files of one layer.
pub(crate) struct Inventory {
    pack: Pack,
    pub(crate) files: Vec<StoredFile>,
}

impl Inventory {
    /// Reads the files of the layer in `folder`.
    pub(crate) fn open(folder: &Path) -> Result<Self, Cause> {
        let pack = Pack::open(folder)?;
        let files = pack.value(FILES)?;
        Ok(Self { pack, files })
    }

    /// The summaries of the files, in the same order; of a file without content it is empty.
    pub(crate) fn summaries(&self) -> Result<Vec<Summary>, Cause> {
        self.pack.value(SUMMARIES)
    }
}

/// A file of some layer: the number of the layer and the number of the file in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stored {
    pub(crate) layer: usize,
    pub(crate) file: usize,
}

/// Finds files in all layers by what they hold.
pub(crate) struct Known<'a> {
    contents: HashMap<(&'a str, u64), Stored>,
    owns: HashMap<(&'a str, u64, u64), Stored>,
}

impl<'a> Known<'a> {
    /// Knows the files of these layers; what several hold is found in the oldest.
    pub(crate) fn of(layers: impl Iterator<Item = (usize, &'a Inventory)>) -> Self {
        let (mut contents, mut owns) = (HashMap::new(), HashMap::new());
        for (layer, inventory) in layers {
            for (number, file) in inventory.files.iter().enumerate() {
                let (path, stored) = (file.path.as_str(), Stored { layer, file: number });
                owns.entry((path, file.hash, file.said)).or_insert(stored);
                if file.content.is_some() {
                    contents.entry((path, file.hash)).or_insert(stored);
                }
            }
        }
        Self { contents, owns }
    }

    /// Where the content of a file lies.
    pub(crate) fn content(&self, path: &RepositoryPath, hash: u64) -> Option<Stored> {
        self.contents.get(&(path.as_str(), hash)).copied()
    }

    /// Where the own document of a file lies that others say this of.
    pub(crate) fn own(&self, path: &RepositoryPath, hash: u64, said: u64) -> Option<Stored> {
        self.owns.get(&(path.as_str(), hash, said)).copied()
    }
}
