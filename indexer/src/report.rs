//! What a build did, kept beside the index so that every later answer can say what it rests on.

use std::collections::BTreeMap;

use repos::{Commit, RepositoryName};
use serde::{Deserialize, Serialize};

/// What was indexed, what was left out, and what was odd.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BuildReport {
    /// The repository.
    pub repository: RepositoryName,
    /// The commit that was indexed, when known.
    pub commit: Option<Commit>,
    /// The format of the index.
    pub format_version: u32,
    /// Files whose text was indexed.
    pub files: u64,
    /// Places that a search can return.
    pub chunks: u64,
    /// Definitions, flags and headings that were found.
    pub symbols: u64,
    /// Bytes of text that were indexed; of a notebook only its cells count.
    pub bytes: u64,
    /// Files that the last build read; the others had not changed since the build before.
    pub files_read: u64,
    /// Files that were added, changed or removed since the build before.
    pub files_changed: u64,
    /// Wall time of the build.
    pub seconds: f64,
    /// Bytes of the index on disk.
    pub index_bytes: u64,
    /// Those of them that serve exact search, which covers more text than `bytes`.
    pub trigram_bytes: u64,
    /// Files that were left out, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// Oddities that were met and handled, by name; a file may count under several.
    pub notes: BTreeMap<String, u64>,
}
