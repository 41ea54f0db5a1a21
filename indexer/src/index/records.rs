//! What the index remembers of each file beside its terms, kept in memory while the index is open.

use std::io::Write;
use std::path::Path;

use repos::RepositoryPath;
use serde::{Deserialize, Serialize};

use crate::Language;
use crate::admission::SkipReason;
use crate::error::Cause;
use crate::files::ListedFile;
use crate::role::Role;

const FILE_NAME: &str = "files.json";

/// An indexed file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FileRecord {
    pub(crate) path: RepositoryPath,
    #[serde(with = "language_name")]
    pub(crate) language: Language,
    /// A hash of the content, to tell copies.
    pub(crate) hash: u64,
    pub(crate) lines: u32,
    /// In how many places other files mention it.
    pub(crate) mentions: u32,
}

impl FileRecord {
    /// How much its part in the repository counts.
    pub(crate) fn role(&self) -> Role {
        Role::of(self.path.as_str())
    }
}

/// The files of a repository: those that are indexed, by number, and those found to be no text.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Records {
    pub(crate) files: Vec<FileRecord>,
    pub(crate) binary: Vec<ListedFile>,
    /// In the order of the documents.
    pub(crate) links: Vec<ChunkLinks>,
}

/// The files that a chunk of documentation or of a script leads to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ChunkLinks {
    /// The document of the chunk.
    pub(crate) document: u32,
    /// The numbers of the files.
    pub(crate) files: Vec<u32>,
}

impl Records {
    /// Reads the records of a generation.
    pub(crate) fn read(generation: &Path) -> Result<Self, Cause> {
        Ok(serde_json::from_slice(&fs_err::read(generation.join(FILE_NAME))?)?)
    }

    /// Writes the records into the folder of a generation, for good.
    pub(crate) fn write(&self, generation: &Path) -> Result<(), Cause> {
        let mut file = fs_err::File::create(generation.join(FILE_NAME))?;
        file.write_all(&serde_json::to_vec(self)?)?;
        Ok(file.sync_all()?)
    }

    /// Keeps a file that was found to be no text.
    pub(crate) fn skip(&mut self, file: &ListedFile, reason: SkipReason) {
        if reason == SkipReason::Binary {
            self.binary.push(file.clone());
        }
    }
}

mod language_name {
    use serde::{Deserialize, Deserializer, Serializer, de};

    use crate::Language;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
    pub(super) fn serialize<S: Serializer>(language: &Language, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(language.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Language, D::Error> {
        let name = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        name.parse().map_err(de::Error::custom)
    }
}
