//! Exact search finds the lines that ripgrep finds, whatever the pattern, and whatever happened to the files since
//! they were indexed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use indexer::{Case, Error, IndexStore, Matching, Mode, Query, RepositoryIndex, count_lines, search_all};
use rayon::prelude::*;

use crate::fixture::{Fixture, checkout, query};
use crate::patterns::{Pattern, files, generated, hand_picked};

/// Files change times by ticks, and what changed within the last one is always searched.
const TICK: Duration = Duration::from_millis(50);
/// Longer than the listing of an index is kept.
const LISTING_KEPT: Duration = Duration::from_millis(1_100);

/// Some repositories that stand side by side, indexed.
struct Compared {
    folder: PathBuf,
    indexes: Vec<Arc<RepositoryIndex>>,
    _store: tempfile::TempDir,
}

/// Where lines match: repository, path and number.
type Places = BTreeSet<(String, String, u32)>;

impl Compared {
    /// Indexes every folder in `folder`, or only these.
    fn new(folder: &Path, names: &[&str]) -> Self {
        let store_folder = tempfile::tempdir().unwrap();
        let store = IndexStore::new(store_folder.path().to_owned());
        let mut found: Vec<String> = fs_err::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| names.is_empty() || names.contains(&name.as_str()))
            .collect();
        found.sort();
        let open = |name: &String| store.open_or_build(&checkout(name, &folder.join(name)), &()).unwrap();
        let indexes = found.par_iter().map(open).map(Arc::new).collect();
        Self { folder: folder.to_owned(), indexes, _store: store_folder }
    }

    fn ours(&self, pattern: &Pattern) -> Places {
        let hits = search_all(&self.indexes, &pattern.query())
            .unwrap_or_else(|error| panic!("{pattern:?}: {error}"));
        let mut places = Places::new();
        for hit in hits.hits {
            for line in hit.start_line..=hit.end_line {
                let place = (hit.repository.to_string(), hit.path.to_string(), line);
                assert!(places.insert(place), "{pattern:?}: a line was given twice: {hit:?}");
            }
        }
        places
    }

    fn counted(&self, pattern: &Pattern) -> u64 {
        let counted = count_lines(&self.indexes, &pattern.query()).unwrap().unwrap();
        counted.iter().map(|file| file.lines).sum()
    }

    /// The lines that ripgrep finds; nothing when it is not installed.
    #[expect(clippy::disallowed_methods, reason = "ripgrep is what the search is compared with")]
    fn ripgrep(&self, pattern: &Pattern) -> Option<Result<Places, String>> {
        let mut command = std::process::Command::new("rg");
        command.args(["--no-config", "--no-ignore", "--hidden", "--no-heading", "--with-filename", "--null"]);
        command.args(["--line-number", "--color=never", "-g", "!.git", "-g", "!/*/.export.json"]);
        command.args(pattern.flags()).args(["-e", &pattern.text, "--"]);
        command.args(self.indexes.iter().map(|index| index.name().as_str()));
        let output = command.current_dir(&self.folder).stdin(Stdio::null()).output().ok()?;
        let problem = String::from_utf8_lossy(&output.stderr);
        if output.status.code() == Some(2) {
            return Some(Err(problem.into_owned()));
        }
        let lines = output.stdout.split(|byte| *byte == b'\n').filter_map(place);
        Some(Ok(lines.collect()))
    }

    /// Compares every pattern, and says how many differ and how.
    #[track_caller]
    #[expect(clippy::print_stdout, reason = "a skipped test says so")]
    #[expect(clippy::disallowed_methods, reason = "the variable is how CI says that nothing may be skipped")]
    fn check(&self, patterns: &[Pattern]) {
        let mut differing = Vec::new();
        for (number, pattern) in patterns.iter().enumerate() {
            let Some(expected) = self.ripgrep(pattern) else {
                assert!(std::env::var_os("CI").is_none(), "`rg` is not installed");
                println!("SKIPPED: `rg` is not installed, so nothing was compared");
                return;
            };
            let expected = match expected {
                Ok(expected) => expected,
                Err(problem) => {
                    differing.push(format!("{pattern:?}: {problem}"));
                    continue;
                }
            };
            let found = self.ours(pattern);
            if found != expected {
                let some: Vec<_> = found.symmetric_difference(&expected).take(3).collect();
                differing.push(format!("{pattern:?}: {} for {}: {some:?}", found.len(), expected.len()));
            }
            // Counting takes the same way through the files, so a part of the patterns shows whether it is right.
            if number % 5 == 0 {
                assert_eq!(self.counted(pattern), found.len() as u64, "{pattern:?}");
            }
        }
        assert!(differing.is_empty(), "{} differ:\n{}", differing.len(), differing.join("\n"));
    }

    fn files(&self) -> Vec<PathBuf> {
        self.indexes.iter().flat_map(|index| files(&self.folder.join(index.name().as_str()))).collect()
    }
}

