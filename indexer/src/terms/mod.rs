//! How text becomes the terms that are indexed and searched, the same way on both sides.
//! An identifier gives itself without its separators and each of its parts at one position, so that
//! `batch_size`, `batchSize`, `--batch-size` and the words "batch size" all find each other.

mod identifier;
mod stems;
mod stop_words;
mod tokenizer;
mod words;

pub(crate) use identifier::parts;
pub(crate) use stems::Stems;
pub(crate) use stop_words::{is_request_word, is_stop_word};
pub(crate) use tokenizer::TermTokenizer;
pub(crate) use words::{Word, Words};

// Longer runs are encoded data; the longest real identifiers of the corpus stay below 100 bytes.
const LONGEST_TERM_BYTES: usize = 255;

/// One term of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Term<'a> {
    /// Lower-cased, stemmed where it is a single English word.
    pub(crate) text: &'a str,
    /// Bytes of the source that it stands for.
    pub(crate) start: usize,
    /// The end of those bytes.
    pub(crate) end: usize,
    /// The number of the word it belongs to.
    pub(crate) position: usize,
}

/// Splits text into terms; keeps buffers and a cache of stems between calls.
#[derive(Clone, Default)]
pub(crate) struct Terms {
    stems: Stems,
    whole: String,
    part: String,
}

impl Terms {
    /// Calls `sink` with every term of `text`, in order.
    pub(crate) fn each(&mut self, text: &str, mut sink: impl FnMut(Term<'_>)) {
        let mut position = 0;
        for word in Words::new(text) {
            if word.is_cjk {
                position += each_bigram(word, position, &mut sink);
            } else {
                if word.text.len() <= LONGEST_TERM_BYTES {
                    self.each_of_word(word, position, &mut sink);
                }
                position += 1;
            }
        }
    }

    /// The terms of `text` as a list.
    pub(crate) fn list(&mut self, text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        self.each(text, |term| terms.push(term.text.to_owned()));
        terms
    }

    fn each_of_word(&mut self, word: Word<'_>, position: usize, sink: &mut impl FnMut(Term<'_>)) {
        self.whole.clear();
        let mut count = 0;
        for part in parts(word.text) {
            lower_into(part, &mut self.part);
            self.whole.push_str(&self.part);
            count += 1;
            // A part that is the whole word is emitted once, below.
            if part.len() < word.text.len() && is_worth_a_term(&self.part) {
                let start = word.start + (part.as_ptr() as usize - word.text.as_ptr() as usize);
                let text = self.stems.stem(&self.part);
                sink(Term { text, start, end: start + part.len(), position });
            }
        }
        let end = word.start + word.text.len();
        if count > 1 {
            sink(Term { text: &self.whole, start: word.start, end, position });
        } else if count == 1 && self.whole.len() == word.text.len() && is_worth_a_term(&self.whole) {
            sink(Term { text: self.stems.stem(&self.whole), start: word.start, end, position });
        }
    }
}

fn lower_into(part: &str, buffer: &mut String) {
    buffer.clear();
    if part.is_ascii() {
        buffer.push_str(part);
        buffer.make_ascii_lowercase();
    } else {
        buffer.extend(part.chars().flat_map(char::to_lowercase));
    }
}

/// Single letters and the commonest words would fill the index and never decide a ranking.
fn is_worth_a_term(lowered: &str) -> bool {
    let single_letter = lowered.len() == 1 && lowered.as_bytes()[0].is_ascii_alphabetic();
    !single_letter && !is_stop_word(lowered)
}

/// Chinese, Japanese and Korean are written without spaces: each pair of neighbours is a term. Gives their number.
fn each_bigram(word: Word<'_>, position: usize, sink: &mut impl FnMut(Term<'_>)) -> usize {
    let starts: Vec<usize> =
        word.text.char_indices().map(|(start, _)| start).chain([word.text.len()]).collect();
    let width = 2.min(starts.len() - 1);
    for (number, window) in starts.windows(width + 1).enumerate() {
        let (from, to) = (window[0], window[width]);
        let text = &word.text[from..to];
        sink(Term { text, start: word.start + from, end: word.start + to, position: position + number });
    }
    starts.len() - width
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(Terms::default().list(text), expected, "terms of {text:?}");
    }

    #[test]
    fn keeps_an_identifier_whole_and_in_parts() {
        check("batch_size", &["batch", "size", "batchsize"]);
        check("batchSize", &["batch", "size", "batchsize"]);
        check("GATConv", &["gat", "conv", "gatconv"]);
        check("resnet50", &["resnet", "50", "resnet50"]);
        check("_private", &["privat"]);
        check("__init__", &["init"]);
    }

    #[test]
    fn stems_single_words_on_both_sides_alike() {
        check("training trained train trains", &["train"; 4]);
        check("train_datasets", &["train", "dataset", "traindatasets"]);
    }

    #[test]
    fn drops_what_never_decides() {
        check("return the x of self", &[]);
        check("x1", &["1", "x1"]);
        check(&"a1".repeat(200), &[]);
    }

    #[test]
    fn gives_pairs_of_cjk_characters() {
        check("训练模型 model", &["训练", "练模", "模型", "model"]);
        check("图", &["图"]);
    }

    #[test]
    fn puts_the_terms_of_one_word_at_one_position() {
        let mut positions = Vec::new();
        Terms::default()
            .each("load batch_size", |term| positions.push((term.text.to_owned(), term.position)));
        let of = |text: &str, position| (text.to_owned(), position);
        assert_eq!(positions, [of("load", 0), of("batch", 1), of("size", 1), of("batchsize", 1)]);
        positions = Vec::new();
        Terms::default()
            .each("训练模 model", |term| positions.push((term.text.to_owned(), term.position)));
        assert_eq!(positions, [of("训练", 0), of("练模", 1), of("model", 2)]);
    }

    #[test]
    fn says_which_bytes_a_term_stands_for() {
        let text = "ä numLayers";
        let mut seen = Vec::new();
        Terms::default().each(text, |term| seen.push(&text[term.start..term.end]));
        assert_eq!(seen, ["ä", "num", "Layers", "numLayers"]);
    }
}
