//! One answer from many repositories: every way of searching gives candidates, this orders them, cuts the page
//! and fills in what only a page needs.

use std::cmp::Ordering;
use std::sync::Arc;

use rayon::prelude::*;

use super::candidates::Candidate;
use super::filter::{Filter, Part};
use super::pattern::Pattern;
use super::ranking::Ranking;
use super::route::{Route, route};
use super::scan::{FileCount, Scan};
use super::symbols::Fit;
use super::{Explanation, Hit, Mode, Query, SearchResults, named, paths, proximity, symbols, text};
use crate::{RepositoryIndex, Result};

const MOST_NAMESAKES: usize = 3;

/// Searches all `indexes` and gives the hits from `offset` on, at most `limit`.
///
/// Errors when the pattern or the glob cannot be understood, or an index cannot be read.
pub fn search_all(indexes: &[Arc<RepositoryIndex>], query: &Query) -> Result<SearchResults> {
    search_all_with(indexes, query, &Ranking::default())
}

/// Searches with other weights than the usual ones.
pub fn search_all_with(
    indexes: &[Arc<RepositoryIndex>],
    query: &Query,
    ranking: &Ranking,
) -> Result<SearchResults> {
    let indexes: Vec<&RepositoryIndex> = indexes.iter().map(AsRef::as_ref).collect();
    search(&indexes, query, ranking)
}

impl RepositoryIndex {
    /// Searches this repository alone.
    ///
    /// Errors as [`search_all`] does.
    pub fn search(&self, query: &Query) -> Result<Vec<Hit>> {
        Ok(search(&[self], query, &Ranking::default())?.hits)
    }
}

fn search(indexes: &[&RepositoryIndex], query: &Query, ranking: &Ranking) -> Result<SearchResults> {
    let filter = Filter::of(query)?;
    let parts = indexes.iter().enumerate().map(|(number, index)| filter.part(number, index)).collect();
    let search = Search { query, filter, parts, ranking };
    if indexes.len() == 1 {
        return search.run();
    }
    // One entry into the pool for all passes; each entry from outside costs a switch between threads.
    let mut results = Ok(SearchResults::default());
    rayon::scope(|_| results = search.run());
    results
}

/// How many lines of each file match a literal or regular expression, exactly; nothing for a query that is ranked
/// by words or names. Files come as hits do; `limit` and `offset` do not count.
///
/// Errors as [`search_all`] does.
pub fn count_lines(indexes: &[Arc<RepositoryIndex>], query: &Query) -> Result<Option<Vec<FileCount>>> {
    let filter = Filter::of(query)?;
    let pattern = match (query.mode, route(&query.text)) {
        (Mode::Literal, _) => Pattern::literal(&query.text, query.matching)?,
        (Mode::Regex, _) => Pattern::regex(&query.text, query.matching)?,
        (Mode::Auto, Route::Quoted(text)) => Pattern::literal(&text, query.matching)?,
        _ => return Ok(None),
    };
    let scan = Scan { pattern, filter: &filter };
    let parts: Vec<_> =
        indexes.iter().enumerate().map(|(number, index)| filter.part(number, index)).collect();
    scan.count(&parts).map(Some)
}

struct Search<'a> {
    query: &'a Query,
    filter: Filter,
    parts: Vec<Part<'a>>,
    ranking: &'a Ranking,
}