/// A line of ripgrep's output; what is none says that a file is binary.
fn place(line: &[u8]) -> Option<(String, String, u32)> {
    let end = line.iter().position(|byte| *byte == 0)?;
    let path = String::from_utf8_lossy(&line[..end]).into_owned();
    let (repository, path) = path.split_once('/')?;
    let number: Vec<u8> = line[end + 1..].iter().copied().take_while(u8::is_ascii_digit).collect();
    let number = String::from_utf8(number).unwrap().parse().unwrap();
    Some((repository.to_owned(), path.to_owned(), number))
}

/// The folder that a variable names; a test without it says so. CI has packages, but no corpus.
#[expect(clippy::print_stdout, reason = "a skipped test says so")]
#[expect(clippy::disallowed_methods, reason = "the variable is how a test is told about real input")]
fn provided(variable: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable).map(PathBuf::from);
    if folder.is_none() {
        let must_be_there = variable != "REPOLAB_CORPUS" && std::env::var_os("CI").is_some();
        assert!(!must_be_there, "{variable} is not set");
        println!("SKIPPED: {variable} is not set, so no real repository was searched");
    }
    folder
}

/// Files that show what encodings, odd bytes and line ends do.
fn odd_files() -> Vec<(&'static str, Vec<u8>)> {
    let utf16 = |text: &str, mark: u16| -> Vec<u8> {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(|unit| if mark == 0 { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
    };
    let text = "import torch\nimport torch.nn as nn\n\nclass MyAttention(nn.Module):\n    pass\n";
    let late = |before: usize| [text.repeat(before / text.len()).as_bytes(), b"\0", text.as_bytes()].concat();
    vec![
        ("plain.py", text.into()),
        ("crlf.py", text.replace('\n', "\r\n").into()),
        ("cr.txt", text.replace('\n', "\r").into()),
        ("no_end.py", text.trim_end().into()),
        ("mark.py", format!("\u{feff}{text}").into()),
        ("utf16le.txt", utf16(&format!("{text}图像 café\n"), 0)),
        ("utf16be.txt", utf16(text, 1)),
        ("latin.txt", b"caf\xe9 import torch\n\xc5\xbf\xe2\x84\xaa\xc5\n".to_vec()),
        ("nul_at_once.bin", [b"\0", text.as_bytes()].concat()),
        ("nul_after_a_line.bin", b"a\nimport torch\0\n".to_vec()),
        ("nul_soon.bin", late(5_000)),
        ("nul_late.bin", late(200_000)),
        ("nul_at_the_end_of_a_buffer.bin", late(65_536)),
        ("document.pdf", format!("%PDF-1.4\n{text}").into()),
        ("cases.txt", "maſk MASK mask Kelvin \u{212a}elvin STRASSE straße ÉCOLE école ПРИВЕТ\n".into()),
        ("chinese.md", "# 图像\n音乐 ma图\n".into()),
        ("empty.txt", Vec::new()),
        ("short.txt", b"x".to_vec()),
        ("blank.txt", b"\n\n \n\n\n\n".to_vec()),
        (".hidden/.ignore", b"*\nimport torch\n".to_vec()),
        (".gitignore", b"*\n".to_vec()),
        ("data.csv", b"id,import torch\r\n1,2\r\n".to_vec()),
        ("copy/of/plain.py", text.into()),
        ("long_line.txt", format!("{}import torch\n", "x1 ".repeat(100_000)).into()),
    ]
}

fn odd_repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in odd_files() {
        write(folder.path(), &format!("odd/{path}"), &content);
    }
    std::thread::sleep(TICK);
    folder
}

fn write(folder: &Path, path: &str, content: &[u8]) {
    let path = folder.join(path);
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    fs_err::write(path, content).unwrap();
}

#[test]
fn finds_the_lines_of_ripgrep_in_odd_files() {
    let folder = odd_repository();
    let compared = Compared::new(folder.path(), &[]);
    compared.check(&hand_picked());
    compared.check(&generated(&compared.files(), 40));
}

#[test]
fn finds_the_lines_of_ripgrep_in_packages() {
    let Some(folder) = provided("REPOLAB_TEST_REPOSITORIES") else { return };
    let compared = Compared::new(&folder, &[]);
    compared.check(&hand_picked());
    compared.check(&generated(&compared.files(), 15));
}

#[test]
fn finds_the_lines_of_ripgrep_in_all_real_repositories() {
    let Some(folder) = provided("REPOLAB_CORPUS") else { return };
    let compared = Compared::new(&folder, &[]);
    compared.check(&hand_picked());
    compared.check(&generated(&compared.files(), 25));
}

#[test]
fn finds_the_lines_of_ripgrep_after_files_changed() {
    let folder = odd_repository();
    let compared = Compared::new(folder.path(), &[]);
    let at = |path: &str| folder.path().join("odd").join(path);
    write(folder.path(), "odd/new/file.py", b"import torch\nimport torch.nn as nn\n");
    write(folder.path(), "odd/plain.py", b"intermediate_size = self.training\n");
    write(folder.path(), "odd/nul_at_once.bin", b"import torch, no longer binary\n");
    write(folder.path(), "odd/data.csv", b"id,import tensor\r\n1,2\r\n");
    write(folder.path(), "odd/short.txt", b"class NewAttention(nn.Module)\0\n");
    fs_err::remove_file(at("crlf.py")).unwrap();
    fs_err::rename(at("chinese.md"), at("renamed.md")).unwrap();
    compared.check(&hand_picked());
    std::thread::sleep(LISTING_KEPT);
    write(folder.path(), "odd/data.csv", b"id,import torch\r\n1,2\r\n");
    fs_err::remove_dir_all(at("new")).unwrap();
    compared.check(&hand_picked());
    compared.check(&generated(&compared.files(), 5));
}

#[test]
fn large_files_are_searched_piece_by_piece() {
    let folder = tempfile::tempdir().unwrap();
    let line = "nothing to see in this line of a large file\n";
    let large = line.repeat((70 << 20) / line.len()) + "needle in it\n";
    write(folder.path(), "large/data.txt", large.as_bytes());
    write(folder.path(), "large/weights.bin", &[b"\0", large.as_bytes()].concat());
    let compared = Compared::new(folder.path(), &[]);
    for text in ["needle", "(?i)NEEDLE in", r"^needle\b.*it$"] {
        let pattern = Pattern::regex(text, "");
        compared.check(std::slice::from_ref(&pattern));
        assert_eq!(compared.ours(&pattern).len(), 1);
    }
    // A match that spans lines needs the whole file in memory; that has a bound, which ripgrep has not.
    assert!(compared.ours(&Pattern::regex(r"file\nneedle", "U")).is_empty());
}

#[test]
fn a_hostile_pattern_ends_with_an_answer_or_an_error() {
    let text = "a".repeat(20_000) + "\n" + &"ab ".repeat(5_000) + "\n";
    let fixture = Fixture::new(&[("a.txt", &text)]);
    let index = fixture.index();
    let nested = |depth: usize| format!("{}a{}", "(".repeat(depth), ")*".repeat(depth));
    for pattern in
        ["(a+)+$", "(a|a)*c", "(a*)*b", "(x+x+)+y", "(.*)*=", "(a?){30}a{30}", "(.*a){20}", &nested(80)]
    {
        let found = index.search(&query(Mode::Regex, pattern));
        assert!(found.is_ok(), "{pattern}: {}", found.unwrap_err());
    }
    let wide = format!("({})", vec![r"\w{50}"; 200].join("|"));
    for pattern in ["(((a{500}){500}){500}){500}", r"\w{100000}", r"(\pL{1000}){1000}", &wide, &nested(1_000)]
    {
        let error = index.search(&query(Mode::Regex, pattern)).unwrap_err();
        let refused = matches!(error, Error::UnsupportedPattern { .. } | Error::InvalidRegex { .. });
        assert!(refused, "{error}");
    }
}

#[test]
fn takes_time_in_proportion_to_the_text() {
    // An engine that tries one way after the other takes 2^25 steps on this, and fails no faster.
    let fixture = Fixture::new(&[("a.txt", &("a".repeat(25) + "!\n").repeat(2_000))]);
    for matching in [Matching::default(), Matching { case: Case::Insensitive, ..Matching::default() }] {
        let query = Query { matching, ..query(Mode::Regex, "^(a|aa)+$") };
        assert!(fixture.index().search(&query).unwrap().is_empty());
    }
}

#[test]
fn shows_as_many_lines_around_a_match_as_are_asked_for() {
    let text = (1..=60).map(|line| format!("line {line}")).collect::<Vec<_>>().join("\n");
    let fixture = Fixture::new(&[("a.txt", &text)]);
    let index = fixture.index();
    for (sought, context_lines, first, last) in
        [("line 30", 2, 28, 32), ("line 30", 0, 30, 30), ("line 60", 3, 57, 60), ("line 30", 10, 20, 40)]
    {
        let query = Query { context_lines, ..query(Mode::Literal, sought) };
        let hit = &index.search(&query).unwrap()[0];
        assert_eq!(hit.start_line, hit.end_line, "the place is that of the match");
        let snippet = index.snippet(hit, &query, 12, 1_200);
        let shown: Vec<u32> =
            snippet.lines().map(|line| line.split('\t').next().unwrap().parse().unwrap()).collect();
        assert_eq!(shown, (first..=last).collect::<Vec<_>>(), "{sought} with {context_lines}");
    }
}
