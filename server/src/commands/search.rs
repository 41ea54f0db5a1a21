//! `repolab search`: the `search` tool from the shell.

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use indexer::{Case, Matching};
use tools::{SearchInput, SearchMode, SearchShow, Tool};

use super::{NOTHING_HERE, call, toolbox};
use crate::configuration::Configuration;
use crate::printer::Printer;

/// Search code and documentation, exactly as an agent does
///
/// Examples:
///   repolab search "train a GCN on citeseer" --repo dgl
///   repolab search --mode regex 'class \w+Attention' --path-glob '**/*.py'
///   repolab search --mode literal --word lr --context 2
///   repolab search --mode regex 'import torch\nimport' --ignore-case --show counts
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(crate) struct Search {
    /// Words, a symbol, an error message, a literal or a regular expression
    query: String,
    /// Only this repository
    #[arg(long, value_name = "NAME")]
    repo: Option<String>,
    /// How to read the query
    #[arg(long, value_enum, default_value_t)]
    mode: Mode,
    /// Only paths that match this glob
    #[arg(long, value_name = "GLOB")]
    path_glob: Option<String>,
    /// Only this language
    #[arg(long, value_name = "LANGUAGE")]
    language: Option<String>,
    /// Take letters of either case for the same, in literals and regular expressions
    #[arg(short, long, conflicts_with = "smart_case")]
    ignore_case: bool,
    /// Ignore case unless the pattern holds a capital letter
    #[arg(short = 'S', long)]
    smart_case: bool,
    /// Match whole words only
    #[arg(short, long)]
    word: bool,
    /// Let matches span lines, as they may when the pattern holds `\n` or `(?s)`
    #[arg(short = 'U', long)]
    multi_line: bool,
    /// Lines to print before and behind each matching line, up to 20
    #[arg(short = 'C', long, value_name = "N")]
    context: Option<u32>,
    /// What to print
    #[arg(long, value_enum, default_value_t)]
    show: Show,
    /// Below each hit, tell how its score came about
    #[arg(long)]
    explain: bool,
    /// How many hits, 1 to 50, or files, 1 to 500
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    /// The `next_cursor` of an answer to the same query
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Mode {
    /// By the query's shape
    #[default]
    Auto,
    /// Words, ranked
    Text,
    /// A function, class or method
    Symbol,
    /// A regular expression
    Regex,
    /// Exactly this text
    Literal,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Show {
    /// Places with their lines
    #[default]
    Hits,
    /// Files that match
    Files,
    /// How many lines match
    Counts,
}

impl Search {
    /// Prints the hits.
    pub(crate) fn run(self, configuration: &Configuration, printer: Printer) -> Result<ExitCode> {
        let case = if self.smart_case { Case::Smart } else { Case::Sensitive };
        let matching = Matching { case, whole_words: self.word, spans_lines: self.multi_line };
        let input = SearchInput {
            query: self.query,
            repo: self.repo,
            mode: match self.mode {
                Mode::Auto => SearchMode::Auto,
                Mode::Text => SearchMode::Text,
                Mode::Symbol => SearchMode::Symbol,
                Mode::Regex => SearchMode::Regex,
                Mode::Literal => SearchMode::Literal,
            },
            path_glob: self.path_glob,
            language: self.language,
            ignore_case: self.ignore_case,
            context: self.context,
            matching,
            explain: self.explain,
            show: match self.show {
                Show::Hits => SearchShow::Hits,
                Show::Files => SearchShow::Files,
                Show::Counts => SearchShow::Counts,
            },
            limit: self.limit,
            cursor: self.cursor,
        };
        let toolbox = toolbox(configuration)?;
        if toolbox.catalog().checkouts()?.is_empty() {
            bail!(NOTHING_HERE);
        }
        let output = call::<tools::Search>(&toolbox, input)?;
        printer.value(&output, || tools::Search::render(&output))?;
        Ok(ExitCode::SUCCESS)
    }
}
