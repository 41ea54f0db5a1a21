//! Which files are indexed. Data that poses as text is a third of the real repositories: it would fill the index,
//! stretch the average length that ranking rests on, and answer no question. Literal search still sees it.

use serde::{Deserialize, Serialize};

use crate::Language;

/// Notebooks carry their pictures; only their cells count.
pub(crate) const LARGEST_NOTEBOOK_BYTES: u64 = 32 << 20;
// The largest hand-written file of the corpus has 0.7 MB.
const LARGEST_FILE_BYTES: u64 = 2 << 20;
// Prose and settings that people write stay below; beyond come word lists, samples and dumps.
const LARGEST_UNSTRUCTURED_BYTES: u64 = 256 << 10;
const LARGEST_JSON_BYTES: u64 = 64 << 10;
// A small file costs little whatever it holds, and its shape says little.
const SMALLEST_JUDGED_BYTES: usize = 8 << 10;
// A NUL beyond this many bytes does not occur in the corpus.
const INSPECTED_BYTES: usize = 8 << 10;

// Formats that hold records rather than text.
const DATA_EXTENSIONS: &[&str] = &[
    "a3m", "arff", "beat", "bpe", "chord", "cif", "conll", "conllu", "csv", "edgelist", "fa", "faa", "fasta",
    "fastq", "geojson", "gml", "graphml", "jsonl", "libsvm", "log", "lyric", "map", "melody", "mol", "mol2",
    "ndjson", "obj", "off", "pdb", "ply", "po", "pot", "sdf", "smi", "sto", "subwords", "svg", "svm", "tsv",
    "vocab", "xyz",
];

/// Why a file is not indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SkipReason {
    Binary,
    TooLarge,
    DataFile,
    Unreadable,
    Symlink,
    NotAFile,
    OddName,
}

impl SkipReason {
    /// The name under which a report counts it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Binary => "binary",
            Self::TooLarge => "too_large",
            Self::DataFile => "data_file",
            Self::Unreadable => "unreadable",
            Self::Symlink => "symlink",
            Self::NotAFile => "not_a_file",
            Self::OddName => "odd_name",
        }
    }
}

/// Whether the bytes are no text.
pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(INSPECTED_BYTES)];
    content_inspector::inspect(start).is_binary() || start.contains(&0)
}

/// Judges a file by its name and size, before it is read.
pub(crate) fn refuse_by_name(path: &str, bytes: u64) -> Option<SkipReason> {
    let name = path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    if DATA_EXTENSIONS.contains(&extension) || name.ends_with(".min.js") || name.ends_with(".min.css") {
        return Some(SkipReason::DataFile);
    }
    let limit = match Language::by_name(path) {
        Some(Language::Notebook) => LARGEST_NOTEBOOK_BYTES,
        Some(Language::Json) if bytes > LARGEST_JSON_BYTES => return Some(SkipReason::DataFile),
        _ => LARGEST_FILE_BYTES,
    };
    (bytes > limit).then_some(SkipReason::TooLarge)
}

/// Judges a file by what it holds.
pub(crate) fn refuse_by_content(language: Language, bytes: &[u8]) -> Option<SkipReason> {
    if is_binary(bytes) {
        return Some(SkipReason::Binary);
    }
    let unstructured = matches!(language, Language::Text | Language::Xml | Language::Json | Language::Html);
    (unstructured && is_data(bytes)).then_some(SkipReason::DataFile)
}

/// Numbers, lists of single words and endless lines are data.
fn is_data(bytes: &[u8]) -> bool {
    if bytes.len() < SMALLEST_JUDGED_BYTES {
        return false;
    }
    if bytes.len() as u64 > LARGEST_UNSTRUCTURED_BYTES {
        return true;
    }
    let count = |wanted: fn(&u8) -> bool| bytes.iter().filter(|byte| wanted(byte)).count();
    let lines = count(|byte| *byte == b'\n') + 1;
    let visible = count(|byte| !byte.is_ascii_whitespace()).max(1);
    let digits = count(u8::is_ascii_digit);
    let words = bytes.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count();
    let longest_mean_line = 1_000;
    digits * 3 > visible || bytes.len() / lines > longest_mean_line || words < lines * 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judges_by_name_and_size() {
        for (path, bytes, expected) in [
            ("a.py", 1_000, None),
            ("data/x.CSV", 10, Some(SkipReason::DataFile)),
            ("a.json", 1_000, None),
            ("a.json", 100_000, Some(SkipReason::DataFile)),
            ("a.ipynb", 3 << 20, None),
            ("a.py", 3 << 20, Some(SkipReason::TooLarge)),
            ("jquery.min.js", 10, Some(SkipReason::DataFile)),
        ] {
            assert_eq!(refuse_by_name(path, bytes), expected, "{path} {bytes}");
        }
    }

    #[test]
    fn judges_by_content() {
        let prose = "Install the package, then run the script with your data.\n".repeat(400);
        let numbers = "0.123 4.567 8.901\n".repeat(1_000);
        let list = "tench\n".repeat(3_000);
        let line = "some words ".repeat(3_000);
        for (text, expected) in [
            (prose.as_bytes(), None),
            (numbers.as_bytes(), Some(SkipReason::DataFile)),
            (list.as_bytes(), Some(SkipReason::DataFile)),
            (line.as_bytes(), Some(SkipReason::DataFile)),
            (b"a\0b", Some(SkipReason::Binary)),
            (b"\xff\xfea\0", Some(SkipReason::Binary)),
            (b"", None),
        ] {
            assert_eq!(
                refuse_by_content(Language::Text, text),
                expected,
                "{:?}",
                &text[..text.len().min(20)]
            );
        }
        assert_eq!(refuse_by_content(Language::Python, numbers.as_bytes()), None);
    }
}
