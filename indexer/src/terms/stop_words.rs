//! Words that say nothing about a place in a repository, as terms of an index or as words of a request.

use std::collections::HashSet;
use std::sync::LazyLock;

/// The grammar words of English and the commonest keywords of Python.
static STOP_WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("stop_words.txt").split_whitespace().collect());

/// They are indexed, since texts use them in earnest, but a request is not about them.
static REQUEST_WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("request_words.txt").split_whitespace().collect());

// Longer words need no lookup while a text is indexed.
const LONGEST_STOP_WORD_BYTES: usize = 6;

/// Whether a lower-case word is so common in code or prose that it is not indexed.
pub(crate) fn is_stop_word(word: &str) -> bool {
    word.len() <= LONGEST_STOP_WORD_BYTES && STOP_WORDS.contains(word)
}

/// Whether a lower-case word belongs to the manner of asking rather than to what is asked for.
pub(crate) fn is_request_word(word: &str) -> bool {
    REQUEST_WORDS.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_every_listed_word() {
        assert!(STOP_WORDS.iter().all(|word| is_stop_word(word)));
        assert!(is_request_word("please") && !is_request_word("train"));
        assert!(!is_stop_word("model"));
    }
}
