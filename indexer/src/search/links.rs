//! What files gain from the documents and scripts that lead to them. A launcher is described where it is used,
//! not where it is written: the best sections and scripts for a query pass on of their scores.

use super::ranking::Ranking;
use super::scoring::Scores;
use crate::RepositoryIndex;
use crate::index::ChunkLinks;

// Only what fits the query well may lead on.
const LEADING_CHUNKS: usize = 20;
// Each further chunk confirms the first more than it adds.
const DECAY: f32 = 0.5;

/// The gains of the files of one repository.
pub(crate) struct Gains(Vec<f32>);

impl Gains {
    /// What the best chunks of a repository pass on; `best` is the best score in all repositories.
    pub(crate) fn of(index: &RepositoryIndex, scores: &Scores, best: f32, ranking: &Ranking) -> Self {
        let mut gains = vec![0.0; index.files().len()];
        let Some(segment) = index.segment() else { return Self(gains) };
        let mut leading: Vec<(f32, &ChunkLinks)> = index
            .records()
            .links
            .iter()
            .map(|links| (scores.of_chunk(links.document, segment.file_of(links.document)), links))
            .filter(|(score, _)| *score > 0.0)
            .collect();
        leading.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.document.cmp(&b.1.document)));
        let mut shares = vec![ranking.link; gains.len()];
        for (score, links) in leading.into_iter().take(LEADING_CHUNKS) {
            // A list of many files says little about each, and a poor match says little at all.
            let trust = (score / best).powf(ranking.link_trust) / (links.files.len() as f32).sqrt();
            for file in &links.files {
                let share = &mut shares[*file as usize];
                gains[*file as usize] += *share * trust * score;
                *share *= DECAY;
            }
        }
        Self(gains)
    }

    /// The gains, by the number of the file.
    pub(crate) fn by_file(&self) -> &[f32] {
        &self.0
    }
}
