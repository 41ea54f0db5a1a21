//! Literal and regular expressions, compared with ripgrep itself where it is installed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use indexer::{Error, Mode, Query, RepositoryIndex, count_lines};

use crate::fixture::{Fixture, query};

fn lines(fixture: &Fixture, mode: Mode, text: &str) -> BTreeSet<(String, u32)> {
    all_lines(&fixture.index(), mode, text)
}

/// All lines that an index finds, as path and line.
pub(crate) fn all_lines(index: &RepositoryIndex, mode: Mode, text: &str) -> BTreeSet<(String, u32)> {
    let query = Query { limit: usize::MAX, ..query(mode, text) };
    let hits = index.search(&query).unwrap();
    let count = hits.len();
    let lines: BTreeSet<_> = hits.into_iter().map(|hit| (hit.path.to_string(), hit.start_line)).collect();
    assert_eq!(lines.len(), count, "a line was given twice");
    lines
}

/// The lines that ripgrep finds in text files; nothing when it is not installed.
#[expect(clippy::disallowed_methods, reason = "ripgrep is what the search is compared with")]
pub(crate) fn ripgrep(folder: &Path, mode: Mode, text: &str) -> Option<BTreeSet<(String, u32)>> {
    let mut command = std::process::Command::new("rg");
    command.args([
        "--no-config",
        "--no-ignore",
        "--hidden",
        "--no-heading",
        "--with-filename",
        "--line-number",
        "--null",
    ]);
    command.args(["--color=never", "-g", "!.git", "-g", "!/.export.json"]);
    if mode == Mode::Literal {
        command.arg("--fixed-strings");
    }
    let output = command.args(["-e", text, "."]).current_dir(folder).stdin(Stdio::null()).output().ok()?;
    let mut lines = BTreeSet::new();
    for line in output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let Some(end) = line.iter().position(|byte| *byte == 0) else {
            // "binary file matches", which says that the file is no text.
            continue;
        };
        let path = String::from_utf8_lossy(&line[..end]).trim_start_matches("./").to_owned();
        let rest = String::from_utf8_lossy(&line[end + 1..]).into_owned();
        lines.insert((path, rest.split(':').next().unwrap().parse().unwrap()));
    }
    Some(lines)
}

/// How many lines of each file match, as the index counts them.
pub(crate) fn counts(index: &Arc<RepositoryIndex>, mode: Mode, text: &str) -> BTreeMap<String, u64> {
    let found = count_lines(std::slice::from_ref(index), &query(mode, text)).unwrap().unwrap();
    found.into_iter().map(|file| (file.path.to_string(), file.lines)).collect()
}

/// How many of these lines each file has.
pub(crate) fn by_file(lines: &BTreeSet<(String, u32)>) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for (path, _) in lines {
        *counts.entry(path.clone()).or_default() += 1;
    }
    counts
}

fn varied() -> Fixture {
    let fixture = Fixture::new(&[
        ("a.py", "Alpha = 1\nbeta = Alpha\n\nend"),
        (".hidden/b.txt", "alpha Alpha\n"),
        (".gitignore", "*\n"),
        (".git/config", "Alpha\n"),
        ("data.csv", "Alpha,1\r\nx,2\r\n"),
        ("bom.py", "\u{feff}Alpha first\n"),
        ("ü 图.md", "Straße Alpha 图像\n"),
        ("bin", "Alpha\0Alpha\n"),
    ]);
    fixture.write("latin.py", b"caf\xe9 Alpha\n");
    fixture
}

#[test]
fn finds_the_same_lines_as_ripgrep() {
    let fixture = varied();
    for (mode, text) in [
        (Mode::Literal, "Alpha"),
        (Mode::Literal, "= 1"),
        (Mode::Literal, "图像"),
        (Mode::Literal, "a.c(["),
        (Mode::Regex, "(?i)alpha"),
        (Mode::Regex, r"^Alpha\b"),
        (Mode::Regex, r"\w+ = \d$"),
        (Mode::Regex, "end$"),
        (Mode::Regex, r"\p{Han}+"),
        (Mode::Regex, "2$"),
        (Mode::Regex, "^$"),
    ] {
        let Some(expected) = ripgrep(&fixture.checkout.folder, mode, text) else {
            println!("SKIPPED: `rg` is not installed, so nothing was compared");
            return;
        };
        assert_eq!(lines(&fixture, mode, text), expected, "{mode:?} {text}");
        assert_eq!(counts(&fixture.index(), mode, text), by_file(&expected), "{mode:?} {text}");
    }
}

#[test]
fn searches_files_as_they_are_now() {
    let fixture = varied();
    let index = fixture.index();
    fixture.write("new.py", "Gamma\n");
    fixture.write("bin", "Gamma, no longer binary\n");
    fixture.write("a.py", "Gamma\0\n");
    let found: Vec<_> = all_lines(&index, Mode::Literal, "Gamma").into_iter().collect();
    assert_eq!(found, [("bin".to_owned(), 1), ("new.py".to_owned(), 1)]);
}

#[test]
fn finds_a_literal_that_spans_lines() {
    let fixture = varied();
    let hits = fixture.search(Mode::Literal, "1\nbeta");
    let places: Vec<_> = hits.iter().map(|hit| (hit.path.as_str(), hit.start_line, hit.end_line)).collect();
    assert_eq!(places, [("a.py", 1, 2)]);
}

#[test]
fn puts_ordinary_files_before_tests() {
    let fixture = Fixture::new(&[("tests/a.py", "Alpha\n"), ("z.py", "Alpha\n")]);
    let places = fixture.places(Mode::Literal, "Alpha");
    assert_eq!(places, ["z.py:1-1 line -", "tests/a.py:1-1 line -"]);
}

#[test]
fn says_where_a_pattern_is_wrong() {
    let fixture = varied();
    let error = |text: &str| fixture.index().search(&query(Mode::Regex, text)).unwrap_err();
    let message = error("alpha(beta").to_string();
    assert_eq!(message, "`alpha(beta` is not a regular expression: unclosed group at character 6");
    assert!(matches!(error("é[z-a]"), Error::InvalidRegex { position: 3, .. }), "{}", error("é[z-a]"));
    assert!(matches!(error(&"\\w{100}".repeat(100)), Error::UnsupportedPattern { .. }));
    assert!(matches!(error("(?=x)"), Error::InvalidRegex { .. }));
}

#[test]
fn a_pattern_that_explodes_elsewhere_takes_linear_time_here() {
    let fixture = Fixture::new(&[("a.txt", &("a".repeat(100_000) + "\n"))]);
    assert!(fixture.places(Mode::Regex, "(a+)+$b").is_empty());
    assert!(fixture.places(Mode::Regex, "(a|a)*c").is_empty());
}
