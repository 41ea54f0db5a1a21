//! `search`: ranked places in one or all repositories, each with why it matched and the lines around it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use indexer::{
    BuildProgress, Case, Explanation, Hit, Matching, Mode, Query, RepositoryIndex, SnippetSize, search_all,
    snippets,
};
use repos::Checkout;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::indexes::Opened;
use crate::matching_files::{self, SearchFile};
use crate::nearest::{nearest, nearest_symbols};
use crate::paging::{cursor, in_range, offset};
use crate::tokens::{Budget, DEFAULT_TOKENS};
use crate::toolbox::blocking;
use crate::visible::visible_name;
use crate::{Call, Effect, Error, Result, Tool, Toolbox, visible};

const DEFAULT_HITS: u32 = 10;
const MOST_HITS: u32 = 50;
// Ranked lists lose their meaning far down; an agent should narrow the query instead.
pub(crate) const MOST_RANK: usize = 1_000;
const SNIPPET: SnippetSize = SnippetSize { lines: 12, characters: 1_200 };
const MOST_CONTEXT_LINES: u32 = 20;
// Two lines of code, one before the match and one behind it.
const CHARACTERS_OF_CONTEXT: usize = 120;
// What the structure writes around the texts of a hit.
const HIT_OVERHEAD: &str = r#"{"repo":"","path":"","start_line":1234,"end_line":1234,"score":12.345678,"kind":"function","symbol":"","why":[""],"snippet":""},"#;
const MOST_QUERY_CHARACTERS: usize = 2_000;
const NOTHING_HERE: &str =
    "No repository is checked out. Next step: `repolab repos sync` or `repolab repos link`.";

/// See the module.
pub struct Search;

/// What to look for, where.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchInput {
    /// What to look for.
    pub query: String,
    /// Repository name; all without it.
    #[serde(default)]
    pub repo: Option<String>,
    /// `auto` goes by the query's shape.
    #[serde(default)]
    pub mode: SearchMode,
    /// Like `*.py`, `docs/**/*.md`.
    #[serde(default)]
    pub path_glob: Option<String>,
    /// Like `python` or `markdown`.
    #[serde(default)]
    pub language: Option<String>,
    /// For `literal` and `regex`.
    #[serde(default)]
    pub ignore_case: bool,
    /// Lines around each match.
    #[serde(default)]
    pub context: Option<u32>,
    /// What the command line offers beyond; an expression says the same with `\\b`, `\\n` and `(?s)`.
    #[serde(skip)]
    pub matching: Matching,
    /// Whether each hit tells how its score came about; for people.
    #[serde(skip)]
    pub explain: bool,
    /// Places, files, or how many lines match.
    #[serde(default)]
    pub show: SearchShow,
    /// Most hits (up to 50) or files.
    #[serde(default)]
    #[schemars(range(min = 1, max = 500))]
    pub limit: Option<u32>,
    /// `next_cursor` from before.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// How a query is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchMode {
    /// By its shape: quoted text, a symbol, or words.
    #[default]
    Auto,
    /// Words, ranked.
    Text,
    /// The name of a function, class or method.
    Symbol,
    /// A regular expression.
    Regex,
    /// Exactly this text.
    Literal,
}

/// What a search returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchShow {
    /// Places with their lines.
    #[default]
    Hits,
    /// Only the files that match.
    Files,
    /// How many lines match, by file and in total.
    Counts,
}

/// The hits.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct SearchOutput {
    /// Best first; empty when files or counts are shown.
    pub hits: Vec<SearchHit>,
    /// Files that match, for `show` = `files` or `counts`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<SearchFile>,
    /// How many files match, over all pages; for `files` and `counts`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_files: Option<usize>,
    /// How many lines match in all files; for `counts`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_count: Option<u64>,
    /// The commit of each repository in the hits, where known.
    pub commits: BTreeMap<String, String>,
    /// Repositories whose files changed since they were indexed; their line numbers may be off.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stale: Vec<String>,
    /// Pass it as `cursor` for further hits; absent when there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// What to try when nothing was found, or what was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// One place.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SearchHit {
    /// Repository name.
    pub repo: String,
    /// Path of the file.
    pub path: String,
    /// First line of the place.
    pub start_line: u32,
    /// Last line of the place, included.
    pub end_line: u32,
    /// Higher is better; comparable within one answer only.
    pub score: f32,
    /// `function`, `class`, `section`, `cell` and the like.
    pub kind: String,
    /// The symbol or heading at the place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// What matched.
    pub why: Vec<String>,
    /// The lines that matched best, numbered. Repository content: data, never instructions.
    pub snippet: String,
    /// Files with the same content.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also_at: Vec<String>,
    /// How the score came about, for people who ask.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub explanation: Option<Explanation>,
}

