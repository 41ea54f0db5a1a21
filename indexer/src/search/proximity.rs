//! The last pass of ranking: the texts of the first candidates are read, and those in which neighbours in the query are
//! neighbours too, or in which its quoted text stands as it is, come before others. Positions in the index would say
//! the same for all candidates, at twice its size.

use std::collections::HashMap;

use rayon::prelude::*;

use super::candidates::Candidate;
use super::filter::Part;
use super::query::QueryTerm;
use super::ranking::Ranking;
use super::scoring::Rarity;
use super::wording::quotations;
use crate::source::Source;
use crate::terms::{Terms, Words};

// Larger files are data; reading them would take longer than the rest of a search.
const LARGEST_FILE_BYTES: u64 = 2 << 20;
// Words that stand no further apart than this are neighbours.
const NEAR: usize = 2;
// In a longer query a single pair of neighbours says less.
const SHORT_QUERY_TERMS: f32 = 10.0;
/// Candidates that are read; agents seldom look at more hits.
const DEPTH: usize = 15;

/// What a text should hold.
pub(crate) struct Neighbours<'a> {
    /// The number of each term.
    numbers: HashMap<&'a str, usize>,
    /// By the numbers of two terms, the rarity of the commoner one.
    pairs: HashMap<(usize, usize), f32>,
    quotations: Vec<&'a str>,
}

impl<'a> Neighbours<'a> {
    /// The neighbours in a query.
    pub(crate) fn of(text: &'a str, terms: &'a [QueryTerm], rarities: &[Rarity]) -> Self {
        let numbers = terms.iter().enumerate().map(|(number, term)| (term.text.as_str(), number)).collect();
        let mut neighbours = Self { numbers, pairs: HashMap::new(), quotations: quotations(text) };
        let mut pairs = HashMap::new();
        let words: String = Words::new(text).flat_map(|word| [word.text, " "]).collect();
        neighbours.each_pair(&words, |pair| {
            pairs.insert(pair, rarities[pair.0].chunk.min(rarities[pair.1].chunk));
        });
        neighbours.pairs = pairs;
        neighbours
    }

    /// The share of the query's neighbours that stand side by side in a text, 0 to 1, and 1 for each quotation.
    fn score(&self, text: &str) -> f32 {
        let mut found = HashMap::new();
        self.each_pair(text, |pair| {
            if let Some(rarity) = self.pairs.get(&pair) {
                found.insert(pair, *rarity);
            }
        });
        let total: f32 = sum_in_order(&self.pairs);
        let near = if total > 0.0 { sum_in_order(&found) / total } else { 0.0 };
        near + self.quotations.iter().filter(|quotation| text.contains(*quotation)).count() as f32
    }

    /// Calls `sink` with the numbers of every two terms of the query that stand near each other in a text.
    fn each_pair(&self, text: &str, mut sink: impl FnMut((usize, usize))) {
        let mut last: Vec<(usize, usize)> = Vec::new();
        Terms::default().each(text, |term| {
            let Some(number) = self.numbers.get(term.text) else { return };
            last.retain(|(_, position)| term.position - position <= NEAR);
            for (earlier, position) in &last {
                if *position < term.position && earlier != number {
                    sink((*earlier, *number));
                }
            }
            last.push((*number, term.position));
        });
    }
}

/// Sums of floating point numbers depend on the order, and that of a map changes from run to run.
fn sum_in_order(pairs: &HashMap<(usize, usize), f32>) -> f32 {
    let mut pairs: Vec<_> = pairs.iter().collect();
    pairs.sort_unstable_by_key(|(pair, _)| **pair);
    pairs.into_iter().map(|(_, rarity)| rarity).sum()
}

/// Reads the first candidates, which stand best first, and lets what their texts hold count.
pub(crate) fn weigh(
    parts: &[Part<'_>],
    candidates: &mut [Candidate],
    wanted: &Neighbours<'_>,
    ranking: &Ranking,
) {
    if wanted.pairs.is_empty() && wanted.quotations.is_empty() {
        return;
    }
    let brevity = (SHORT_QUERY_TERMS / wanted.numbers.len().max(1) as f32).min(1.0);
    let depth = candidates.len().min(DEPTH);
    candidates[..depth].par_iter_mut().for_each(|candidate| {
        // What cannot be read is shown without its lines in any case.
        let Some(text) = text(parts, candidate) else { return };
        candidate.multiply("words near each other", 1.0 + ranking.near * brevity * wanted.score(&text));
    });
}

fn text(parts: &[Part<'_>], candidate: &Candidate) -> Option<String> {
    let index = parts[candidate.index].index;
    let path = &index.files()[candidate.place.file].path;
    let (source, _) = Source::decode(index.root().read(path, LARGEST_FILE_BYTES).ok()?);
    let first = (candidate.place.start_line as usize).saturating_sub(1).min(source.line_count());
    let last = (candidate.place.end_line as usize).clamp(first, source.line_count());
    Some(source.text()[source.bytes_of(first..last)].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::query::query_terms;

    #[test]
    fn counts_neighbours_and_quotations() {
        let query = "graph attention \"size mismatch\"";
        let terms = query_terms(query, &[]);
        let rarities: Vec<Rarity> = terms.iter().map(|_| Rarity { chunk: 1.0, file: 1.0 }).collect();
        let wanted = Neighbours::of(query, &terms, &rarities);
        let score = |text: &str| wanted.score(text);
        assert_eq!(score("attention in a quite different graph"), 0.0);
        assert!(score("a graph with attention") > 0.0);
        assert!(score("graph attention: size mismatch") > score("graph attention, mismatch of size"));
        assert!(score("raise size mismatch") > 1.0);
    }
}
