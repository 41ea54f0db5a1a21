//! Candidates of one repository on their way to a page: copies collapse into one, further hits of one file step
//! back, and equal scores keep a fixed order.

use std::cmp::Ordering;
use std::collections::HashMap;

use tantivy::DocId;

use super::filter::Part;
use crate::index::Place;
use crate::{ChunkKind, RepositoryIndex};

/// How many places of all repositories take part in an answer.
// Ranked lists lose their meaning far down; a caller narrows the query instead.
pub(crate) const MOST_CONSIDERED: usize = 1_200;

/// A place that may become a hit.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// The number of the index in the search.
    pub(crate) index: usize,
    /// Its document; a whole file has none.
    pub(crate) document: Option<DocId>,
    pub(crate) place: Place,
    pub(crate) score: f32,
    /// Numbers of other files with the same content.
    pub(crate) also_at: Vec<usize>,
    /// Why it was found, where that is known already.
    pub(crate) reasons: Vec<String>,
    /// Whether it was found by its name rather than by words.
    pub(crate) is_sure: bool,
    /// What its score was multiplied by after it was found, for who asks why.
    pub(crate) steps: Vec<(&'static str, f32)>,
}

impl Candidate {
    /// A place of a repository with its score.
    pub(crate) fn new(part: &Part<'_>, document: Option<DocId>, place: Place, score: f32) -> Self {
        Self {
            index: part.number,
            document,
            place,
            score,
            also_at: Vec::new(),
            reasons: Vec::new(),
            is_sure: false,
            steps: Vec::new(),
        }
    }

    /// The same, found for this reason.
    pub(crate) fn because(mut self, reason: &str) -> Self {
        self.reasons.push(reason.to_owned());
        self.is_sure = true;
        self
    }

    /// Multiplies its score and remembers why.
    pub(crate) fn multiply(&mut self, why: &'static str, factor: f32) {
        if (factor - 1.0).abs() > f32::EPSILON {
            self.score *= factor;
            self.steps.push((why, factor));
        }
    }

    /// Whether it is the place of `other` or begins around the first line of it.
    pub(crate) fn holds(&self, other: &Self) -> bool {
        let is_whole = self.place.kind == ChunkKind::File || other.place.kind == ChunkKind::File;
        let lines = self.place.start_line..=self.place.end_line;
        self.index == other.index
            && self.place.file == other.place.file
            && (is_whole || lines.contains(&other.place.start_line))
    }

    /// The order within one repository: better scores, then files and lines as they stand.
    fn before(&self, other: &Self) -> Ordering {
        let place =
            |candidate: &Self| (candidate.place.file, candidate.place.start_line, candidate.place.end_line);
        other.score.total_cmp(&self.score).then_with(|| place(self).cmp(&place(other)))
    }

    /// Whether both speak of common lines of one file.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.index == other.index
            && self.place.file == other.place.file
            && self.place.start_line <= other.place.end_line
            && other.place.start_line <= self.place.end_line
    }
}

/// Orders the candidates of one repository, best first.
pub(crate) fn order(index: &RepositoryIndex, mut candidates: Vec<Candidate>, repeat: f32) -> Vec<Candidate> {
    candidates.sort_unstable_by(Candidate::before);
    let mut kept = collapse(index, candidates);
    let mut seen: HashMap<usize, i32> = HashMap::new();
    for candidate in &mut kept {
        let times = seen.entry(candidate.place.file).or_default();
        candidate.multiply("a further hit of its file", repeat.powi(*times));
        *times += 1;
    }
    kept.sort_unstable_by(Candidate::before);
    kept
}

/// Keeps the best of the places that are the same lines of files with the same content.
fn collapse(index: &RepositoryIndex, candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut kept: Vec<Candidate> = Vec::with_capacity(candidates.len());
    let mut numbers: HashMap<(u64, u32, u32), usize> = HashMap::new();
    for candidate in candidates {
        let hash = index.files()[candidate.place.file].hash;
        match numbers.entry((hash, candidate.place.start_line, candidate.place.end_line)) {
            std::collections::hash_map::Entry::Occupied(entry) => {
                let first = &mut kept[*entry.get()];
                if first.place.file != candidate.place.file {
                    first.also_at.push(candidate.place.file);
                }
            }
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(kept.len());
                kept.push(candidate);
            }
        }
    }
    kept
}
