//! The last pass of ranking: the texts of the first candidates are read, and those in which neighbours in the query are
//! neighbours too, or in which its quoted text stands as it is, come before others. Positions in the index would say
//! the same for all candidates, at twice its size.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::RangeInclusive;

use rayon::prelude::*;

use super::candidates::Candidate;
use super::filter::Part;
use super::query::QueryTerm;
use super::scoring::Rarity;
use super::text::Found;
use super::wording::quotations;
use crate::terms::{Term, Terms, Words};

// Larger files are data; reading them would take longer than the rest of a search.
const LARGEST_FILE_BYTES: u64 = 2 << 20;
// Words that stand no further apart than this are neighbours.
const NEAR: usize = 2;
// In a longer query a single pair of neighbours says less.
const SHORT_QUERY_TERMS: f32 = 10.0;
/// Candidates that are read; agents seldom look at more hits.
const DEPTH: usize = 10;

thread_local! {
    /// Stems are found once for all searches of a thread; without their cache they cost most of this pass.
    static TERMS: RefCell<Terms> = RefCell::default();
}

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
        let mut visit = |term: Term<'_>| {
            let Some(number) = self.numbers.get(term.text) else { return };
            last.retain(|(_, position)| term.position - position <= NEAR);
            for (earlier, position) in &last {
                if *position < term.position && earlier != number {
                    sink((*earlier, *number));
                }
            }
            last.push((*number, term.position));
        };
        TERMS.with_borrow_mut(|terms| terms.each(text, &mut visit));
    }
}

/// Sums of floating point numbers depend on the order, and that of a map changes from run to run.
fn sum_in_order(pairs: &HashMap<(usize, usize), f32>) -> f32 {
    let mut pairs: Vec<_> = pairs.iter().collect();
    pairs.sort_unstable_by_key(|(pair, _)| **pair);
    pairs.into_iter().map(|(_, rarity)| rarity).sum()
}

/// Reads the first candidates, which stand best first, and lets what their texts hold count; how many of the first may
/// have another order now. What was found by its name stays where it is.
pub(crate) fn weigh(parts: &[Part<'_>], candidates: &mut [Candidate], found: &Found) -> usize {
    let wanted = Neighbours::of(&found.text, &found.terms, &found.rarities);
    if found.ranking.near == 0.0 || wanted.pairs.is_empty() && wanted.quotations.is_empty() {
        return 0;
    }
    let brevity = (SHORT_QUERY_TERMS / wanted.numbers.len().max(1) as f32).min(1.0);
    let depth = candidates.len().min(DEPTH);
    candidates[..depth].par_iter_mut().filter(|candidate| !candidate.is_sure).for_each(|candidate| {
        // What cannot be read is shown without its lines in any case.
        let Some(text) = text(parts, candidate) else { return };
        let factor = 1.0 + found.ranking.near * brevity * wanted.score(&text);
        candidate.multiply("words near each other", factor);
    });
    depth
}

fn text(parts: &[Part<'_>], candidate: &Candidate) -> Option<String> {
    let index = parts[candidate.index].index;
    let path = &index.files()[candidate.place.file].path;
    let bytes = index.root().read(path, LARGEST_FILE_BYTES).ok()?;
    let lines = lines(&bytes, candidate.place.start_line as usize..=candidate.place.end_line as usize);
    Some(String::from_utf8_lossy(lines).into_owned())
}

/// The bytes of lines, counted from 1.
fn lines(bytes: &[u8], lines: RangeInclusive<usize>) -> &[u8] {
    let mut ends = memchr::memchr_iter(b'\n', bytes).map(|end| end + 1);
    let start = if *lines.start() > 1 { ends.nth(lines.start() - 2).unwrap_or(bytes.len()) } else { 0 };
    let end = ends.nth(lines.end().saturating_sub(*lines.start())).unwrap_or(bytes.len());
    &bytes[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::query::query_terms;

    #[test]
    fn takes_the_lines_of_a_place() {
        for (first, last, expected) in [(1, 1, "a\n"), (2, 3, "b\nc"), (1, 9, "a\nb\nc"), (4, 5, "")] {
            assert_eq!(lines(b"a\nb\nc", first..=last), expected.as_bytes(), "{first}-{last}");
        }
    }

    #[test]
    fn counts_neighbours_and_quotations() {
        let query = "graph attention \"size mismatch\"";
        let terms = query_terms(query, &[]);
        let rarities: Vec<Rarity> = terms.iter().map(|_| Rarity { chunk: 1.0, file: 1.0 }).collect();
        let wanted = Neighbours::of(query, &terms, &rarities);
        let score = |text: &str| wanted.score(text);
        assert!(score("attention in a quite different graph") < f32::EPSILON);
        assert!(score("a graph with attention") > 0.0);
        assert!(score("graph attention: size mismatch") > score("graph attention, mismatch of size"));
        assert!(score("raise size mismatch") > 1.0);
    }
}
