//! Ranking by words, in two passes over the postings. tantivy's own scoring adds up fields and knows one index
//! only; here the second pass weighs each word by how rare it is in all searched repositories together, so that
//! their scores compare.

use rayon::prelude::*;

use super::candidates::{Candidate, order};
use super::counting::{Counts, count};
use super::filter::Filter;
use super::query::{QueryTerm, query_terms};
use super::ranking::Ranking;
use crate::index::Place;
use crate::{ChunkKind, RepositoryIndex, Result};

// A file that is found by its name is shown from the top.
const FILE_HIT_LINES: u32 = 40;

/// The answer to a query by words: candidates, best first within each repository, and what they rest on.
pub(crate) struct Found {
    pub(crate) candidates: Vec<Candidate>,
    terms: Vec<QueryTerm>,
    /// By index and term.
    counts: Vec<Vec<Counts>>,
}

/// Ranks the places of all indexes for the words of `text`.
pub(crate) fn find(
    indexes: &[&RepositoryIndex],
    text: &str,
    (filter, ranking): (&Filter, &Ranking),
) -> Result<Found> {
    let terms = query_terms(text);
    let counts: Vec<Vec<Counts>> =
        indexes.par_iter().map(|index| count(index, &terms, ranking)).collect::<Result<_>>()?;
    let rarities = rarities(indexes, &terms, &counts);
    let candidates = indexes
        .par_iter()
        .zip(&counts)
        .enumerate()
        .flat_map_iter(|(number, (index, counts))| {
            let scores = Scores::of(index, counts, (&rarities, ranking));
            order(index, scores.candidates(index, number, (filter, ranking)), ranking.repeat)
        })
        .collect();
    Ok(Found { candidates, terms, counts })
}

impl Found {
    /// Which words of the query matched a candidate, by field.
    pub(crate) fn reasons(&self, candidate: &Candidate) -> Vec<String> {
        let mut by_field: Vec<(&str, Vec<&str>)> = Vec::new();
        for (term, counts) in self.terms.iter().zip(&self.counts[candidate.index]) {
            for field in counts.fields(candidate.document, candidate.place.file) {
                match by_field.iter_mut().find(|(known, _)| *known == field) {
                    Some((_, words)) => words.push(&term.shown),
                    None => by_field.push((field, vec![&term.shown])),
                }
            }
        }
        by_field.into_iter().map(|(field, words)| format!("{field}: {}", words.join(", "))).collect()
    }
}

/// How much each word counts in chunks and in files.
struct Rarity {
    chunk: f32,
    file: f32,
}

fn rarities(indexes: &[&RepositoryIndex], terms: &[QueryTerm], counts: &[Vec<Counts>]) -> Vec<Rarity> {
    let sum = |of: fn(&RepositoryIndex) -> u64| indexes.iter().map(|index| of(index)).sum::<u64>() as f32;
    let chunks = sum(|index| index.report().chunks);
    let files = sum(|index| index.report().files);
    let rarity =
        |all: f32, with: usize| (1.0 + (all - with as f32 + 0.5).max(0.0) / (with as f32 + 0.5)).ln();
    let of = |(number, term): (usize, &QueryTerm)| {
        let with =
            |of: fn(&Counts) -> usize| counts.iter().filter_map(|counts| counts.get(number)).map(of).sum();
        Rarity {
            chunk: term.weight * rarity(chunks, with(|counts| counts.chunks.len())),
            file: term.weight * rarity(files, with(|counts| counts.files.len())),
        }
    };
    terms.iter().enumerate().map(of).collect()
}

/// The scores of one repository: of chunks by document, of files by number; 0 where no word stands.
struct Scores {
    chunks: Vec<f32>,
    files: Vec<f32>,
}

impl Scores {
    fn of(index: &RepositoryIndex, counts: &[Counts], (rarities, ranking): (&[Rarity], &Ranking)) -> Self {
        let documents = index.segment().map_or(0, |segment| segment.document_count());
        let mut scores = Self { chunks: vec![0.0; documents], files: vec![0.0; index.files().len()] };
        let saturated = |count: f32, limit: f32| count * (limit + 1.0) / (count + limit);
        for (counts, rarity) in counts.iter().zip(rarities) {
            for posting in &counts.chunks {
                scores.chunks[posting.number as usize] +=
                    rarity.chunk * saturated(posting.count, ranking.chunk_saturation);
            }
            for posting in &counts.files {
                scores.files[posting.number as usize] +=
                    rarity.file * saturated(posting.count, ranking.file_saturation);
            }
        }
        scores
    }

    fn candidates(
        &self,
        index: &RepositoryIndex,
        number: usize,
        (filter, ranking): (&Filter, &Ranking),
    ) -> Vec<Candidate> {
        let Some(segment) = index.segment() else { return Vec::new() };
        let mask = filter.mask(index);
        let factors = factors(index, ranking);
        let admitted = |file: usize| mask.as_ref().is_none_or(|mask| mask[file]);
        let candidate = |document, place: Place, chunk: f32| {
            let score = (chunk + ranking.file_share * self.files[place.file]) * factors[place.file];
            Candidate { index: number, document, place, score, also_at: Vec::new(), reasons: Vec::new() }
        };
        let mut has_chunk = vec![false; index.files().len()];
        let mut candidates = Vec::new();
        for (document, score) in (0..).zip(&self.chunks).filter(|(_, score)| **score > 0.0) {
            let file = segment.file_of(document);
            if admitted(file) {
                has_chunk[file] = true;
                candidates.push(candidate(Some(document), segment.place(document), *score));
            }
        }
        for (file, score) in self.files.iter().enumerate() {
            if *score > 0.0 && !has_chunk[file] && admitted(file) {
                candidates.push(candidate(None, whole_file(index, file), 0.0));
            }
        }
        candidates
    }
}

/// The place of a file that is shown as such.
pub(crate) fn whole_file(index: &RepositoryIndex, file: usize) -> Place {
    let end_line = index.files()[file].lines.clamp(1, FILE_HIT_LINES);
    Place { file, start_line: 1, end_line, kind: ChunkKind::File }
}

/// What the scores of each file are multiplied by: its part in the repository, and how often others mention it.
fn factors(index: &RepositoryIndex, ranking: &Ranking) -> Vec<f32> {
    let of = |(weight, file): (&f32, &crate::index::FileRecord)| {
        weight * (1.0 + ranking.mentioned * (1.0 + file.mentions as f32).log2())
    };
    index.weights().iter().zip(index.files()).map(of).collect()
}
