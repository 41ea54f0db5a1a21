//! What an index remembers of each file beside its terms, kept in memory while the index is open: what tells whether
//! the file has changed, and where its documents lie.

use std::collections::BTreeMap;
use std::path::Path;

use repos::RepositoryPath;
use serde::{Deserialize, Serialize};

use super::pack;
use crate::Language;
use crate::admission::SkipReason;
use crate::error::Cause;
use crate::files::ListedFile;
use crate::mentions::Part;
use crate::role::Role;
use crate::source::Note;

/// An indexed file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FileRecord {
    pub(crate) path: RepositoryPath,
    #[serde(with = "language_name")]
    pub(crate) language: Language,
    /// A hash of the content, to tell copies and changes.
    pub(crate) hash: u64,
    pub(crate) lines: u32,
    /// In how many places other files mention it.
    pub(crate) mentions: u32,
    /// Size and time of change, as the folder listed them.
    pub(crate) bytes: u64,
    pub(crate) modified: u64,
    /// Bytes of text that were indexed.
    pub(crate) text_bytes: u64,
    pub(crate) notes: Vec<Note>,
    pub(crate) content: Content,
    pub(crate) own: Own,
}

/// Where the chunks and symbols of a file lie; both follow one another in their layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Content {
    pub(crate) layer: u32,
    pub(crate) first_chunk: u32,
    pub(crate) chunks: u32,
    pub(crate) first_symbol: u32,
    pub(crate) symbols: u32,
}

/// Where a file's own document lies, which tells what others say of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Own {
    pub(crate) layer: u32,
    pub(crate) document: u32,
    /// A hash of what others say.
    pub(crate) said: u64,
}

impl FileRecord {
    /// How much its part in the repository counts.
    pub(crate) fn role(&self) -> Role {
        Role::of(self.path.as_str())
    }

    /// How many documents it has.
    pub(crate) fn documents(&self) -> usize {
        self.content.chunks as usize + self.content.symbols as usize + 1
    }

    /// Whether the file is listed as it was when it was read.
    pub(crate) fn is_unchanged(&self, listed: &ListedFile) -> bool {
        self.bytes == listed.bytes && self.modified == listed.modified
    }
}

/// The files of a repository: those that are indexed, by number, and those that are left out.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Records {
    /// In the order of their paths.
    pub(crate) files: Vec<FileRecord>,
    /// Files that were judged as long as they do not change.
    pub(crate) skipped: Vec<(ListedFile, SkipReason)>,
    /// In the order of the documents.
    pub(crate) links: Vec<ChunkLinks>,
}

/// The files that a chunk of documentation or of a script leads to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ChunkLinks {
    /// The document of the chunk.
    pub(crate) document: u32,
    /// The numbers of the files, each with how it takes part in what the chunk says.
    pub(crate) files: Vec<(u32, Part)>,
}

impl Records {
    /// Reads the records at `path`.
    pub(crate) fn read(path: &Path) -> Result<Self, Cause> {
        pack::from_bytes(&fs_err::read(path)?)
    }

    /// The records as they are stored.
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, Cause> {
        pack::to_bytes(self)
    }

    /// How many files are left out, by the name of the reason.
    pub(crate) fn skipped_by_reason(&self) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for (_, reason) in &self.skipped {
            *counts.entry(reason.name().to_owned()).or_default() += 1;
        }
        counts
    }
}

/// Languages are stored by name, so that a new one changes no number.
pub(crate) mod language_name {
    use serde::{Deserialize, Deserializer, Serializer, de};

    use crate::Language;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
    pub(crate) fn serialize<S: Serializer>(language: &Language, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(language.name())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Language, D::Error> {
        let name = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        name.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
impl FileRecord {
    /// A record of a file that holds nothing.
    pub(crate) fn example(path: &str) -> Self {
        Self {
            path: path.parse().unwrap(),
            language: Language::Python,
            hash: 0,
            lines: 0,
            mentions: 0,
            bytes: 0,
            modified: 0,
            text_bytes: 0,
            notes: Vec::new(),
            content: Content::default(),
            own: Own::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_back_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("records");
        let binary = ListedFile { path: "b.bin".parse().unwrap(), bytes: 3, modified: 4 };
        let records = Records {
            files: vec![FileRecord { notes: vec![Note::CrLf], ..FileRecord::example("a/b c.py") }],
            skipped: vec![(binary.clone(), SkipReason::Binary)],
            links: vec![ChunkLinks { document: 7, files: vec![(0, Part::Run), (3, Part::Named)] }],
        };
        fs_err::write(&path, records.to_bytes().unwrap()).unwrap();
        let read = Records::read(&path).unwrap();
        assert_eq!(
            (&read.files, &read.skipped, &read.links),
            (&records.files, &records.skipped, &records.links)
        );
    }
}
