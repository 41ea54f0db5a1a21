//! Finding files by a path or the end of one.

use super::candidates::{Candidate, order};
use super::filter::Part;
use super::text::whole_file;

// Above every fit of a symbol: who writes a path means it.
const SCORE: f32 = 5.0;

/// The files of one repository whose paths end so; hits are written with the name of the repository before the path,
/// so that is understood as well.
pub(crate) fn find(part: &Part<'_>, path: &str) -> Vec<Candidate> {
    let wanted = path.trim().trim_start_matches("./").trim_start_matches('/').to_lowercase();
    let found = ending_so(part, &wanted);
    let beneath = wanted.strip_prefix(part.index.name().as_str()).and_then(|rest| rest.strip_prefix('/'));
    match beneath {
        Some(beneath) if found.is_empty() => ending_so(part, beneath),
        _ => found,
    }
}

fn ending_so(part: &Part<'_>, wanted: &str) -> Vec<Candidate> {
    let ends_so = |path: &str| {
        let lowered = path.to_lowercase();
        lowered.strip_suffix(wanted).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    let mut candidates = Vec::new();
    for (file, record) in part.index.files().iter().enumerate() {
        if part.admits(file) && ends_so(record.path.as_str()) {
            // A shorter path is nearer to what was written.
            let nearness = wanted.len() as f32 / record.path.as_str().len() as f32;
            let score = SCORE + 0.5 * nearness * part.index.weights()[file];
            candidates.push(Candidate::new(part, None, whole_file(part.index, file), score).because("path"));
        }
    }
    order(part.index, candidates, 1.0)
}
