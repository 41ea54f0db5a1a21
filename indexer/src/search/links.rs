//! What files gain from the documents and scripts that lead to them. A launcher is described where it is used,
//! not where it is written: the best sections and scripts for a query pass on of their scores.

use std::collections::HashMap;

use tantivy::DocId;

use super::ranking::Ranking;
use super::scoring::Scores;
use crate::RepositoryIndex;
use crate::index::ChunkLinks;
use crate::mentions::Part;

// Only what fits the query well may lead on.
const LEADING_CHUNKS: usize = 20;
// Each further chunk confirms the first more than it adds.
const DECAY: f32 = 0.5;

/// The gains of the files of one repository.
pub(crate) struct Gains(Vec<f32>);

/// What a chunk passes on to a file.
pub(crate) struct Gain {
    /// The number of the file.
    pub(crate) file: usize,
    pub(crate) amount: f32,
    /// The chunk that leads to it.
    pub(crate) from: DocId,
    pub(crate) part: Part,
}

impl Gains {
    /// What the best chunks of a repository pass on; `best` is the best score in all repositories.
    pub(crate) fn of(index: &RepositoryIndex, scores: &Scores, best: f32, ranking: &Ranking) -> Self {
        let mut gains = vec![0.0; index.files().len()];
        each_gain(index, (scores, best), ranking, |gain| gains[gain.file] += gain.amount);
        Self(gains)
    }

    /// The gains, by the number of the file.
    pub(crate) fn by_file(&self) -> &[f32] {
        &self.0
    }
}

/// Calls `sink` with everything that the best chunks of a repository pass on, best first; `best` is the best score in
/// all repositories.
pub(crate) fn each_gain(
    index: &RepositoryIndex,
    (scores, best): (&Scores, f32),
    ranking: &Ranking,
    mut sink: impl FnMut(Gain),
) {
    if ranking.link == 0.0 {
        return;
    }
    let mut shares = vec![ranking.link; index.files().len()];
    let mut left_to_imports: HashMap<usize, f32> = HashMap::new();
    for (score, links) in leading(index, scores) {
        // A list of many files says little about each, and a poor match says little at all.
        let trust = (score / best).powf(ranking.link_trust) / (links.files.len() as f32).sqrt();
        for (file, part) in &links.files {
            let file = *file as usize;
            let weight = if *part == Part::Run { ranking.run } else { 1.0 };
            let mut amount = shares[file] * trust * score * weight;
            shares[file] *= DECAY;
            if *part == Part::Imported {
                // The best chunk that imports a file sets what all of them pass on.
                let left = left_to_imports.entry(file).or_insert(ranking.import_limit * score);
                amount = amount.min(*left);
                *left -= amount;
            }
            sink(Gain { file, amount, from: links.document, part: *part });
        }
    }
}

/// The chunks that lead to files and fit the query best, best first.
fn leading<'a>(index: &'a RepositoryIndex, scores: &Scores) -> Vec<(f32, &'a ChunkLinks)> {
    let Some(segment) = index.segment() else { return Vec::new() };
    let links = index.records().links.iter();
    let mut leading: Vec<(f32, &ChunkLinks)> = links
        .map(|links| (scores.of_chunk(links.document, segment.file_of(links.document)), links))
        .filter(|(score, _)| *score > 0.0)
        .collect();
    leading.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.document.cmp(&b.1.document)));
    leading.truncate(LEADING_CHUNKS);
    leading
}
