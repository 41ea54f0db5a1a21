//! The second pass of ranking: counts become scores, of chunks and of files, and the two become one.

use tantivy::DocId;

use super::counting::{Counts, Posting};
use super::filter::Part;
use super::links::Gains;
use super::query::QueryTerm;
use super::ranking::Ranking;
use crate::RepositoryIndex;

/// How much one word counts in chunks and in files.
pub(crate) struct Rarity {
    pub(crate) chunk: f32,
    pub(crate) file: f32,
}

/// Weighs words by how few chunks and files of all searched repositories hold them.
pub(crate) fn rarities(
    parts: &[Part<'_>],
    terms: &[QueryTerm],
    counts: &[Vec<Counts>],
    ranking: &Ranking,
) -> Vec<Rarity> {
    let sum = |of: fn(&RepositoryIndex) -> u64| parts.iter().map(|part| of(part.index)).sum::<u64>() as f32;
    let chunks = sum(|index| index.report().chunks);
    let files = sum(|index| index.report().files);
    let rarity = |all: f32, with: usize| {
        let odds = (all - with as f32 + 0.5).max(0.0) / (with as f32 + 0.5);
        (1.0 + odds).ln().powf(ranking.rarity)
    };
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

/// The scores of one repository before links count.
pub(crate) struct Scores {
    /// Of chunks, by document; 0 where no word stands.
    chunks: Vec<f32>,
    /// Of files, by number, as they count in the score of a chunk.
    files: Vec<f32>,
    /// The chunks where some word stands, each with its own score and that of its file.
    matched: Vec<Scored>,
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
        rarities: &[Rarity],
        ranking: &Ranking,
    ) -> Self {
        let Some(segment) = index.segment() else {
            return Self { chunks: Vec::new(), files: Vec::new(), matched: Vec::new() };
        };
        let mut chunks = vec![0.0; segment.chunk_count()];
        let mut files = vec![0.0; index.files().len()];
        for (counts, rarity) in counts.iter().zip(rarities) {
            add(&mut chunks, &counts.chunks, rarity.chunk, ranking.chunk_saturation);
            add(&mut files, &counts.files, rarity.file * ranking.file_share, ranking.file_saturation);
        }
        let matched = (0..)
            .zip(&chunks)
            .filter(|(_, score)| **score > 0.0)
            .map(|(document, score)| {
                let file = segment.file_of(document);
                Scored { document: Some(document), file, score: score + files[file] }
            })
            .collect();
        Self { chunks, files, matched }
    }

    /// The score of a chunk with that of its file `file`; 0 when no word stands in the chunk itself.
    pub(crate) fn of_chunk(&self, document: DocId, file: usize) -> f32 {
        let chunk = self.chunks[document as usize];
        if chunk > 0.0 { chunk + self.files[file] } else { 0.0 }
    }

    /// The best score of a chunk with that of its file.
    pub(crate) fn best(&self) -> f32 {
        self.matched.iter().map(|scored| scored.score).fold(0.0, f32::max)
    }

    /// All places that score, with what links add: chunks, and files none of whose chunks score.
    pub(crate) fn places(&self, part: &Part<'_>, gains: &Gains, ranking: &Ranking) -> Vec<Scored> {
        let gains = gains.by_file();
        let factors = factors(part.index, ranking);
        let mut has_chunk = vec![false; self.files.len()];
        let mut places = Vec::with_capacity(self.matched.len());
        for place in self.matched.iter().filter(|place| part.admits(place.file)) {
            has_chunk[place.file] = true;
            places.push(Scored { score: (place.score + gains[place.file]) * factors[place.file], ..*place });
        }
        for (file, score) in self.files.iter().enumerate() {
            let score = (score + gains[file]) * factors[file];
            if score > 0.0 && !has_chunk[file] && part.admits(file) {
                places.push(Scored { document: None, file, score });
            }
        }
        places
    }
}

fn add(scores: &mut [f32], postings: &[Posting], rarity: f32, saturation: f32) {
    let weight = rarity * (saturation + 1.0);
    for posting in postings {
        scores[posting.number as usize] += weight * posting.count / (posting.count + saturation);
    }
}

/// What the scores of each file are multiplied by: its part in the repository, how often others mention it, and
/// what documentation counts for this query.
pub(crate) fn factors(index: &RepositoryIndex, ranking: &Ranking) -> Vec<f32> {
    let kinds = index
        .documentation()
        .iter()
        .map(|is_documentation| if *is_documentation { ranking.documentation } else { 1.0 });
    let of = |((weight, fame), kind): ((&f32, &f32), f32)| weight * kind * (1.0 + ranking.mentioned * fame);
    index.weights().iter().zip(index.fame()).zip(kinds).map(of).collect()
}
