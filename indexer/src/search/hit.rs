//! A place that answers a query, as callers see it.

use repos::{RepositoryName, RepositoryPath};
use serde::Serialize;

use super::Explanation;
use crate::{ChunkKind, Language};

/// A ranked place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hit {
    /// The repository.
    pub repository: RepositoryName,
    /// The file.
    pub path: RepositoryPath,
    /// First line of the stored file, from 1.
    pub start_line: u32,
    /// Last line, included.
    pub end_line: u32,
    /// Higher is better; comparable within one answer only.
    pub score: f32,
    /// What kind of place it is.
    pub kind: ChunkKind,
    /// The file's language.
    pub language: Language,
    /// The symbol or heading, with its parents.
    pub symbol: Option<String>,
    /// Which fields matched which words.
    pub reasons: Vec<String>,
    /// Other files of the repository with the same content.
    pub also_at: Vec<RepositoryPath>,
    /// How the score came about, when the query asks; lines that match exactly are not scored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
}

/// A page of hits over several repositories.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SearchResults {
    /// Best first; equal scores in the order of repository, path and line.
    pub hits: Vec<Hit>,
    /// Whether further hits follow this page.
    pub has_more: bool,
}
