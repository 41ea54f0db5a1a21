//! The real repositories, where they are laid out: everything is indexed, found again, and equal to ripgrep's.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use indexer::{IndexStore, Mode, ReferenceQuery, RepositoryIndex, find_references, outline, search_all};

use crate::fixture::{checkout, query};
use crate::scanning::{all_lines, by_file, counts, ripgrep};

/// The folder of the repositories; a test without it says so. They come from git servers, which CI does not reach.
#[expect(clippy::print_stdout, reason = "a skipped test says so")]
#[expect(clippy::disallowed_methods, reason = "the variable is how a test is told about real input")]
pub(crate) fn corpus() -> Option<PathBuf> {
    let folder = std::env::var_os("REPOLAB_CORPUS").map(PathBuf::from);
    if folder.is_none() {
        println!("SKIPPED: REPOLAB_CORPUS is not set, so no real repository was indexed");
    }
    folder
}

/// The folder of the packages that CI brings; a test without it says so, and fails in CI.
#[expect(clippy::print_stdout, reason = "a skipped test says so")]
#[expect(clippy::disallowed_methods, reason = "the variable is how a test is told about real input")]
pub(crate) fn packages() -> Option<PathBuf> {
    let folder = std::env::var_os("REPOLAB_TEST_REPOSITORIES").map(PathBuf::from);
    if folder.is_none() {
        assert!(std::env::var_os("CI").is_none(), "REPOLAB_TEST_REPOSITORIES must be set in CI");
        println!("SKIPPED: REPOLAB_TEST_REPOSITORIES is not set, so no real package was read");
    }
    folder
}

fn open(names: &[&str]) -> Option<(tempfile::TempDir, Vec<Arc<RepositoryIndex>>)> {
    let corpus = corpus()?;
    let folder = tempfile::tempdir().unwrap();
    let store = IndexStore::new(folder.path().to_owned());
    let open = |name: &&str| Arc::new(store.open_or_build(&checkout(name, &corpus.join(name)), &()).unwrap());
    let indexes = names.iter().map(open).collect();
    Some((folder, indexes))
}

const SMALL: &[&str] = &["bert", "external-attention-pytorch", "if", "time-series-library", "vid2vid"];

#[test]
fn finds_what_is_known_to_be_there() {
    let Some((_folder, indexes)) = open(SMALL) else { return };
    for (repository, text, path) in [
        ("bert", "fine-tune a sentence classifier on MRPC", "run_classifier.py"),
        ("bert", "BertModel", "modeling.py"),
        ("bert", "--max_seq_length", "run_squad.py"),
        ("external-attention-pytorch", "squeeze and excitation attention", "model/attention/SEAttention.py"),
        ("if", "super resolution pipeline", "deepfloyd_if/pipelines/super_resolution.py"),
        ("time-series-library", "run long term forecast with Crossformer on the Traffic dataset", "run.py"),
        ("vid2vid", "train face model with sketch to face", "train.py"),
    ] {
        let index: Vec<_> =
            indexes.iter().filter(|index| index.name().as_str() == repository).cloned().collect();
        let hits = search_all(&index, &query(Mode::Auto, text)).unwrap().hits;
        let mut paths: Vec<&str> = Vec::new();
        for hit in &hits {
            if !paths.contains(&hit.path.as_str()) {
                paths.push(hit.path.as_str());
            }
        }
        assert!(paths.iter().take(5).any(|found| *found == path), "{text}: {paths:?}");
    }
}

#[test]
fn every_hit_can_be_shown() {
    let Some((_folder, indexes)) = open(SMALL) else { return };
    for text in ["train", "attention model", "def forward", "--lr", "图像", "batch size learning rate"] {
        for mode in [Mode::Auto, Mode::Text, Mode::Symbol, Mode::Literal] {
            let query = query(mode, text);
            for hit in search_all(&indexes, &query).unwrap().hits {
                let index = indexes.iter().find(|index| *index.name() == hit.repository).unwrap();
                let snippet = index.snippet(&hit, &query, 12, 1_200);
                assert!(!snippet.is_empty() && snippet.chars().count() <= 1_200, "{hit:?}\n{snippet}");
            }
        }
    }
}

