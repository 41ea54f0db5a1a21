//! Our symbols beside those of ctags, over real Python: each that ctags finds is found by us on the same line, or
//! belongs to a group of the committed list that says why not. The list is rewritten with `UPDATE_EXPECT=1`.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::process::{Command, Stdio};

use expect_test::{ExpectFile, expect_file};
use indexer::{Symbol, SymbolKind, outline};
use repos::Root;
use serde::Deserialize;
use tree_sitter::{Node, Parser, Point, Tree};

use crate::corpus::{corpus, packages};
use crate::fixture::checkout;

const KEYWORDS: &[&str] = &["else", "finally", "try"];
const UNEXPLAINED: &str = "not explained";

/// A line of ctags' output.
#[derive(Debug, Deserialize)]
struct Tag {
    name: String,
    path: String,
    line: usize,
    kind: String,
    #[serde(rename = "scopeKind")]
    scope_kind: Option<String>,
}

#[test]
fn finds_in_the_packages_what_ctags_finds() {
    let Some(folder) = packages() else { return };
    compare(&folder, &expect_file!["../ctags-differences-packages.txt"]);
}

#[test]
fn finds_in_the_repositories_what_ctags_finds() {
    let Some(folder) = corpus() else { return };
    compare(&folder, &expect_file!["../ctags-differences.txt"]);
}

fn compare(folder: &Path, expected: &ExpectFile) {
    let tags = tags(folder);
    assert!(tags.len() > 1_000, "ctags found {} symbols", tags.len());
    let mut by_file: BTreeMap<&str, Vec<&Tag>> = BTreeMap::new();
    for tag in &tags {
        by_file.entry(&tag.path).or_default().push(tag);
    }
    let mut groups: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (path, tags) in by_file {
        let file = File::read(folder, path);
        for tag in tags.into_iter().filter(|tag| !file.has(tag)) {
            let shown = format!("{path}:{} {} {}", tag.line, tag.kind, tag.name);
            groups.entry(file.explanation(tag)).or_default().push(shown);
        }
    }
    expected.assert_eq(&list(tags.len(), &groups));
}

