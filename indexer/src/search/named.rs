//! Files and definitions that a sentence names. Who writes `GATConv` or `train.py` among other words means the place
//! where it is defined, so that place comes before those that use it.

use rayon::prelude::*;

use super::candidates::Candidate;
use super::filter::Part;
use super::symbols::Fit;
use super::{paths, symbols, wording};
use crate::Result;

// Each costs a look into every repository.
const MOST_NAMES: usize = 6;
// What is defined in more places is spoken of rather than sought.
const MOST_PLACES: usize = 6;
// What the surest fit scores.
const BEST_SCORE: f32 = 5.5;

/// The places that `text` names, where they are few; scores lie between 0 and 1.
pub(crate) fn find(parts: &[Part<'_>], text: &str) -> Result<Vec<Candidate>> {
    let mut found = Vec::new();
    for path in wording::paths(text).map(|place| &text[place]).take(MOST_NAMES) {
        if parts.iter().any(|part| part.index.has_name_of(path)) {
            add(&mut found, parts.iter().map(|part| paths::find(part, path)).collect());
        }
    }
    for name in wording::names(text).into_iter().take(MOST_NAMES) {
        let places = parts.par_iter().map(|part| symbols::find(part, name, Fit::Exact));
        add(&mut found, places.collect::<Result<_>>()?);
    }
    Ok(found)
}

fn add(found: &mut Vec<Candidate>, places: Vec<Vec<Candidate>>) {
    if places.iter().map(Vec::len).sum::<usize>() <= MOST_PLACES {
        let scaled = |place: Candidate| Candidate { score: place.score / BEST_SCORE, ..place };
        found.extend(places.into_iter().flatten().map(scaled));
    }
}

/// Lets the named places score that share of the best candidate's score, at least: a candidate that is or holds one
/// rises, others are added.
pub(crate) fn raise(candidates: &mut Vec<Candidate>, named: Vec<Candidate>, share: f32) {
    let best = candidates.iter().map(|candidate| candidate.score).fold(0.0, f32::max);
    for place in named {
        let score = best * share * place.score;
        let holds = |candidate: &&mut Candidate| candidate.holds(&place);
        match candidates.iter_mut().filter(holds).max_by(|a, b| a.score.total_cmp(&b.score)) {
            Some(held) if held.score < score => {
                held.reasons.extend(place.reasons);
                held.multiply("the query names it", score / held.score);
            }
            Some(held) => held.reasons.extend(place.reasons),
            None => {
                let mut place = place;
                place.multiply("beside the best place", best * share);
                candidates.push(place);
            }
        }
    }
}
