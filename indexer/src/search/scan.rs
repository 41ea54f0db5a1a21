//! Literal and regular expressions over every text file of the repositories as they stand on disk now, indexed
//! or not, with ripgrep's own searcher: the same lines as `rg --no-ignore --hidden -g '!.git'`.

use std::collections::HashMap;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use rayon::prelude::*;
use repos::{RepositoryName, RepositoryPath};

use super::filter::{Filter, Part};
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

/// How often a file matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileCount {
    /// The repository.
    pub repository: RepositoryName,
    /// The file.
    pub path: RepositoryPath,
    /// How many lines match.
    pub lines: u64,
}

/// Lines that hold `text`, case included.
pub(crate) fn literal<'a>(text: &str, filter: &'a Filter) -> Result<Scan<'a>> {
    let spans_lines = text.contains('\n');
    let mut builder = RegexMatcherBuilder::new();
    builder.fixed_strings(true).size_limit(LARGEST_PATTERN_BYTES);
    if !spans_lines {
        builder.line_terminator(Some(b'\n'));
    }
    let matcher = builder.build(text).map_err(|error| unsupported(text, &error))?;
    Ok(Scan { matcher, spans_lines, filter })
}

/// Lines that a regular expression matches.
pub(crate) fn regex<'a>(pattern: &str, filter: &'a Filter) -> Result<Scan<'a>> {
    check(pattern)?;
    let matcher = RegexMatcherBuilder::new()
        .multi_line(true)
        .line_terminator(Some(b'\n'))
        .size_limit(LARGEST_PATTERN_BYTES)
        .dfa_size_limit(LARGEST_PATTERN_BYTES)
        .build(pattern)
        .map_err(|error| unsupported(pattern, &error))?;
    Ok(Scan { matcher, spans_lines: false, filter })
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

/// A pattern, ready to be looked for.
pub(crate) struct Scan<'a> {
    matcher: RegexMatcher,
    spans_lines: bool,
    filter: &'a Filter,
}

/// A file to search, with its place in the order of the answer.
struct ScannedFile<'a> {
    index: &'a RepositoryIndex,
    file: ListedFile,
    weight: f32,
}

impl Scan<'_> {
    /// A page of the matches.
    pub(crate) fn run(&self, parts: &[Part<'_>], query: &Query) -> Result<SearchResults> {
        let end = query.offset.saturating_add(query.limit);
        let mut hits = Vec::new();
        for batch in self.files(parts)?.chunks(BATCH_FILES) {
            let found: Vec<Vec<Hit>> = batch
                .par_iter()
                .map_init(|| self.searcher(), |searcher, file| self.search(searcher, file))
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

    /// The number of matching lines of every file that has any: those of `rg --count`.
    pub(crate) fn count(&self, parts: &[Part<'_>]) -> Result<Vec<FileCount>> {
        let count = |searcher: &mut Searcher, scanned: &ScannedFile<'_>| {
            let mut lines = Count(0);
            self.read(searcher, scanned, &mut lines)?;
            (lines.0 > 0).then(|| FileCount {
                repository: scanned.index.name().clone(),
                path: scanned.file.path.clone(),
                lines: lines.0,
            })
        };
        let files = self.files(parts)?;
        Ok(files.par_iter().map_init(|| self.searcher(), count).flatten().collect())
    }

    /// The files that may hold text, ordinary ones before tests and vendored ones.
    fn files<'a>(&self, parts: &[Part<'a>]) -> Result<Vec<ScannedFile<'a>>> {
        let list = |part: &Part<'a>| Listing::of(part.index.root().folder());
        let listings: Vec<Listing> = parts.par_iter().map(list).collect::<Result<_>>()?;
        let mut files = Vec::new();
        for (part, listing) in parts.iter().zip(listings) {
            let index = part.index;
            let binary: HashMap<&RepositoryPath, &ListedFile> = index.records().binary_by_path();
            for file in listing.files {
                let may_be_text =
                    file.bytes <= LARGEST_SEARCHED_BYTES && binary.get(&file.path) != Some(&&file);
                if may_be_text && self.filter.admits_path(file.path.as_str()) {
                    let weight = Role::of(file.path.as_str()).weight();
                    files.push(ScannedFile { index, file, weight });
                }
            }
        }
        files.sort_by(|a, b| {
            let by_name = || a.index.name().cmp(b.index.name()).then_with(|| a.file.path.cmp(&b.file.path));
            b.weight.total_cmp(&a.weight).then_with(by_name)
        });
        Ok(files)
    }

    fn searcher(&self) -> Searcher {
        SearcherBuilder::new()
            .multi_line(self.spans_lines)
            .binary_detection(BinaryDetection::none())
            .line_number(true)
            .build()
    }

    fn search(&self, searcher: &mut Searcher, scanned: &ScannedFile<'_>) -> Vec<Hit> {
        let mut lines = Lines(Vec::new());
        let Some(language) = self.read(searcher, scanned, &mut lines) else { return Vec::new() };
        lines.0.into_iter().map(|(first, last)| scanned.hit(first, last, language)).collect()
    }

    /// Tells `sink` the matches in a file, and gives its language; one that vanished or is no text has none.
    fn read<S: Sink>(&self, searcher: &mut Searcher, scanned: &ScannedFile<'_>, sink: S) -> Option<Language> {
        let path = &scanned.file.path;
        let bytes = scanned.index.root().read(path, LARGEST_SEARCHED_BYTES).ok()?;
        let language = Language::detect(path.as_str(), &bytes);
        if bytes.contains(&0) || !self.filter.admits(path.as_str(), language) {
            return None;
        }
        searcher.search_slice(&self.matcher, &bytes, sink).ok()?;
        Some(language)
    }
}

impl ScannedFile<'_> {
    fn hit(&self, start_line: u32, end_line: u32, language: Language) -> Hit {
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

/// How many matches there are.
struct Count(u64);

impl Sink for Count {
    type Error = std::io::Error;

    fn matched(&mut self, _searcher: &Searcher, _found: &SinkMatch<'_>) -> std::io::Result<bool> {
        self.0 += 1;
        Ok(true)
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
