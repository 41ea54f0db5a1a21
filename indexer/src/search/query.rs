//! What is searched for, and the weighted terms that its words give.

use std::collections::HashMap;
use std::ops::Range;

use super::Matching;
use crate::Language;
use crate::terms::{Terms, Word, Words, is_request_word, is_stop_word, parts};

/// How a query is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// By its shape: quoted text, a symbol, a path, or words.
    #[default]
    Auto,
    /// Words, ranked.
    Text,
    /// The name of a definition.
    Symbol,
    /// Exactly this text, case included.
    Literal,
    /// A regular expression; over single lines unless it asks for more.
    Regex,
}

/// A search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// What to look for.
    pub text: String,
    /// How to read it.
    pub mode: Mode,
    /// Only paths that match this glob; one without `/` matches file names in every folder.
    pub path_glob: Option<String>,
    /// Only files in this language.
    pub language: Option<Language>,
    /// How literals and regular expressions are compared with the text.
    pub matching: Matching,
    /// How many lines before and behind a matching line are shown with it.
    pub context_lines: usize,
    /// Whether each hit tells how its score came about.
    pub explain: bool,
    /// How many hits at most.
    pub limit: usize,
    /// How many hits to pass over.
    pub offset: usize,
}

// More words than this are a pasted page, and each costs a look into every field.
const MOST_TERMS: usize = 64;
// The manner of asking matters little, but a query may consist of nothing else.
const REQUEST_WEIGHT: f32 = 0.15;
// With so many other terms the manner of asking is left out.
const ENOUGH_TERMS: usize = 3;
// Numbers of a request are values to set more often than names to find.
const NUMBER_WEIGHT: f32 = 0.35;
// Two words that stand side by side may be one identifier.
const JOINED_WEIGHT: f32 = 0.7;
// The asker's own files name no place in a repository.
const VALUE_WEIGHT: f32 = 0.2;

/// A term to look up.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct QueryTerm {
    /// As it is indexed.
    pub(crate) text: String,
    /// As it was asked for.
    pub(crate) shown: String,
    /// How much it counts.
    pub(crate) weight: f32,
}

/// The terms of a query, each once, in order; `values` are the bytes that the asker gives rather than seeks.
pub(crate) fn query_terms(text: &str, values: &[Range<usize>]) -> Vec<QueryTerm> {
    let mut collected = Collected::default();
    let mut terms = Terms::default();
    let words: Vec<Word<'_>> = Words::new(text).collect();
    let is_value = |word: &Word<'_>| values.iter().any(|value| value.contains(&word.start));
    for word in &words {
        let lowered = word.text.to_lowercase();
        let weight = if is_value(word) { weight(&lowered) * VALUE_WEIGHT } else { weight(&lowered) };
        terms.each(word.text, |term| {
            let shown = word.text.get(term.start..term.end).unwrap_or(term.text);
            collected.add(term.text, shown, weight);
        });
    }
    for pair in words.windows(2).filter(|pair| !is_value(&pair[0]) && !is_value(&pair[1])) {
        if let Some(joined) = joined(text, pair[0], pair[1]) {
            collected.add(&joined, &joined, JOINED_WEIGHT);
        }
    }
    for run in hyphenated(text) {
        collected.add(&run, &run, JOINED_WEIGHT);
    }
    let mut terms = collected.terms;
    // They stand in most files, so they cost most where they decide least.
    if terms.iter().filter(|term| term.weight > REQUEST_WEIGHT).count() >= ENOUGH_TERMS {
        terms.retain(|term| term.weight > REQUEST_WEIGHT);
    }
    terms.truncate(MOST_TERMS);
    terms
}

// What people ask of a manual rather than of code.
const EXPLANATION_STARTS: [&str; 8] =
    ["how to ", "how do ", "how can ", "what is ", "what are ", "what does ", "why ", "explain "];
const EXPLANATION_WORDS: [&str; 9] = [
    "install",
    "installation",
    "documentation",
    "tutorial",
    "readme",
    "citation",
    "licence",
    "license",
    "requirements",
];