impl Search<'_> {
    fn run(&self) -> Result<SearchResults> {
        let text = &self.query.text;
        match self.query.mode {
            Mode::Text => self.words(text, Vec::new()),
            Mode::Symbol => self.page(self.symbols(text, Fit::Words)?, None),
            Mode::Literal => self.lines(Pattern::literal(text, self.query.matching)?, self.query),
            Mode::Regex => self.lines(Pattern::regex(text, self.query.matching)?, self.query),
            Mode::Auto => self.by_shape(),
        }
    }

    fn by_shape(&self) -> Result<SearchResults> {
        match route(&self.query.text) {
            Route::Words => self.words(&self.query.text, Vec::new()),
            Route::Name(name) => self.words(&name, self.qualified(&name)?),
            Route::Word(word) => {
                let mut symbols = self.symbols(&word, Fit::AnyCase)?;
                // Every other script has a `train` or `main`; a few show the way, the rest is ranked as text.
                symbols.sort_by(|a, b| self.compare(a, b));
                symbols.truncate(MOST_NAMESAKES);
                self.words(&word, symbols)
            }
            Route::Path(path) => {
                self.words(&path, self.parts.iter().flat_map(|part| paths::find(part, &path)).collect())
            }
            Route::Quoted(text) => {
                let found = self.lines(Pattern::literal(&text, self.query.matching)?, self.query)?;
                // Words help where no line matches; past the end of the lines that do, there is nothing.
                if found.hits.is_empty() && !self.has_line(&text)? {
                    self.words(&text, Vec::new())
                } else {
                    Ok(found)
                }
            }
        }
    }

    fn has_line(&self, text: &str) -> Result<bool> {
        let first = Query { limit: 1, offset: 0, ..self.query.clone() };
        let pattern = Pattern::literal(text, self.query.matching)?;
        Ok(self.query.offset > 0 && !self.lines(pattern, &first)?.hits.is_empty())
    }

    fn lines(&self, pattern: Pattern, query: &Query) -> Result<SearchResults> {
        Scan { pattern, filter: &self.filter }.run(&self.parts, query)
    }

    /// The definitions that a name means; the module before it may be left out.
    fn qualified(&self, name: &str) -> Result<Vec<Candidate>> {
        let found = self.symbols(name, Fit::AnyCase)?;
        match name.rsplit_once('.') {
            Some((_, own)) if found.is_empty() => self.symbols(own, Fit::AnyCase),
            _ => Ok(found),
        }
    }

    fn symbols(&self, name: &str, least: Fit) -> Result<Vec<Candidate>> {
        let of = |part: &Part<'_>| symbols::find(part, name, least);
        let found: Vec<_> = self.parts.par_iter().map(of).collect::<Result<_>>()?;
        Ok(found.into_iter().flatten().collect())
    }

    /// Ranks by words, behind what was found in a surer way.
    fn words(&self, words: &str, surer: Vec<Candidate>) -> Result<SearchResults> {
        let mut found = text::find(&self.parts, words, self.ranking)?;
        if surer.is_empty() {
            let mut candidates = std::mem::take(&mut found.candidates);
            named::raise(&mut candidates, named::find(&self.parts, words)?, found.ranking.named);
            return self.page(candidates, Some(&found));
        }
        let best = found.candidates.iter().map(|candidate| candidate.score).fold(f32::MIN_POSITIVE, f32::max);
        let mut candidates = std::mem::take(&mut found.candidates);
        candidates.retain(|candidate| !surer.iter().any(|sure| sure.overlaps(candidate)));
        for candidate in &mut candidates {
            // Below the lowest score of a symbol, in the same order.
            candidate.multiply("beside the best place, below names", 1.0 / best);
        }
        candidates.extend(surer);
        self.page(candidates, Some(&found))
    }

    /// The one order of all candidates.
    fn compare(&self, a: &Candidate, b: &Candidate) -> Ordering {
        let index = |candidate: &Candidate| self.parts[candidate.index].index;
        let path = |candidate: &Candidate| &index(candidate).files()[candidate.place.file].path;
        let lines = |candidate: &Candidate| (candidate.place.start_line, candidate.place.end_line);
        b.score
            .total_cmp(&a.score)
            .then_with(|| index(a).name().cmp(index(b).name()))
            .then_with(|| path(a).cmp(path(b)))
            .then_with(|| lines(a).cmp(&lines(b)))
    }

    fn page(&self, mut candidates: Vec<Candidate>, found: Option<&text::Found>) -> Result<SearchResults> {
        candidates.sort_by(|a, b| self.compare(a, b));
        if let Some(found) = found {
            let first = proximity::weigh(&self.parts, &mut candidates, found);
            // What was read gained, so it stays before the rest.
            candidates[..first].sort_by(|a, b| self.compare(a, b));
        }
        let end = self.query.offset.saturating_add(self.query.limit);
        let has_more = candidates.len() > end;
        let page = candidates.into_iter().take(end).skip(self.query.offset);
        let hits = page.map(|candidate| self.hit(candidate, found)).collect::<Result<_>>()?;
        Ok(SearchResults { hits, has_more })
    }

    fn hit(&self, candidate: Candidate, found: Option<&text::Found>) -> Result<Hit> {
        let index = self.parts[candidate.index].index;
        let file = &index.files()[candidate.place.file];
        let symbol = match (candidate.document, index.segment()) {
            (Some(document), Some(segment)) => {
                segment.label(document).map_err(|error| index.failed(error))?
            }
            _ => None,
        };
        let explanation = self.query.explain.then(|| match found {
            Some(found) => found.explain(&self.parts[candidate.index], &candidate),
            None => Explanation::of_sure(&candidate),
        });
        let mut reasons = candidate.reasons;
        if let Some(found) = found.filter(|_| !candidate.is_sure) {
            reasons.extend(found.reasons(candidate.document, (candidate.index, candidate.place.file)));
        }
        Ok(Hit {
            repository: index.name().clone(),
            path: file.path.clone(),
            start_line: candidate.place.start_line,
            end_line: candidate.place.end_line,
            score: candidate.score,
            kind: candidate.place.kind,
            language: file.language,
            symbol,
            reasons,
            explanation,
            also_at: candidate.also_at.iter().map(|number| index.files()[*number].path.clone()).collect(),
        })
    }
}
