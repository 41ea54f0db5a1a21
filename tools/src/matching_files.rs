//! What `search` answers when only files or counts are asked for: which files match, and how often.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use indexer::{Query, RepositoryIndex, count_lines, search_all};
use schemars::JsonSchema;
use serde::Serialize;

use crate::paging::cursor;
use crate::search::{MOST_RANK, identity};
use crate::tokens::{Budget, DEFAULT_TOKENS};
use crate::visible::visible_name;
use crate::{Result, SearchInput, SearchOutput, SearchShow};

pub(crate) const DEFAULT_FILES: u32 = 100;
pub(crate) const MOST_FILES: u32 = 500;
const ROW_OVERHEAD: &str = r#"{"repo":"external-attention","path":"","count":12},"#;

/// A file that matches.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SearchFile {
    /// Repository name.
    pub repo: String,
    /// Path of the file.
    pub path: String,
    /// Lines that match; for ranked modes the places that do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
}

/// A page of the files that match, in the order of hits.
pub(crate) fn find(
    input: &SearchInput,
    query: &Query,
    indexes: &[Arc<RepositoryIndex>],
) -> Result<SearchOutput> {
    let exact = exact(query, indexes)?;
    let note = exact.is_none().then(|| {
        format!("Ranked by words: files among the best {MOST_RANK} places, with how many of these each has.")
    });
    let all = match exact {
        Some(all) => all,
        None => ranked(query, indexes)?,
    };
    let (total_files, total) = (all.len(), all.iter().filter_map(|file| file.count).sum());
    let counts = input.show == SearchShow::Counts;
    let mut budget = Budget::of(DEFAULT_TOKENS);
    let mut files: Vec<SearchFile> = Vec::new();
    for mut file in all.into_iter().skip(query.offset).take(query.limit) {
        if !budget.take(&format!("{ROW_OVERHEAD}{}", file.path)) && !files.is_empty() {
            break;
        }
        file.count = file.count.filter(|_| counts);
        files.push(file);
    }
    let next = query.offset + files.len();
    Ok(SearchOutput {
        files,
        total_files: Some(total_files),
        total_count: counts.then_some(total),
        next_cursor: (next < total_files).then(|| cursor(next, &identity(input))),
        note,
        ..SearchOutput::default()
    })
}

/// Writes the files and their counts.
pub(crate) fn render(output: &SearchOutput, text: &mut String) {
    let Some(files) = output.total_files else { return };
    for file in &output.files {
        let count = file.count.map_or_else(String::new, |count| format!(": {count}"));
        let _ = writeln!(text, "{}/{}{count}", file.repo, file.path);
    }
    let count = output.total_count.map_or_else(String::new, |count| format!(", {count} in all"));
    let _ = writeln!(text, "{files} files{count}");
}

fn exact(query: &Query, indexes: &[Arc<RepositoryIndex>]) -> Result<Option<Vec<SearchFile>>> {
    let Some(found) = count_lines(indexes, query)? else { return Ok(None) };
    Ok(Some(found.iter().map(|one| file(one.repository.as_str(), one.path.as_str(), one.lines)).collect()))
}

fn ranked(query: &Query, indexes: &[Arc<RepositoryIndex>]) -> Result<Vec<SearchFile>> {
    let all = Query { limit: MOST_RANK, offset: 0, ..query.clone() };
    let hits = search_all(indexes, &all)?.hits;
    let mut files: Vec<SearchFile> = Vec::new();
    let mut numbers = BTreeMap::new();
    for hit in &hits {
        let number = *numbers.entry((&hit.repository, &hit.path)).or_insert(files.len());
        match files.get_mut(number) {
            Some(known) => known.count = known.count.map(|count| count + 1),
            None => files.push(file(hit.repository.as_str(), hit.path.as_str(), 1)),
        }
    }
    Ok(files)
}

fn file(repository: &str, path: &str, count: u64) -> SearchFile {
    SearchFile { repo: repository.to_owned(), path: visible_name(path).into_owned(), count: Some(count) }
}
