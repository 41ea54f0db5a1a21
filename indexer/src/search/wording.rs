//! The tokens of a sentence that no prose would spell so: paths and names as code writes them. What they mean for a
//! ranking depends on whether the searched repositories have them.

use std::ops::Range;

// `pic.jpeg`, `weights.safetensors`.
const LONGEST_ENDING_BYTES: usize = 11;
const SHORTEST_STEM_BYTES: usize = 2;
const SHORTEST_NAME_BYTES: usize = 3;

/// The places of the paths in a text.
pub(crate) fn paths(text: &str) -> impl Iterator<Item = Range<usize>> {
    tokens(text).into_iter().filter(|token| is_path(&text[token.clone()]))
}

/// The names in a text, each once: `GATConv`, `batch_size`, `--lr`, `Trainer.fit()`.
pub(crate) fn names(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for name in tokens(text).into_iter().map(|token| &text[token]).filter(|token| is_name(token)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Phrases of several words that the text puts between double quotes or back-ticks.
pub(crate) fn quotations(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for quote in ['"', '`'] {
        let mut pieces = text.split(quote).skip(1);
        while let (Some(inside), Some(_)) = (pieces.next(), pieces.next()) {
            if inside.trim().contains(' ') {
                found.push(inside.trim());
            }
        }
    }
    found
}

/// Runs without white space, quotes and brackets, without the punctuation of prose at their ends.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let separates = |character: char| character.is_whitespace() || "\"'`“”‘’()[]{}<>,;=|".contains(character);
    let mut tokens = Vec::new();
    let mut start = 0;
    for piece in text.split(separates) {
        let trimmed = piece.trim_end_matches(['.', ':', '!', '?', '/']);
        if !trimmed.is_empty() {
            tokens.push(start..start + trimmed.len());
        }
        // A separator may be longer than one byte.
        start += piece.len();
        start += text[start..].chars().next().map_or(0, char::len_utf8);
    }
    tokens
}

/// Whether a token is written as the path of a file or folder.
fn is_path(token: &str) -> bool {
    if token.contains("://") {
        return false;
    }
    let name = token.rsplit('/').next().unwrap_or(token);
    let has_ending = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        stem.len() >= SHORTEST_STEM_BYTES
            && ending.len() <= LONGEST_ENDING_BYTES
            && ending.starts_with(|first: char| first.is_ascii_alphabetic())
            && ending.chars().all(|one| one.is_ascii_alphanumeric())
    });
    let starts_so = token.starts_with("./") || token.starts_with('/') || token.starts_with("~/");
    let is_nested = token.split('/').filter(|part| part.len() > 1).count() > 1;
    has_ending || is_nested && (starts_so || token.contains('_') || token.matches('/').count() > 1)
}

/// Whether a token is written as an identifier, a qualified one or a long flag.
fn is_name(token: &str) -> bool {
    let bare = token.trim_start_matches('-');
    let is_identifier = |part: &str| {
        part.starts_with(|first: char| first.is_alphabetic() || first == '_')
            && part.chars().all(|one| one.is_alphanumeric() || "_-".contains(one))
    };
    let is_flag = token.starts_with("--");
    if bare.len() < SHORTEST_NAME_BYTES && !is_flag || !bare.split('.').all(is_identifier) {
        return false;
    }
    let has_inner_case = || {
        let bytes = bare.as_bytes();
        let rises = |pair: &[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
        // The second capital of `GATConv` starts a word.
        let starts_word =
            |three: &[u8]| three[..2].iter().all(u8::is_ascii_uppercase) && three[2].is_ascii_lowercase();
        bytes.windows(2).any(rises) || bytes.windows(3).any(starts_word)
    };
    is_flag || !bare.contains('-') && (bare.contains(['_', '.']) || has_inner_case())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_paths_from_prose() {
        for (text, expected) in [
            ("describe \"pics/my_cat.jpg\", then stop.", &["pics/my_cat.jpg"][..]),
            ("run train.py on my.csv.", &["train.py", "my.csv"]),
            ("save to ./out/first and /tmp/second", &["./out/first", "/tmp/second"]),
            ("use train/test with v1.0 at 5.0, e.g. and/or", &[]),
            ("see https://example.org/a/b.html", &[]),
            ("“ä/ö.json”", &["ä/ö.json"]),
        ] {
            let found: Vec<_> = paths(text).map(|place| &text[place]).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn tells_names_from_prose() {
        assert_eq!(
            names(
                "How does GATConv.forward use `batch_size`, --lr and BERTModel() on GPU in DGL with ViT-B and 3D?"
            ),
            ["GATConv.forward", "batch_size", "--lr", "BERTModel"]
        );
    }

    #[test]
    fn finds_what_is_quoted() {
        assert_eq!(
            quotations("why \"size mismatch for x\" and `one`, `a b`, \"open"),
            ["size mismatch for x", "a b"]
        );
    }
}