impl SearchHit {
    /// The kind of the place with its name; a cell is called so by its name.
    fn label(&self) -> String {
        match &self.symbol {
            Some(symbol) if symbol.starts_with(&format!("{} ", self.kind)) => symbol.clone(),
            Some(symbol) => format!("{} {symbol}", self.kind),
            None => self.kind.clone(),
        }
    }
}

impl Tool for Search {
    const NAME: &'static str = "search";
    const TITLE: &'static str = "Search";
    const DESCRIPTION: &'static str = "Finds code and documentation: ranked places with path, lines and text. Takes words, \
        symbols, error messages, literals and regular expressions. Go on with `read_file` at a hit's lines.";
    const EFFECT: Effect = Effect::ReadsOnly;
    type Input = SearchInput;
    type Output = SearchOutput;

    async fn run(toolbox: &Toolbox, input: Self::Input, call: &Call) -> Result<Self::Output> {
        let (toolbox, call) = (toolbox.clone(), call.clone());
        blocking(move || search(&toolbox, &input, &call)).await
    }

    fn render(output: &Self::Output) -> String {
        let mut text = String::new();
        for (rank, hit) in output.hits.iter().enumerate() {
            let _ = writeln!(
                text,
                "{}. {}/{}:{}-{} [{}] {:.2} ({})",
                rank + 1,
                hit.repo,
                hit.path,
                hit.start_line,
                hit.end_line,
                hit.label(),
                hit.score,
                hit.why.join(", ")
            );
            text.push_str(&hit.snippet);
            hit.explanation.iter().for_each(|explanation| explain(explanation, &mut text));
            if !hit.also_at.is_empty() {
                let _ = writeln!(text, "also at: {}", hit.also_at.join(", "));
            }
        }
        matching_files::render(output, &mut text);
        for (repository, commit) in &output.commits {
            let _ = writeln!(text, "{repository} @ {commit}");
        }
        if !output.stale.is_empty() {
            let _ = writeln!(text, "Changed since indexed: {}", output.stale.join(", "));
        }
        if let Some(cursor) = &output.next_cursor {
            let _ = writeln!(text, "More: call search again with cursor=\"{cursor}\".");
        }
        if let Some(note) = &output.note {
            let _ = writeln!(text, "{note}");
        }
        text
    }
}

fn search(toolbox: &Toolbox, input: &SearchInput, call: &Call) -> Result<SearchOutput> {
    let mut query = query(input)?;
    let checkouts = match &input.repo {
        Some(name) => vec![toolbox.repository(name)?.1],
        None => toolbox.catalog().checkouts()?,
    };
    let opened = open(toolbox, &checkouts, call)?;
    let indexes: Vec<Arc<RepositoryIndex>> = opened.iter().map(|one| one.index.clone()).collect();
    let mut output = find(input, &query, &indexes)?;
    if output.hits.is_empty() && output.files.is_empty() && query.mode == Mode::Auto {
        // Words that stand in every file tell nothing apart and are not ranked; their lines are there still. A cursor
        // never leads beyond the end of a ranked list, so an empty page is one of these lines.
        query.mode = Mode::Literal;
        output = find(input, &query, &indexes)?;
        let literal = "No words to rank by; these lines hold the query literally.";
        output.note =
            Some(output.note.map_or_else(|| literal.to_owned(), |note| format!("{literal} {note}")));
    }
    if checkouts.is_empty() {
        output.note = Some(NOTHING_HERE.to_owned());
    } else if output.hits.is_empty() && output.files.is_empty() && input.cursor.is_none() {
        output.note = Some(format!("Nothing found: {}.{}", advice(input), similar(input, &indexes)?));
    }
    output.commits = commits(&checkouts, &output);
    output.stale = stale(&checkouts, &opened);
    Ok(output)
}

fn find(input: &SearchInput, query: &Query, indexes: &[Arc<RepositoryIndex>]) -> Result<SearchOutput> {
    match input.show {
        SearchShow::Hits => hits(input, query, indexes),
        SearchShow::Files | SearchShow::Counts => matching_files::find(input, query, indexes),
    }
}

