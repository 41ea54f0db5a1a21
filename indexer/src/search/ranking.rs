//! The numbers that decide a ranking, in one place. Chunks and files are each scored by BM25F: the counts of a
//! term in all fields are added up with their weights before they saturate, so that a word in five fields does not
//! count five times; a chunk then adds what its file scores.

use super::query::asks_for_explanation;
use crate::index::{CHUNK_FIELDS, FILE_FIELDS};

/// How one field counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldRanking {
    /// What a word in this field counts, beside one in a body.
    pub weight: f32,
    /// How much a longer field counts less, 0 to 1 (the `b` of BM25).
    pub length_penalty: f32,
}

/// The weights of a ranking; the default is what every search uses, others are for experiments.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// Title and body of a chunk.
    pub chunk: [FieldRanking; CHUNK_FIELDS.len()],
    /// Path, flags, description and mentions of a file.
    pub file: [FieldRanking; FILE_FIELDS.len()],
    /// How fast repeated words of a chunk stop counting (the `k1` of BM25).
    pub chunk_saturation: f32,
    /// The same for files.
    pub file_saturation: f32,
    /// What the best chunk for a word adds to the count of its file.
    pub content: f32,
    /// What the score of a file counts beside that of a chunk.
    pub file_share: f32,
    /// What a chunk passes on of its score to the files it leads to.
    pub link: f32,
    /// How much less a chunk passes on that fits worse than the best one (an exponent; 0 passes on alike).
    pub link_trust: f32,
    /// What of that a file gets that a command runs: one launcher serves many purposes.
    pub run: f32,
    /// What all code in documents that imports a file passes on at most, beside the score of the best chunk of it: what
    /// everybody imports is described by nobody.
    pub import_limit: f32,
    /// What documentation counts beside code when a query asks for an explanation.
    pub documentation: f32,
    /// What each further hit of the same file counts beside the one before.
    pub repeat: f32,
    /// What each doubling of the mentions of a file adds.
    pub mentioned: f32,
    /// How much less places count in a repository that fits worse than the best one (an exponent).
    pub repository: f32,
    /// How much rarer words count more (an exponent of their rarity).
    pub rarity: f32,
    /// What a text adds in which all neighbours of a short query are neighbours.
    pub near: f32,
    /// What a file or definition that the query names scores at least, beside the best place.
    pub named: f32,
}

const fn field(weight: f32, length_penalty: f32) -> FieldRanking {
    FieldRanking { weight, length_penalty }
}

impl Ranking {
    /// The weights for one query: who asks for an explanation wants the document, not the script it leads to.
    pub(crate) fn for_query(&self, text: &str) -> Self {
        if asks_for_explanation(text) {
            Self { link: 0.0, ..self.clone() }
        } else {
            Self { documentation: 1.0, ..self.clone() }
        }
    }
}

impl Default for Ranking {
    // Chosen by hand, in broad steps, on the benchmark's questions, with half-remembered docstrings as the check that
    // looking for one function does not suffer. What documents and scripts lead to decides most; the rest is flat
    // around here. Weights that a search over one half of the repositories finds gain there what they lose on the other.
    fn default() -> Self {
        Self {
            chunk: [field(2.0, 0.4), field(1.0, 0.5)],
            file: [field(2.0, 0.3), field(1.5, 0.6), field(0.5, 0.6), field(1.0, 0.2)],
            chunk_saturation: 1.2,
            file_saturation: 1.2,
            content: 0.25,
            file_share: 1.0,
            link: 2.3,
            link_trust: 1.0,
            run: 0.55,
            import_limit: 1.5,
            documentation: 2.0,
            repeat: 0.75,
            mentioned: 0.03,
            repository: 1.5,
            rarity: 0.8,
            near: 0.35,
            named: 0.85,
        }
    }
}
