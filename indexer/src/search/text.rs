//! Ranking by words, in passes over the postings that are parallel over repositories and meet in between.
//! tantivy's own scoring adds up fields and knows one index only; here each word weighs by how rare it is in all
//! searched repositories together, so that their scores compare.

use std::ops::Range;

use rayon::prelude::*;
use tantivy::DocId;

use super::candidates::{Candidate, MOST_CONSIDERED, order};
use super::counting::{Counts, count};
use super::filter::Part;
use super::links::Gains;
use super::query::{QueryTerm, query_terms};
use super::ranking::Ranking;
use super::scoring::{Rarity, Scored, Scores, rarities};
use super::wording;
use crate::index::Place;
use crate::{ChunkKind, RepositoryIndex, Result};

// A file that is found by its name is shown from the top.
const FILE_HIT_LINES: u32 = 40;

/// The answer to a query by words: candidates, best first within each repository, and what they rest on.
pub(crate) struct Found {
    pub(crate) candidates: Vec<Candidate>,
    /// What was asked.
    pub(super) text: String,
    pub(super) terms: Vec<QueryTerm>,
    pub(super) ranking: Ranking,
    /// By term.
    pub(super) rarities: Vec<Rarity>,
    /// By index and term.
    pub(super) counts: Vec<Vec<Counts>>,
    /// By index.
    pub(super) scores: Vec<Scores>,
    /// The best score of a chunk with that of its file, in all repositories.
    pub(super) best: f32,
}

/// Ranks the admitted places of all repositories for the words of `text`.
pub(crate) fn find(parts: &[Part<'_>], text: &str, ranking: &Ranking) -> Result<Found> {
    let mut found = Found::count(parts, text, ranking.for_query(text))?;
    found.candidates = found.rank(parts);
    Ok(found)
}

/// The paths in a request that no repository has: it gives them rather than seeks them, as in `describe my_cat.jpg`,
/// and a ranking that follows their words is led astray.
fn values(parts: &[Part<'_>], text: &str) -> Vec<Range<usize>> {
    let is_there = |path: &str| parts.iter().any(|part| part.index.has_name_of(path));
    wording::paths(text).filter(|place| !is_there(&text[place.clone()])).collect()
}

/// Calls `each` for every repository; one alone is not worth waking other threads.
fn map_all<T: Send>(parts: &[Part<'_>], each: impl Fn(&Part<'_>) -> T + Sync + Send) -> Vec<T> {
    match parts {
        [only] => vec![each(only)],
        _ => parts.par_iter().map(each).collect(),
    }
}

/// The score of the place number `wanted` over all repositories.
fn nth_best(places: &[Vec<Scored>], wanted: usize) -> f32 {
    let mut scores: Vec<f32> = places.iter().flatten().map(|place| place.score).collect();
    if scores.len() <= wanted {
        return 0.0;
    }
    *scores.select_nth_unstable_by(wanted, |a, b| b.total_cmp(a)).1
}

fn candidate(part: &Part<'_>, scored: Scored) -> Candidate {
    let place = match (scored.document, part.index.segment()) {
        (Some(document), Some(segment)) => segment.place(document),
        _ => whole_file(part.index, scored.file),
    };
    Candidate::new(part, scored.document, place, scored.score)
}

/// The place of a file that is shown as such.
pub(crate) fn whole_file(index: &RepositoryIndex, file: usize) -> Place {
    let end_line = index.files()[file].lines.clamp(1, FILE_HIT_LINES);
    Place { file, start_line: 1, end_line, kind: ChunkKind::File }
}

impl Found {
    /// The first pass: where the words stand, and what that scores.
    fn count(parts: &[Part<'_>], text: &str, ranking: Ranking) -> Result<Self> {
        let terms = query_terms(text, &values(parts, text));
        let counts = map_all(parts, |part| count(part.index, &terms, &ranking));
        let counts: Vec<Vec<Counts>> = counts.into_iter().collect::<Result<_>>()?;
        let rarities: Vec<Rarity> = rarities(parts, &terms, &counts, &ranking);
        let scores = map_all(parts, |part| Scores::of(part.index, &counts[part.number], &rarities, &ranking));
        let best = scores.iter().map(Scores::best).fold(0.0, f32::max);
        let text = text.to_owned();
        Ok(Self { candidates: Vec::new(), text, terms, ranking, rarities, counts, scores, best })
    }

    /// The second pass: what links and the standing of files and repositories make of it.
    fn rank(&self, parts: &[Part<'_>]) -> Vec<Candidate> {
        let places = map_all(parts, |part| {
            let scores = &self.scores[part.number];
            let gains = Gains::of(part.index, scores, self.best, &self.ranking);
            let standing = self.standing(part.number);
            let mut places = scores.places(part, &gains, &self.ranking);
            for place in &mut places {
                place.score *= standing;
            }
            places
        });
        let least = nth_best(&places, MOST_CONSIDERED);
        let candidates = map_all(parts, |part| {
            let kept = places[part.number].iter().filter(|place| place.score >= least);
            order(part.index, kept.map(|place| candidate(part, *place)).collect(), self.ranking.repeat)
        });
        candidates.into_iter().flatten().collect()
    }

    /// How well a repository as a whole fits, beside the one that fits best.
    pub(super) fn standing(&self, index: usize) -> f32 {
        if self.best > 0.0 {
            (self.scores[index].best() / self.best).powf(self.ranking.repository)
        } else {
            1.0
        }
    }

    /// Which words of the query matched a candidate, by field.
    pub(crate) fn reasons(&self, document: Option<DocId>, (index, file): (usize, usize)) -> Vec<String> {
        let mut by_field: Vec<(&str, Vec<&str>)> = Vec::new();
        for (term, counts) in self.terms.iter().zip(&self.counts[index]) {
            for field in counts.fields(document, file) {
                match by_field.iter_mut().find(|(known, _)| *known == field) {
                    Some((_, words)) => words.push(&term.shown),
                    None => by_field.push((field, vec![&term.shown])),
                }
            }
        }
        if by_field.is_empty() {
            return vec!["documents that match lead to it".to_owned()];
        }
        by_field.into_iter().map(|(field, words)| format!("{field}: {}", words.join(", "))).collect()
    }
}