/// Whether a query asks for an explanation rather than for a place in code.
pub(crate) fn asks_for_explanation(text: &str) -> bool {
    let lowered = text.trim().to_lowercase();
    EXPLANATION_STARTS.iter().any(|start| lowered.starts_with(start))
        || Words::new(&lowered).any(|word| EXPLANATION_WORDS.contains(&word.text))
}

#[derive(Default)]
struct Collected {
    terms: Vec<QueryTerm>,
    numbers: HashMap<String, usize>,
}

impl Collected {
    fn add(&mut self, text: &str, shown: &str, weight: f32) {
        // Underscores alone join to nothing.
        if text.is_empty() {
            return;
        }
        if let Some(number) = self.numbers.get(text) {
            let known = &mut self.terms[*number];
            known.weight = known.weight.max(weight);
            return;
        }
        self.numbers.insert(text.to_owned(), self.terms.len());
        self.terms.push(QueryTerm { text: text.to_owned(), shown: shown.to_lowercase(), weight });
    }
}

fn weight(lowered: &str) -> f32 {
    if is_request_word(lowered) {
        REQUEST_WEIGHT
    } else if lowered.bytes().all(|byte| byte.is_ascii_digit()) {
        NUMBER_WEIGHT
    } else {
        1.0
    }
}

/// Two neighbours as the one identifier they may be: `batch size` as `batch_size`.
fn joined(text: &str, first: Word<'_>, second: Word<'_>) -> Option<String> {
    let between = &text[first.start + first.text.len()..second.start];
    let close = between.len() <= 2 && between.chars().all(|character| character == ' ' || character == '-');
    let (first, second) = (first.text.to_lowercase(), second.text.to_lowercase());
    let plain = |word: &str| !is_stop_word(word) && !is_request_word(word) && word.is_ascii();
    let both = plain(&first) && plain(&second) && first.len() + second.len() > 3;
    (close && both).then(|| bare(&first) + &bare(&second))
}

/// Words of three and more parts that hyphens hold together, as long flags are.
fn hyphenated(text: &str) -> Vec<String> {
    let words =
        text.split(|character: char| !(character.is_ascii_alphanumeric() || "_-".contains(character)));
    let parts_of = |word: &str| word.split('-').filter(|part| !part.is_empty()).count();
    words.filter(|word| parts_of(word) > 2).map(|word| bare(&word.to_lowercase())).collect()
}

/// An identifier without its separators, as it is indexed.
fn bare(lowered: &str) -> String {
    lowered.split('-').flat_map(parts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, f32)]) {
        let terms = query_terms(text, &[]);
        let found: Vec<_> = terms.iter().map(|term| (term.text.as_str(), term.weight)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn weighs_words_by_what_they_are_for() {
        check("please train", &[("pleas", REQUEST_WEIGHT), ("train", 1.0)]);
        check(
            "Please train GCN with 5 layers",
            &[
                ("train", 1.0),
                ("gcn", 1.0),
                ("5", NUMBER_WEIGHT),
                ("layer", 1.0),
                ("traingcn", JOINED_WEIGHT),
                ("5layers", JOINED_WEIGHT),
            ],
        );
    }

    #[test]
    fn joins_what_may_be_one_identifier() {
        check("--num-stacks", &[("num", 1.0), ("stack", 1.0), ("numstacks", JOINED_WEIGHT)]);
        let terms = query_terms("max-seq-length", &[]);
        assert!(terms.iter().any(|term| term.text == "maxseqlength"), "{terms:?}");
        check("_-____", &[]);
        let terms = query_terms("the dataset, of size", &[]);
        assert!(terms.iter().all(|term| !term.text.contains("datasetsize")), "{terms:?}");
    }

    #[test]
    fn tells_questions_from_requests() {
        for (text, asks) in [
            ("How to install dgl", true),
            ("what is a heterograph", true),
            ("requirements for training", true),
            ("show how to train", false),
            ("install_hooks", false),
        ] {
            assert_eq!(asks_for_explanation(text), asks, "{text}");
        }
    }

    #[test]
    fn bounds_the_terms_of_a_pasted_page() {
        let page = (0..1_000).map(|number| format!("word{number}")).collect::<Vec<_>>().join(" ");
        assert_eq!(query_terms(&page, &[]).len(), MOST_TERMS);
    }
}
