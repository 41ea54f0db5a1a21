//! English stems with a cache: texts repeat few words, and the stemmer costs more than all other steps together.

use std::collections::HashMap;

use frostem::{Algorithm, Stemmer};

// Enough for every word of the largest repository of the corpus; a hostile text must not grow it further.
const MOST_CACHED: usize = 100_000;
// Shorter words lose their meaning, as `bus` and `bias` would.
const SHORTEST_STEMMED: usize = 4;

/// Reduces English words to their stems.
pub(crate) struct Stems {
    stemmer: Stemmer,
    cache: HashMap<Box<str>, Box<str>>,
    uncached: String,
}

impl Stems {
    /// The stem of a word in lower case; words with other letters than a-z are their own stems.
    pub(crate) fn stem<'a>(&'a mut self, word: &'a str) -> &'a str {
        if word.len() < SHORTEST_STEMMED || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return word;
        }
        if !self.cache.contains_key(word) {
            let stem = self.stemmer.stem(word);
            if self.cache.len() >= MOST_CACHED {
                self.uncached = stem.into_owned();
                return &self.uncached;
            }
            self.cache.insert(word.into(), stem.as_ref().into());
        }
        self.cache.get(word).map_or(word, AsRef::as_ref)
    }
}

impl Default for Stems {
    fn default() -> Self {
        Self { stemmer: Stemmer::new(Algorithm::English), cache: HashMap::new(), uncached: String::new() }
    }
}

/// A clone starts with an empty cache, since it goes to another thread or field.
impl Clone for Stems {
    fn clone(&self) -> Self {
        Self::default()
    }
}