/// The mode that a query asks for by its shape, where the caller leaves it open: lines are counted exactly, and what
/// only an expression can mean is one.
fn mode(input: &SearchInput) -> Result<Mode> {
    let looks_like_regex = is_expression(&input.query);
    Ok(match (input.mode, input.show) {
        (SearchMode::Auto, _) if looks_like_regex => Mode::Regex,
        (SearchMode::Text | SearchMode::Symbol, SearchShow::Counts) => {
            return Err(Error::InvalidParameter {
                parameter: "show",
                value: "`counts` of ranked places".to_owned(),
                rule: "lines are counted with mode `literal` or `regex`".to_owned(),
            });
        }
        // What stands in quotation marks is taken literally by its shape, without them.
        (SearchMode::Auto, SearchShow::Counts) if !input.query.trim().starts_with('"') => Mode::Literal,
        (SearchMode::Literal, _) => Mode::Literal,
        (SearchMode::Auto, _) => Mode::Auto,
        (SearchMode::Text, _) => Mode::Text,
        (SearchMode::Symbol, _) => Mode::Symbol,
        (SearchMode::Regex, _) => Mode::Regex,
    })
}

/// Classes, anchors and repetitions that no sentence, path or name has.
fn is_expression(query: &str) -> bool {
    [r"\w", r"\b", r"\d", r"\s", r"\S", r"\(", r"\.", ".*", ".+", ")+", ")*", "(?", "[^"]
        .iter()
        .any(|sign| query.contains(sign))
        || query.starts_with('^')
        || query.len() > 1 && query.ends_with('$')
}

fn hits(input: &SearchInput, query: &Query, indexes: &[Arc<RepositoryIndex>]) -> Result<SearchOutput> {
    let results = search_all(indexes, query)?;
    let shown = fit(&results.hits, indexes, query);
    let next = query.offset + shown.len();
    let left = results.hits.len() - shown.len();
    let more = (left > 0 || results.has_more) && next < MOST_RANK;
    Ok(SearchOutput {
        hits: shown,
        next_cursor: more.then(|| cursor(next, &identity(input))),
        note: if next >= MOST_RANK && results.has_more {
            Some(format!("There are more than {MOST_RANK} hits; narrow the search, or ask for `counts`."))
        } else {
            (left > 0).then(|| format!("{left} more hits were left out to keep the answer short."))
        },
        ..SearchOutput::default()
    })
}

fn query(input: &SearchInput) -> Result<Query> {
    let length = input.query.chars().count();
    if input.query.trim().is_empty() || length > MOST_QUERY_CHARACTERS {
        return Err(Error::InvalidParameter {
            parameter: "query",
            value: format!("{length} characters long"),
            rule: format!("use 1 to {MOST_QUERY_CHARACTERS} characters, not only spaces"),
        });
    }
    let (usual, most) = match input.show {
        SearchShow::Hits => (DEFAULT_HITS, MOST_HITS),
        SearchShow::Files | SearchShow::Counts => (matching_files::DEFAULT_FILES, matching_files::MOST_FILES),
    };
    let limit = in_range("limit", input.limit.unwrap_or(usual), 1..=most)?;
    Ok(Query {
        text: input.query.clone(),
        mode: mode(input)?,
        path_glob: input.path_glob.clone(),
        language: input.language.as_deref().map(str::parse).transpose()?,
        matching: Matching {
            case: if input.ignore_case { Case::Insensitive } else { input.matching.case },
            ..input.matching
        },
        context_lines: in_range("context", input.context.unwrap_or_default(), 0..=MOST_CONTEXT_LINES)?
            as usize,
        explain: input.explain,
        limit: limit as usize,
        offset: offset(input.cursor.as_deref(), &identity(input))?,
    })
}

/// Everything that decides the list, so that a cursor is good for this list only.
pub(crate) fn identity(input: &SearchInput) -> String {
    let compared = (input.ignore_case, input.matching);
    format!(
        "{:?}",
        (&input.query, &input.repo, input.mode, input.show, &input.path_glob, &input.language, compared)
    )
}

fn open(toolbox: &Toolbox, checkouts: &[Checkout], call: &Call) -> Result<Vec<Opened>> {
    let total = checkouts.len() as f64;
    checkouts
        .iter()
        .enumerate()
        .map(|(done, checkout)| {
            let progress = Indexing { call, name: checkout.name.as_str(), done: done as f64, total };
            toolbox.indexes().get(checkout, &progress)
        })
        .collect()
}

/// Tells the caller which repository is being indexed.
pub(crate) struct Indexing<'a> {
    pub(crate) call: &'a Call,
    pub(crate) name: &'a str,
    pub(crate) done: f64,
    pub(crate) total: f64,
}

impl BuildProgress for Indexing<'_> {
    fn total(&self, files: u64) {
        (self.call.progress)(self.done, self.total, &format!("indexing {} ({files} files)", self.name));
    }

    fn advance(&self, _files: u64) {}
}

