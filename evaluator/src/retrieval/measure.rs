//! Searching for questions in their own words, as an agent would, in one repository and in all.

use std::fmt;
use std::sync::Arc;

use indexer::{Query, RepositoryIndex, search_all};
use rayon::prelude::*;

use super::ranks::{Ranks, distinct_files};
use crate::{Error, Question, Result};

/// Hits looked at; what stands further down no agent reads.
const DEPTH: usize = 50;
const SHOWN_FILES: usize = 5;

/// In which repositories a question is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Only in its own.
    Own,
    /// In all at once.
    All,
}

impl Scope {
    /// Both, in the order of tables.
    pub const BOTH: [Self; 2] = [Self::Own, Self::All];
}

impl fmt::Display for Scope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Own => "own",
            Self::All => "all",
        })
    }
}

/// What a search found for one question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Where the right answers stand.
    pub ranks: Ranks,
    /// The first five files, as `repository/path`.
    pub first_files: Vec<String>,
}

/// Searches for each question; the results stand in the questions' order.
///
/// Errors when an index cannot be read.
pub fn search_questions(
    questions: &[Question],
    indexes: &[Arc<RepositoryIndex>],
    scope: Scope,
) -> Result<Vec<Found>> {
    questions.par_iter().map(|question| search_question(question, indexes, scope)).collect()
}

fn search_question(question: &Question, indexes: &[Arc<RepositoryIndex>], scope: Scope) -> Result<Found> {
    let is_asked =
        |index: &&Arc<RepositoryIndex>| scope == Scope::All || *index.name() == question.repository;
    let asked: Vec<_> = indexes.iter().filter(is_asked).cloned().collect();
    let query = Query { text: question.text.clone(), limit: DEPTH, ..Query::default() };
    let results = search_all(&asked, &query)
        .map_err(|source| Error::Search { key: question.key, source: Box::new(source) })?;
    let files = distinct_files(&results.hits).into_iter().take(SHOWN_FILES);
    Ok(Found {
        ranks: Ranks::of(question, &results.hits),
        first_files: files.map(|hit| format!("{}/{}", hit.repository, hit.path)).collect(),
    })
}
