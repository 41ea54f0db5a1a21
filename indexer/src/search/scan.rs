//! Literal and regular expressions over every text file of the repositories as they stand on disk now, indexed
//! or not, with ripgrep's own searcher: the same lines as `rg --no-ignore --hidden -g '!.git'`.

use std::collections::HashMap;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use rayon::prelude::*;
use repos::RepositoryPath;

use super::filter::Filter;
use super::{Hit, Query, SearchResults};
use crate::files::{ListedFile, Listing};
use crate::role::Role;
use crate::{ChunkKind, Error, Language, RepositoryIndex, Result};

// Weights and archives; text of this size is data that nobody reads as lines.
const LARGEST_SEARCHED_BYTES: u64 = 64 << 20;
// An automaton of this size takes a second to build; patterns of people and agents stay far below.
const LARGEST_PATTERN_BYTES: usize = 10 << 20;
// Enough to keep all cores busy, and little enough that a page of a common pattern is found soon.
const BATCH_FILES: usize = 512;

/// Lines that hold `text`, case included.
pub(crate) fn literal(
    indexes: &[&RepositoryIndex],
    text: &str,
    query: &Query,
    filter: &Filter,
) -> Result<SearchResults> {
    let spans_lines = text.contains('\n');
    let mut builder = RegexMatcherBuilder::new();
    builder.fixed_strings(true).size_limit(LARGEST_PATTERN_BYTES);
    if !spans_lines {
        builder.line_terminator(Some(b'\n'));
    }
    let matcher = builder.build(text).map_err(|error| unsupported(text, &error))?;
    search(indexes, (&matcher, spans_lines), (query, filter))
}

/// Lines that a regular expression matches.
pub(crate) fn regex(
    indexes: &[&RepositoryIndex],
    pattern: &str,
    query: &Query,
    filter: &Filter,
) -> Result<SearchResults> {
    check(pattern)?;
    let matcher = RegexMatcherBuilder::new()
        .multi_line(true)
        .line_terminator(Some(b'\n'))
        .size_limit(LARGEST_PATTERN_BYTES)
        .dfa_size_limit(LARGEST_PATTERN_BYTES)
        .build(pattern)
        .map_err(|error| unsupported(pattern, &error))?;
    search(indexes, (&matcher, false), (query, filter))
}

fn unsupported(pattern: &str, error: &grep_regex::Error) -> Error {
    Error::UnsupportedPattern { pattern: pattern.to_owned(), problem: error.to_string() }
}

/// Says where a pattern breaks the rules of regular expressions.
fn check(pattern: &str) -> Result<()> {
    let (problem, byte) = match regex_syntax::parse(pattern) {
        Ok(_) => return Ok(()),
        Err(regex_syntax::Error::Parse(error)) => (error.kind().to_string(), error.span().start.offset),
        Err(regex_syntax::Error::Translate(error)) => (error.kind().to_string(), error.span().start.offset),
        Err(error) => (error.to_string(), 0),
    };
    let position = pattern.get(..byte).map_or(0, |before| before.chars().count()) + 1;
    Err(Error::InvalidRegex { pattern: pattern.to_owned(), problem, position })
}

/// A file to search, with its place in the order of the answer.
struct Searched<'a> {
    index: &'a RepositoryIndex,
    file: ListedFile,
    weight: f32,
}

fn search(
    indexes: &[&RepositoryIndex],
    (matcher, spans_lines): (&RegexMatcher, bool),
    (query, filter): (&Query, &Filter),
) -> Result<SearchResults> {
    let end = query.offset.saturating_add(query.limit);
    let mut hits = Vec::new();
    for batch in files(indexes, filter)?.chunks(BATCH_FILES) {
        let found: Vec<Vec<Hit>> = batch
            .par_iter()
            .map_init(|| searcher(spans_lines), |searcher, file| file.search(searcher, matcher, filter))
            .collect();
        hits.extend(found.into_iter().flatten());
        // Files come in the order of the answer, so what follows is further down.
        if hits.len() > end {
            break;
        }
    }
    let has_more = hits.len() > end;
    Ok(SearchResults { hits: hits.into_iter().take(end).skip(query.offset).collect(), has_more })
}

fn searcher(spans_lines: bool) -> Searcher {
    SearcherBuilder::new()
        .multi_line(spans_lines)
        .binary_detection(BinaryDetection::none())
        .line_number(true)
        .build()
}

/// The files that may hold text, ordinary ones before tests and vendored ones.
fn files<'a>(indexes: &[&'a RepositoryIndex], filter: &Filter) -> Result<Vec<Searched<'a>>> {
    let listings: Vec<Listing> =
        indexes.par_iter().map(|index| Listing::of(index.root().folder())).collect::<Result<_>>()?;
    let mut files = Vec::new();
    for (index, listing) in indexes.iter().zip(listings) {
        let binary: HashMap<&RepositoryPath, &ListedFile> = index.records().binary_by_path();
        for file in listing.files {
            let may_be_text = file.bytes <= LARGEST_SEARCHED_BYTES && binary.get(&file.path) != Some(&&file);
            if may_be_text && filter.admits_path(file.path.as_str()) {
                let weight = Role::of(file.path.as_str()).weight();
                files.push(Searched { index, file, weight });
            }
        }
    }
    files.sort_by(|a, b| {
        let by_name = || a.index.name().cmp(b.index.name()).then_with(|| a.file.path.cmp(&b.file.path));
        b.weight.total_cmp(&a.weight).then_with(by_name)
    });
    Ok(files)
}

impl Searched<'_> {
    /// The matches in the file; one that vanished or turned out to be no text has none.
    fn search(&self, searcher: &mut Searcher, matcher: &RegexMatcher, filter: &Filter) -> Vec<Hit> {
        let Ok(bytes) = self.index.root().read(&self.file.path, LARGEST_SEARCHED_BYTES) else {
            return Vec::new();
        };
        let language = Language::detect(self.file.path.as_str(), &bytes);
        if bytes.contains(&0) || !filter.admits(self.file.path.as_str(), language) {
            return Vec::new();
        }
        let mut lines = Lines(Vec::new());
        if searcher.search_slice(matcher, &bytes, &mut lines).is_err() {
            return Vec::new();
        }
        lines.0.into_iter().map(|lines| self.hit(lines, language)).collect()
    }

    fn hit(&self, (start_line, end_line): (u32, u32), language: Language) -> Hit {
        Hit {
            repository: self.index.name().clone(),
            path: self.file.path.clone(),
            start_line,
            end_line,
            score: self.weight,
            kind: ChunkKind::Line,
            language,
            symbol: None,
            reasons: vec!["line matches".to_owned()],
            also_at: Vec::new(),
        }
    }
}

/// First and last line of each match.
struct Lines(Vec<(u32, u32)>);

impl Sink for Lines {
    type Error = std::io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> std::io::Result<bool> {
        let line = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let first = found.line_number().unwrap_or(1);
        let more = found.lines().count().saturating_sub(1) as u64;
        self.0.push((line(first), line(first + more)));
        Ok(true)
    }
}