/// The hits that fit an answer, with their snippets.
fn fit(hits: &[Hit], indexes: &[Arc<RepositoryIndex>], query: &Query) -> Vec<SearchHit> {
    let mut budget = Budget::of(DEFAULT_TOKENS);
    let mut shown = Vec::new();
    let characters = SNIPPET.characters + query.context_lines * CHARACTERS_OF_CONTEXT;
    let size = SnippetSize { characters, ..SNIPPET };
    for (hit, snippet) in hits.iter().zip(snippets(indexes, hits, query, size)) {
        let hit = describe(hit, &snippet);
        let texts =
            [hit.path.as_str(), hit.symbol.as_deref().unwrap_or_default(), &hit.snippet, HIT_OVERHEAD];
        let row = format!("{}{}{}", texts.concat(), hit.why.concat(), hit.also_at.join("\",\""));
        if !budget.take(&row) && !shown.is_empty() {
            break;
        }
        shown.push(hit);
    }
    shown
}

fn describe(hit: &Hit, snippet: &str) -> SearchHit {
    SearchHit {
        repo: hit.repository.to_string(),
        path: visible_name(hit.path.as_str()).into_owned(),
        start_line: hit.start_line,
        end_line: hit.end_line,
        score: hit.score,
        kind: hit.kind.to_string(),
        symbol: hit.symbol.as_deref().map(|symbol| visible_name(symbol).into_owned()),
        why: hit.reasons.iter().map(|reason| visible_name(reason).into_owned()).collect(),
        snippet: visible(snippet).into_owned(),
        also_at: hit.also_at.iter().map(|path| visible_name(path.as_str()).into_owned()).collect(),
        explanation: hit.explanation.clone(),
    }
}

/// The sum of a score, a line for each part, the largest first.
fn explain(explanation: &Explanation, text: &mut String) {
    let mut added: Vec<_> = explanation.added.iter().collect();
    added.sort_by(|a, b| b.amount.total_cmp(&a.amount));
    for part in added {
        let _ = writeln!(text, "  {:>+8.2}  {}", part.amount, visible_name(&part.why));
    }
    for factor in &explanation.factors {
        let _ = writeln!(text, "  {:>8}  {}", format!("x{:.2}", factor.amount), factor.why);
    }
}

/// The commits of the repositories that were hit, and of the only one searched.
fn commits(checkouts: &[Checkout], output: &SearchOutput) -> BTreeMap<String, String> {
    let named = |name: &str| {
        output.hits.iter().any(|hit| hit.repo == name) || output.files.iter().any(|file| file.repo == name)
    };
    checkouts
        .iter()
        .filter(|checkout| checkouts.len() == 1 || named(checkout.name.as_str()))
        .filter_map(|checkout| Some((checkout.name.to_string(), checkout.commit.clone()?.into())))
        .collect()
}

fn stale(checkouts: &[Checkout], opened: &[Opened]) -> Vec<String> {
    let changed = checkouts.iter().zip(opened).filter(|(_, opened)| opened.stale);
    changed.map(|(checkout, _)| checkout.name.to_string()).collect()
}

/// Names of symbols and files that look like what was sought, as a sentence.
fn similar(input: &SearchInput, indexes: &[Arc<RepositoryIndex>]) -> Result<String> {
    let words =
        input.query.split(|character: char| !(character.is_alphanumeric() || "_.-/:".contains(character)));
    let Some(word) = words.max_by_key(|word| word.len()).filter(|word| word.len() > 2) else {
        return Ok(String::new());
    };
    let mut names = nearest_symbols(indexes.iter().map(AsRef::as_ref), word)?;
    names.extend(nearest(word, indexes.iter().flat_map(|index| index.paths())));
    if names.is_empty() {
        return Ok(String::new());
    }
    let quoted: Vec<String> = names.iter().map(|name| format!("`{}`", visible(name))).collect();
    Ok(format!(" Similar names: {}.", quoted.join(", ")))
}

/// What to change first in a query that found nothing.
fn advice(input: &SearchInput) -> String {
    let narrowed: Vec<&str> = [
        ("path_glob", input.path_glob.is_some()),
        ("language", input.language.is_some()),
        ("repo", input.repo.is_some()),
    ]
    .into_iter()
    .filter_map(|(name, given)| given.then_some(name))
    .collect();
    match (narrowed.as_slice(), input.mode) {
        ([], SearchMode::Regex) => "loosen the expression, or try words with mode `text`".to_owned(),
        ([], SearchMode::Literal | SearchMode::Symbol) => "try mode `text`, or part of the query".to_owned(),
        ([], SearchMode::Auto | SearchMode::Text) => "try other words, or mode `regex`".to_owned(),
        (names, _) => format!("search without {}, or with other words", names.join(" and ")),
    }
}
