//! Finding files by a path or the end of one.

use super::candidates::{Candidate, order};
use super::filter::Filter;
use super::text::whole_file;
use crate::RepositoryIndex;

// Above every fit of a symbol: who writes a path means it.
const SCORE: f32 = 5.0;

/// The files of one repository whose paths end so.
pub(crate) fn find(index: &RepositoryIndex, number: usize, path: &str, filter: &Filter) -> Vec<Candidate> {
    let wanted = path.trim().trim_start_matches("./").trim_start_matches('/').to_lowercase();
    let mask = filter.mask(index);
    let ends_so = |path: &str| {
        let lowered = path.to_lowercase();
        lowered.strip_suffix(&wanted).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    let mut candidates = Vec::new();
    for (file, record) in index.files().iter().enumerate() {
        if !mask.as_ref().is_none_or(|mask| mask[file]) || !ends_so(record.path.as_str()) {
            continue;
        }
        // A shorter path is nearer to what was written.
        let nearness = wanted.len() as f32 / record.path.as_str().len() as f32;
        let score = SCORE + 0.5 * nearness * index.weights()[file];
        let reasons = vec!["path".to_owned()];
        let place = whole_file(index, file);
        candidates.push(Candidate {
            index: number,
            document: None,
            place,
            score,
            also_at: Vec::new(),
            reasons,
        });
    }
    order(index, candidates, 1.0)
}
