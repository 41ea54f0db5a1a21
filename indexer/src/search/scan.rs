//! Literal and regular expressions over every text file of the repositories as they stand on disk now, indexed
//! or not, with ripgrep's own searcher: the same lines as `rg --no-ignore --hidden -g '!.git'`. Trigrams say which
//! unchanged files cannot match; all others are read.

use std::io::Read;
use std::sync::Arc;

use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use rayon::prelude::*;
use repos::{RepositoryName, RepositoryPath};

use super::filter::{Filter, Part};
use super::pattern::Pattern;
use super::present::PresentFile;
use super::{Hit, Query, SearchResults};
use crate::role::Role;
use crate::trigrams::{Selection, Standing};
use crate::{ChunkKind, Language, RepositoryIndex, Result};

// Larger files are searched piece by piece, as ripgrep does with all.
const LARGEST_FILE_AT_ONCE_BYTES: u64 = 8 << 20;
// ripgrep reads as much at once, and gives a file up when it finds a NUL in it.
const FIRST_BYTES: u64 = 64 << 10;
// A longer line, and a larger file where a match may span lines, is not searched to its end.
const LARGEST_BUFFER_BYTES: usize = 64 << 20;
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

/// A pattern to be looked for in the files that a filter admits.
pub(crate) struct Scan<'a> {
    pub(crate) pattern: Pattern,
    pub(crate) filter: &'a Filter,
}

/// The files of each part, as they are on disk.
struct Present(Vec<Arc<[PresentFile]>>);

/// A file to search, with its place in the order of the answer.
struct ScannedFile<'a> {
    index: &'a RepositoryIndex,
    file: &'a PresentFile,
    weight: f32,
}

impl Scan<'_> {
    /// A page of the matches.
    pub(crate) fn run(&self, parts: &[Part<'_>], query: &Query) -> Result<SearchResults> {
        let end = query.offset.saturating_add(query.limit);
        let present = Present::of(parts)?;
        let mut hits = Vec::new();
        for batch in self.files(parts, &present).chunks(BATCH_FILES) {
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
                path: scanned.file.listed.path.clone(),
                lines: lines.0,
            })
        };
        let present = Present::of(parts)?;
        let files = self.files(parts, &present);
        Ok(files.par_iter().map_init(|| self.searcher(), count).flatten().collect())
    }

    /// The files that may match, ordinary ones before tests and vendored ones.
    fn files<'a>(&self, parts: &[Part<'a>], present: &'a Present) -> Vec<ScannedFile<'a>> {
        let found = parts.par_iter().zip(&present.0).flat_map_iter(|(part, files)| {
            let index = part.index;
            let selection = index.present().select(&self.pattern.plan);
            files.iter().filter(move |file| self.may_match(file, &selection)).map(move |file| {
                let weight = Role::of(file.listed.path.as_str()).weight();
                ScannedFile { index, file, weight }
            })
        });
        let mut files: Vec<_> = found.collect();
        files.sort_by(|a, b| {
            let path = |scanned: &ScannedFile<'a>| &scanned.file.listed.path;
            let by_name = || a.index.name().cmp(b.index.name()).then_with(|| path(a).cmp(path(b)));
            b.weight.total_cmp(&a.weight).then_with(by_name)
        });
        files
    }

    fn may_match(&self, file: &PresentFile, selection: &Selection) -> bool {
        let by_content = match file.standing {
            Standing::Binary => false,
            Standing::Unknown => true,
            Standing::Text(number) => selection.holds(number),
        };
        by_content && self.filter.admits_path(file.listed.path.as_str())
    }

    fn searcher(&self) -> Searcher {
        SearcherBuilder::new()
            .multi_line(self.pattern.spans_lines)
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(LARGEST_BUFFER_BYTES))
            .line_number(true)
            .build()
    }

    fn search(&self, searcher: &mut Searcher, scanned: &ScannedFile<'_>) -> Vec<Hit> {
        let mut lines = Lines(Vec::new());
        let Some(language) = self.read(searcher, scanned, &mut lines) else { return Vec::new() };
        lines.0.into_iter().map(|(first, last)| scanned.hit(first, last, language)).collect()
    }

    /// Tells `sink` the matches in a file, and gives its language; one that vanished or is not admitted has none.
    fn read<S: Sink>(&self, searcher: &mut Searcher, scanned: &ScannedFile<'_>, sink: S) -> Option<Language> {
        let listed = &scanned.file.listed;
        let (root, path) = (scanned.index.root(), &listed.path);
        let matcher = &self.pattern.matcher;
        if listed.bytes > LARGEST_FILE_AT_ONCE_BYTES {
            let mut rest = root.reader(path).ok()?;
            let mut first = Vec::new();
            rest.by_ref().take(FIRST_BYTES).read_to_end(&mut first).ok()?;
            let language = self.admitted(path, &first)?;
            // What was found before a failure was found.
            let _ = searcher.search_reader(matcher, first.chain(rest), sink);
            return Some(language);
        }
        let bytes = root.read(path, LARGEST_FILE_AT_ONCE_BYTES).ok()?;
        let language = self.admitted(path, &bytes)?;
        let _ = if memchr::memchr(0, &bytes).is_some() {
            // How much ripgrep searches before it finds the NUL depends on how it reads.
            searcher.search_reader(matcher, &bytes[..], sink)
        } else {
            searcher.search_slice(matcher, &bytes, sink)
        };
        Some(language)
    }

    fn admitted(&self, path: &RepositoryPath, content: &[u8]) -> Option<Language> {
        let language = Language::detect(path.as_str(), content);
        self.filter.admits(path.as_str(), language).then_some(language)
    }
}

impl Present {
    fn of(parts: &[Part<'_>]) -> Result<Self> {
        let list = |part: &Part<'_>| part.index.present().list(part.index.root().folder());
        Ok(Self(parts.par_iter().map(list).collect::<Result<_>>()?))
    }
}

impl ScannedFile<'_> {
    fn hit(&self, start_line: u32, end_line: u32, language: Language) -> Hit {
        Hit {
            repository: self.index.name().clone(),
            path: self.file.listed.path.clone(),
            start_line,
            end_line,
            score: self.weight,
            kind: ChunkKind::Line,
            language,
            symbol: None,
            reasons: vec!["line matches".to_owned()],
            also_at: Vec::new(),
            explanation: None,
        }
    }
}

/// How many lines match.
struct Count(u64);

impl Sink for Count {
    type Error = std::io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> std::io::Result<bool> {
        self.0 += found.lines().count() as u64;
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