#[test]
fn finds_the_same_lines_as_ripgrep_in_real_repositories() {
    let Some((_folder, indexes)) = open(&["bert", "muzic", "vid2vid"]) else { return };
    for index in &indexes {
        let folder = corpus().unwrap().join(index.name().as_str());
        for (mode, text) in [
            (Mode::Literal, "learning_rate"),
            (Mode::Literal, "音乐"),
            (Mode::Regex, r"class \w+\(nn\.Module\)"),
            (Mode::Regex, r"^\s*import\s"),
            (Mode::Regex, r"\d{4,}$"),
        ] {
            let Some(expected) = ripgrep(&folder, mode, text) else {
                println!("SKIPPED: `rg` is not installed, so nothing was compared");
                return;
            };
            let found = all_lines(index, mode, text);
            let differing: BTreeSet<_> = found.symmetric_difference(&expected).take(5).collect();
            assert!(differing.is_empty(), "{} {text}: {differing:?} of {}", index.name(), expected.len());
            assert_eq!(counts(index, mode, text), by_file(&expected), "{} {text}", index.name());
        }
    }
}

#[test]
fn symbols_stand_where_the_outline_says() {
    let Some((_folder, indexes)) = open(&["bert"]) else { return };
    let root = checkout("bert", &corpus().unwrap().join("bert")).root().unwrap();
    let path = "modeling.py".parse().unwrap();
    let text = root.read_text(&path, 1 << 20).unwrap().text;
    let lines: Vec<&str> = text.lines().collect();
    let symbols = outline(&root, &path).unwrap();
    assert!(symbols.len() > 20);
    for symbol in &symbols {
        let place = &lines[symbol.start_line as usize - 1..symbol.end_line as usize];
        assert!(place.iter().any(|line| line.contains(&symbol.name)), "{symbol:?}");
        let hits = indexes[0].search(&query(Mode::Symbol, &symbol.name)).unwrap();
        assert!(hits.iter().any(|hit| hit.start_line == symbol.start_line), "{symbol:?}");
    }
}

#[test]
fn every_use_is_a_line_that_holds_the_name_and_no_candidate_is_missed() {
    let Some((_folder, indexes)) = open(&["bert", "external-attention-pytorch", "time-series-library"])
    else {
        return;
    };
    for (index, symbol) in
        [(0, "BertModel"), (0, "get_activation"), (1, "SEAttention"), (2, "Encoder"), (2, "Model")]
    {
        let index = &indexes[index];
        let sought = ReferenceQuery { symbol: symbol.to_owned(), path: None };
        let found = find_references(index, &sought).unwrap();
        assert!(!found.definitions.is_empty() && found.files_left == 0, "{symbol}");
        let lines = all_lines(index, Mode::Regex, &format!(r"\b{symbol}\b"));
        let uses: BTreeSet<_> = found.uses.iter().map(|one| (one.path.to_string(), one.line)).collect();
        assert!(uses.is_subset(&lines) && !uses.is_empty(), "{symbol}");
        // What is left are definitions, comments, strings and documents.
        let code = |line: &&(String, u32)| {
            let path = std::path::Path::new(&line.0);
            let is_python = path.extension().is_some_and(|extension| extension == "py");
            let root = checkout("r", &corpus().unwrap().join(index.name().as_str())).root().unwrap();
            let text = root.read_text(&line.0.parse().unwrap(), 1 << 20).unwrap().text;
            let text = text.lines().nth(line.1 as usize - 1).unwrap_or_default().trim_start();
            let text = if text.starts_with('#') { "" } else { text };
            is_python
                && (text.contains(&format!(" = {symbol}(")) || text.contains(&format!("import {symbol}")))
        };
        let missed: Vec<_> = lines.difference(&uses).filter(code).collect();
        assert!(missed.is_empty(), "{symbol}: {missed:?}");
    }
}
