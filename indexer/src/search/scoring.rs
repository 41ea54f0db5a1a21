//! The second pass of ranking: counts become scores, of chunks and of files, and the two become one.

use tantivy::DocId;

use super::counting::Counts;
use super::filter::Filter;
use super::links::Gains;
use super::query::QueryTerm;
use super::ranking::Ranking;
use crate::RepositoryIndex;
use crate::index::{FileRecord, Segment};

/// How much one word counts in chunks and in files.
pub(crate) struct Rarity {
    chunk: f32,
    file: f32,
}

/// Weighs words by how few chunks and files of all searched repositories hold them.
pub(crate) fn rarities(
    indexes: &[&RepositoryIndex],
    terms: &[QueryTerm],
    counts: &[Vec<Counts>],
) -> Vec<Rarity> {
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

/// The scores of one repository; 0 where no word stands.
pub(crate) struct Scores {
    /// Of chunks, by document.
    chunks: Vec<f32>,
    /// Of files, by number, with their share in the score of a chunk.
    files: Vec<f32>,
    /// The best sum of a chunk and its file.
    best: f32,
}

/// A place with its score.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scored {
    /// The chunk; nothing for a whole file.
    pub(crate) document: Option<DocId>,
    pub(crate) file: usize,
    pub(crate) score: f32,
}

impl Scores {
    /// Adds up what the words of a query score.
    pub(crate) fn of(
        index: &RepositoryIndex,
        counts: &[Counts],
        (rarities, ranking): (&[Rarity], &Ranking),
    ) -> Self {
        let documents = index.segment().map_or(0, Segment::document_count);
        let mut scores =
            Self { chunks: vec![0.0; documents], files: vec![0.0; index.files().len()], best: 0.0 };
        for (counts, rarity) in counts.iter().zip(rarities) {
            let (limit, weight) = (ranking.chunk_saturation, rarity.chunk * (ranking.chunk_saturation + 1.0));
            for posting in &counts.chunks {
                scores.chunks[posting.number as usize] += weight * posting.count / (posting.count + limit);
            }
            let (limit, weight) = (ranking.file_saturation, rarity.file * (ranking.file_saturation + 1.0));
            for posting in &counts.files {
                scores.files[posting.number as usize] +=
                    ranking.file_share * weight * posting.count / (posting.count + limit);
            }
        }
        scores.best = index.segment().map_or(0.0, |segment| scores.find_best(segment));
        scores
    }

    /// The score of a chunk with that of its file; 0 when no word stands in the chunk itself.
    pub(crate) fn of_chunk(&self, segment: &Segment, document: DocId) -> f32 {
        let chunk = self.chunks[document as usize];
        if chunk > 0.0 { chunk + self.files[segment.file_of(document)] } else { 0.0 }
    }

    /// The best score of a chunk with that of its file.
    pub(crate) fn best(&self) -> f32 {
        self.best
    }

    fn find_best(&self, segment: &Segment) -> f32 {
        let documents = 0..u32::try_from(self.chunks.len()).unwrap_or(u32::MAX);
        documents.map(|document| self.of_chunk(segment, document)).fold(0.0, f32::max)
    }

    /// All places that score: chunks, and files none of whose chunks do.
    pub(crate) fn places(
        &self,
        index: &RepositoryIndex,
        gains: &Gains,
        (filter, ranking): (&Filter, &Ranking),
    ) -> Vec<Scored> {
        let Some(segment) = index.segment() else { return Vec::new() };
        let mask = filter.mask(index);
        let admitted = |file: usize| mask.as_ref().is_none_or(|mask| mask[file]);
        let whole: Vec<f32> =
            self.files.iter().zip(gains.by_file()).map(|(file, gain)| file + gain).collect();
        let factors = factors(index, ranking);
        let mut has_chunk = vec![false; whole.len()];
        let mut places = Vec::new();
        for (document, chunk) in (0..).zip(&self.chunks).filter(|(_, score)| **score > 0.0) {
            let file = segment.file_of(document);
            if admitted(file) {
                has_chunk[file] = true;
                let score = (chunk + whole[file]) * factors[file];
                places.push(Scored { document: Some(document), file, score });
            }
        }
        for (file, score) in whole.iter().enumerate() {
            if *score > 0.0 && !has_chunk[file] && admitted(file) {
                places.push(Scored { document: None, file, score: score * factors[file] });
            }
        }
        places
    }
}

/// What the scores of each file are multiplied by: its part in the repository, and how often others mention it.
fn factors(index: &RepositoryIndex, ranking: &Ranking) -> Vec<f32> {
    let of = |(weight, file): (&f32, &FileRecord)| {
        weight * (1.0 + ranking.mentioned * (1.0 + file.mentions as f32).log2())
    };
    index.weights().iter().zip(index.files()).map(of).collect()
}
