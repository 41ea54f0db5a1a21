//! `outline`: what a file defines, with the lines of each definition, so that an agent reads only what it needs.

use std::fmt::Write;

use indexer::Symbol;
use repos::RepositoryPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::nearest::nearest_files;
use crate::paging::{cursor, offset};
use crate::tokens::{Budget, DEFAULT_TOKENS, beginning};
use crate::toolbox::blocking;
use crate::{Call, Effect, Error, Result, Tool, Toolbox, visible};

// A signature with forty parameters is cut; the lines are named beside it.
const MOST_SIGNATURE_TOKENS: usize = 60;

/// See the module.
pub struct Outline;

/// Which file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutlineInput {
    /// Repository name.
    pub repo: String,
    /// Path of the file.
    pub path: String,
    /// Workspace handle, to see the file as it stands there.
    #[serde(default)]
    pub workspace: Option<String>,
    /// `next_cursor` of the answer before.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// The symbols.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OutlineOutput {
    /// Repository name.
    pub repo: String,
    /// Path of the file.
    pub path: String,
    /// The commit served; absent for a workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// In the order of their lines.
    pub symbols: Vec<OutlineSymbol>,
    /// Symbols in the whole file.
    pub total: usize,
    /// Pass it as `cursor` to continue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// What to do next where nothing is defined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// One definition.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OutlineSymbol {
    /// Its name with its parents, as `read_file` takes it in `symbol`.
    pub symbol: String,
    /// `class`, `function`, `method`, `flag`, `heading` and the like.
    pub kind: String,
    /// How it is declared.
    pub signature: String,
    /// First line.
    pub start_line: u32,
    /// Last line, included.
    pub end_line: u32,
}

impl Tool for Outline {
    const NAME: &'static str = "outline";
    const TITLE: &'static str = "Outline of a file";
    const DESCRIPTION: &'static str = "Lists what a file defines: classes, functions, methods, constants, command-line \
        flags, headings, each with its signature and lines. Use it before reading a long file, then `read_file` with \
        `symbol` or the lines.";
    const EFFECT: Effect = Effect::ReadsOnly;
    type Input = OutlineInput;
    type Output = OutlineOutput;

    async fn run(toolbox: &Toolbox, input: Self::Input, _call: &Call) -> Result<Self::Output> {
        let toolbox = toolbox.clone();
        blocking(move || outline(&toolbox, &input)).await
    }

    fn render(output: &Self::Output) -> String {
        let commit = output.commit.as_ref().map_or_else(String::new, |commit| format!(" @ {commit}"));
        let mut text = format!("{}/{}{commit}, {} symbols\n", output.repo, output.path, output.total);
        for one in &output.symbols {
            let depth = one.symbol.matches(['.', '>']).count();
            let _ = writeln!(
                text,
                "{}-{}\t{}{} {}: {}",
                one.start_line,
                one.end_line,
                "  ".repeat(depth),
                one.kind,
                one.symbol,
                one.signature
            );
        }
        if let Some(note) = &output.note {
            let _ = writeln!(text, "Note: {note}");
        }
        if let Some(cursor) = &output.next_cursor {
            let _ = writeln!(text, "More follows: call outline again with cursor=\"{cursor}\".");
        }
        text
    }
}

fn outline(toolbox: &Toolbox, input: &OutlineInput) -> Result<OutlineOutput> {
    let (_, checkout) = toolbox.repository(&input.repo)?;
    let path: RepositoryPath = input.path.parse()?;
    let root = toolbox.root(&checkout, input.workspace.as_deref())?;
    let all = indexer::outline(&root, &path).map_err(|error| match error {
        indexer::Error::Repository(repos::Error::FileNotFound { path }) => Error::NoSuchFile {
            repository: checkout.name.to_string(),
            nearest: nearest_files(root.folder(), path.as_str()),
            path: path.to_string(),
        },
        indexer::Error::Repository(repos::Error::NotAFile { path, .. }) if root.is_folder(&path) => {
            Error::FolderInsteadOfFile { path: path.to_string() }
        }
        other => other.into(),
    })?;
    let identity = format!("{:?}", (&input.repo, &path, &input.workspace));
    let start = offset(input.cursor.as_deref(), &identity)?;
    let mut budget = Budget::of(DEFAULT_TOKENS);
    let mut fits = |one: &OutlineSymbol| {
        // The field names of the structure cost about as much again as the name.
        budget.take(&format!("{{\"symbol\":\"{0}\",\"kind\":\"function\",\"signature\":\"{1}\",\"start_line\":1000,\"end_line\":1000}}", one.symbol, one.signature))
    };
    let symbols: Vec<OutlineSymbol> =
        all.iter().skip(start).map(describe).take_while(|one| fits(one)).collect();
    let next = start + symbols.len();
    Ok(OutlineOutput {
        repo: checkout.name.to_string(),
        path: path.to_string(),
        commit: input.workspace.is_none().then_some(checkout.commit).flatten().map(String::from),
        symbols,
        total: all.len(),
        next_cursor: (next < all.len()).then(|| cursor(next, &identity)),
        note: all.is_empty().then(|| "the file defines no symbols; `read_file` shows its lines".to_owned()),
    })
}

fn describe(symbol: &Symbol) -> OutlineSymbol {
    let signature = visible(&symbol.signature).into_owned();
    let shown = beginning(&signature, MOST_SIGNATURE_TOKENS);
    let end = if shown.len() < signature.len() { "..." } else { "" };
    OutlineSymbol {
        symbol: visible(&symbol.qualified()).into_owned(),
        kind: symbol.kind.to_string(),
        signature: format!("{shown}{end}"),
        start_line: symbol.start_line,
        end_line: symbol.end_line,
    }
}