/// The tags of all Python files beneath a folder, without those that only repeat what is imported.
#[expect(clippy::disallowed_methods, reason = "ctags is what we are compared with")]
fn tags(folder: &Path) -> Vec<Tag> {
    let mut ctags = Command::new("ctags");
    ctags.args([
        "--quiet",
        "--options=NONE",
        "--languages=Python",
        "--kinds-Python=cfmv",
        "--recurse",
        "--sort=no",
    ]);
    ctags.args(["--exclude=.git", "--output-format=json", "--fields=+nKz", "-f", "-", "."]);
    let output = ctags.current_dir(folder).stderr(Stdio::inherit()).output();
    let output = output.unwrap_or_else(|error| panic!("universal-ctags is needed for this test: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut tags: Vec<Tag> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    // What functions keep for themselves is no symbol.
    tags.retain(|tag| {
        tag.kind != "variable" || matches!(tag.scope_kind.as_deref(), None | Some("class" | "module"))
    });
    for tag in &mut tags {
        tag.path = tag.path.trim_start_matches("./").to_owned();
    }
    tags
}

/// A file as we see it.
struct File {
    text: String,
    tree: Tree,
    symbols: Vec<Symbol>,
    /// The numbers of symbols by name.
    by_name: HashMap<String, Vec<usize>>,
}

impl File {
    fn read(folder: &Path, path: &str) -> Self {
        let (repository, path) = path.split_once('/').unwrap();
        let root: Root = checkout(repository, &folder.join(repository)).root().unwrap();
        let path = path.parse().unwrap();
        let symbols = outline(&root, &path).unwrap();
        let text = String::from_utf8_lossy(&root.read(&path, 1 << 26).unwrap()).into_owned();
        let mut parser = Parser::new();
        parser.set_language(&tree_sitter_python::LANGUAGE.into()).unwrap();
        let tree = parser.parse(&text, None).unwrap();
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (number, symbol) in symbols.iter().enumerate() {
            by_name.entry(symbol.name.clone()).or_default().push(number);
        }
        Self { text, tree, symbols, by_name }
    }

    fn called<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a Symbol> {
        self.by_name.get(name).into_iter().flatten().map(|number| &self.symbols[*number])
    }

    fn has(&self, tag: &Tag) -> bool {
        self.called(&tag.name).any(|symbol| is_like(symbol.kind, &tag.kind) && self.line(symbol) == tag.line)
    }

    /// The line that names a symbol: ctags counts decorators to nothing.
    fn line(&self, symbol: &Symbol) -> usize {
        let first = symbol.start_line as usize;
        if is_value(symbol.kind) {
            return first;
        }
        let words = ["def", "class", "type", "cdef", "cpdef"];
        let names = |line: &str| {
            let rest = line.trim_start().trim_start_matches("async ").trim_start();
            words.iter().any(|word| {
                rest.strip_prefix(word).is_some_and(|rest| rest.trim_start().starts_with(&symbol.name))
            })
        };
        let lines = self.text.lines().enumerate().skip(first - 1).take(symbol.end_line as usize - first + 1);
        lines.into_iter().find(|(_, line)| names(line)).map_or(first, |(number, _)| number + 1)
    }

    fn explanation(&self, tag: &Tag) -> &'static str {
        let line = self.text.lines().nth(tag.line - 1).unwrap_or_default();
        let column = line.find(&tag.name).unwrap_or_default();
        let place = Point::new(tag.line - 1, column);
        let leaf = self.tree.root_node().descendant_for_point_range(place, place);
        let around: Vec<Node<'_>> = std::iter::successors(leaf, Node::parent).collect();
        let within = |kinds: &[&str]| around.iter().any(|node| kinds.contains(&node.kind()));
        let is_known = |wanted: fn(&Symbol, usize) -> bool| {
            self.called(&tag.name).any(|symbol| wanted(symbol, tag.line))
        };
        if KEYWORDS.contains(&tag.name.as_str()) {
            "a keyword that ctags takes for a name"
        } else if within(&["string", "comment"]) {
            "text in a string or a comment: no code"
        } else if is_known(|symbol, line| is_value(symbol.kind) && (symbol.start_line as usize) < line) {
            "a value that is set again: the symbol is where it is set first"
        } else if tag.kind == "function" && within(&["assignment"]) && within(&["function_definition"]) {
            "a lambda that a function keeps for itself: a value, no definition"
        } else if within(&["ERROR"]) {
            "text that is no valid Python"
        } else {
            UNEXPLAINED
        }
    }
}

fn is_value(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Constant | SymbolKind::Field)
}

/// Whether our kind is what ctags calls by its own; a value that is a lambda is a function to ctags.
fn is_like(ours: SymbolKind, theirs: &str) -> bool {
    match theirs {
        "class" => ours == SymbolKind::Class,
        "variable" => is_value(ours),
        _ => matches!(ours, SymbolKind::Function | SymbolKind::Method) || is_value(ours),
    }
}

fn list(total: usize, groups: &BTreeMap<&str, Vec<String>>) -> String {
    const EXAMPLES: usize = 5;
    let mut text = format!("{total} symbols of ctags\n");
    for (explanation, tags) in groups {
        // The hash changes whenever any of them does.
        let hash = blake3::hash(tags.join("\n").as_bytes()).to_hex();
        text.push_str(&format!("\n{} times, {}: {explanation}\n", tags.len(), &hash[..8]));
        let step = if *explanation == UNEXPLAINED { 1 } else { tags.len().div_ceil(EXAMPLES) };
        for tag in tags.iter().step_by(step) {
            text.push_str(&format!("  {tag}\n"));
        }
    }
    text
}
