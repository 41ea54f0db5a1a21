//! Texts compared by their runs of three words. The oracle texts come from rendered pages, without back-ticks, list
//! marks and line breaks, so that whole lines never match and words always do.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Words that stand side by side.
const WORDS: usize = 3;

/// The runs of three words of a text, each once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trigrams(HashSet<u64>);

/// A run of three words with its lines, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlacedTrigram {
    pub(crate) hash: u64,
    pub(crate) first_line: u32,
    pub(crate) last_line: u32,
}

impl Trigrams {
    /// Those of an oracle text, in which line breaks may stand as a backslash and an `n`.
    pub(crate) fn of_oracle(text: &str) -> Self {
        Self(placed(&text.replace("\\n", "\n")).into_iter().map(|trigram| trigram.hash).collect())
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether this run is among them.
    pub(crate) fn contains(&self, trigram: PlacedTrigram) -> bool {
        self.0.contains(&trigram.hash)
    }
}

/// All runs of three words of a text, in order.
pub(crate) fn placed(text: &str) -> Vec<PlacedTrigram> {
    let lines = (1..).zip(text.lines());
    let words: Vec<(String, u32)> =
        lines.flat_map(|(number, line)| words(line).map(move |word| (word, number))).collect();
    let trigram = |run: &[(String, u32)]| {
        let mut hasher = DefaultHasher::new();
        for (word, _) in run {
            word.hash(&mut hasher);
        }
        PlacedTrigram { hash: hasher.finish(), first_line: run[0].1, last_line: run[WORDS - 1].1 }
    };
    words.windows(WORDS).map(trigram).collect()
}

fn words(line: &str) -> impl Iterator<Item = String> {
    line.split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_case_and_line_breaks_make_no_difference() {
        let oracle = Trigrams::of_oracle("Run it\\npython train.py --lr 0.1");
        let document = placed("* Run `it`:\n\n```\npython train.py \\\n  --LR 0.1\n```\n");
        assert!(document.iter().all(|trigram| oracle.contains(*trigram)));
        assert_eq!((document.len(), oracle.len()), (6, 6));
        assert_eq!((document[0].first_line, document[0].last_line), (1, 4));
        assert_eq!((document[5].first_line, document[5].last_line), (5, 5));
    }

    #[test]
    fn fewer_than_three_words_give_nothing() {
        assert_eq!(Trigrams::of_oracle("two words").len(), 0);
        assert!(placed("").is_empty());
    }
}
