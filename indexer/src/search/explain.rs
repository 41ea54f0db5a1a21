//! Why a place has its score: what was added up and what it was multiplied by, in the order of the ranking, so that a
//! person who wonders about a hit can follow the sum.

use serde::Serialize;

use super::candidates::Candidate;
use super::counting::Posting;
use super::filter::Part;
use super::links::each_gain;
use super::scoring::factors;
use super::text::Found;
use crate::index::Segment;
use crate::mentions;

/// A part of a score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contribution {
    /// What it is.
    pub why: String,
    /// What it adds, or what it multiplies by.
    pub amount: f32,
}

/// How a score came about: the sum of what was added, times every factor.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Explanation {
    /// What was added up.
    pub added: Vec<Contribution>,
    /// What the sum was multiplied by; factors of 1 are left out.
    pub factors: Vec<Contribution>,
}

impl Explanation {
    /// The score that it explains.
    pub fn score(&self) -> f32 {
        let product: f32 = self.factors.iter().map(|factor| factor.amount).product();
        self.added.iter().map(|added| added.amount).sum::<f32>() * product
    }

    /// A place that was found in another way than by words.
    pub(super) fn of_sure(candidate: &Candidate) -> Self {
        let mut explanation = Self::default();
        let factors: f32 = candidate.steps.iter().map(|(_, factor)| factor).product();
        explanation.add(candidate.reasons.join("; "), candidate.score / factors);
        explanation.multiply_by_steps(candidate);
        explanation
    }

    fn add(&mut self, why: String, amount: f32) {
        if amount != 0.0 {
            self.added.push(Contribution { why, amount });
        }
    }

    fn multiply(&mut self, why: &str, amount: f32) {
        if (amount - 1.0).abs() > f32::EPSILON {
            self.factors.push(Contribution { why: why.to_owned(), amount });
        }
    }

    fn multiply_by_steps(&mut self, candidate: &Candidate) {
        candidate.steps.iter().for_each(|(why, factor)| self.multiply(why, *factor));
    }
}

impl Found {
    /// Why a candidate scores what it does.
    pub(super) fn explain(&self, part: &Part<'_>, candidate: &Candidate) -> Explanation {
        let Some(segment) = part.index.segment().filter(|_| !candidate.is_sure) else {
            return Explanation::of_sure(candidate);
        };
        let mut explanation = Explanation::default();
        self.add_words(&mut explanation, candidate);
        self.add_links(&mut explanation, (part, segment), candidate);
        let file = candidate.place.file;
        let index = part.index;
        let role = index.weights()[file];
        let fame = 1.0 + self.ranking.mentioned * index.fame()[file];
        explanation.multiply("the part of the file in its repository", role);
        explanation.multiply("how often others mention it", fame);
        explanation.multiply("documentation", factors(index, &self.ranking)[file] / (role * fame));
        explanation.multiply("how well the repository fits", self.standing(part.number));
        explanation.multiply_by_steps(candidate);
        explanation
    }

    fn add_words(&self, explanation: &mut Explanation, candidate: &Candidate) {
        let ranking = &self.ranking;
        let of = |postings: &[Posting], number: u32, saturation: f32| {
            let posting = postings.iter().find(|posting| posting.number == number);
            posting.map_or(0.0, |posting| (saturation + 1.0) * posting.count / (posting.count + saturation))
        };
        let file = u32::try_from(candidate.place.file).unwrap_or(u32::MAX);
        for ((term, counts), rarity) in
            self.terms.iter().zip(&self.counts[candidate.index]).zip(&self.rarities)
        {
            if let Some(document) = candidate.document {
                let amount = rarity.chunk * of(&counts.chunks, document, ranking.chunk_saturation);
                explanation.add(format!("`{}` in the place", term.shown), amount);
            }
            let amount = rarity.file * ranking.file_share * of(&counts.files, file, ranking.file_saturation);
            let fields: Vec<&str> = counts.fields(None, candidate.place.file).collect();
            let fields = if fields.is_empty() { "text".to_owned() } else { fields.join(", ") };
            explanation.add(format!("`{}` in the file: {fields}", term.shown), amount);
        }
    }

    fn add_links(
        &self,
        explanation: &mut Explanation,
        (part, segment): (&Part<'_>, &Segment),
        candidate: &Candidate,
    ) {
        let scores = (&self.scores[part.number], self.best);
        each_gain(part.index, scores, &self.ranking, |gain| {
            if gain.file == candidate.place.file {
                let from = segment.place(gain.from);
                let path = &part.index.files()[from.file].path;
                let does = match gain.part {
                    mentions::Part::Run => "runs it",
                    mentions::Part::Named => "speaks of it",
                    mentions::Part::Imported => "imports it",
                    mentions::Part::Argument => "passes it on",
                };
                explanation.add(format!("{path}:{}-{} {does}", from.start_line, from.end_line), gain.amount);
            }
        });
    }
}
