//! `repolab demo`: the whole path on a sample that is compiled in, without network, container engine or model.
//! A newcomer sees in seconds what repolab does, and the integration tests use it as the first proof of health.

mod conversation;
mod sample;
mod scores;

use std::process::ExitCode;

use ::repos::Catalog;
use anyhow::{Context, Result};
use clap::Args;
use indexer::IndexStore;
use sandbox::{HostProcesses, Limits, Sandbox};
use serde::Serialize;
use tempfile::TempDir;
use tools::{SandboxSettings, Toolbox, WorkspaceSettings};

use super::runtime;
use crate::printer::Printer;

/// Show everything on a small sample: no network, container engine or model needed
///
/// Indexes a sample repository, serves it over MCP to a client in the same process, and scores sample answers of
/// which some are right, some wrong, some do nothing and some never end. Takes a few seconds and leaves nothing.
#[derive(Debug, Args)]
pub(crate) struct Demo {}

/// What the demo did, for machines.
#[derive(Debug, Serialize)]
struct Shown {
    index: indexer::BuildReport,
    conversation: conversation::Conversation,
    scores: scores::Scores,
}

impl Demo {
    /// Runs the demo in a temporary folder.
    pub(crate) fn run(self, printer: Printer) -> Result<ExitCode> {
        let folder = TempDir::with_prefix("repolab-demo-")
            .context("could not make a temporary folder for the demo")?;
        let sample = sample::lay_out(folder.path())?;
        let mut catalog = Catalog::open(&folder.path().join("data"))?;
        let name = catalog.add(&sample.repository.to_string_lossy(), Some(sample::NAME.parse()?))?.name;
        let checkout = catalog.checkout(&name)?;
        let indexes = folder.path().join("data/indexes");
        let index = IndexStore::new(indexes.clone()).build(&checkout, &())?;
        self.say(
            printer,
            &format!("1. A sample repository, written for this demo, is indexed.\n\n{}", built(&index)),
        )?;

        let settings = SandboxSettings {
            engine: None,
            image: None,
            limits: Limits::default(),
            allow_network: false,
            spares: 0,
            workspaces: WorkspaceSettings::default(),
        };
        let workspaces = folder.path().join("data/workspaces");
        let toolbox = Toolbox::new(catalog, IndexStore::new(indexes), workspaces, settings)
            .with_sandbox(Sandbox::Host(HostProcesses));
        let runtime = runtime()?;
        let conversation = runtime.block_on(conversation::hold(toolbox))?;
        self.say(
            printer,
            &format!("\n2. A client in this process uses it over MCP.\n\n{}", conversation.text()),
        )?;

        let scores = runtime.block_on(scores::score(&sample, checkout, folder.path()))?;
        self.say(
            printer,
            &format!("\n3. Recorded answers to two tasks are replayed and scored.\n\n{}", scores.text()),
        )?;
        self.say(printer, NEXT_STEPS)?;
        if printer.is_json() {
            printer.value(&Shown { index, conversation, scores }, String::new)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Tells a person as it goes; a machine gets one document at the end.
    fn say(&self, printer: Printer, text: &str) -> Result<()> {
        if printer.is_json() { Ok(()) } else { printer.data(text) }
    }
}

const NEXT_STEPS: &str = "
Next: `repolab repos sync bert` fetches a real repository, `repolab search \"fine tune on squad\"` searches it,
`claude mcp add repolab -- repolab serve` gives it to an agent, `repolab doctor` shows what this machine lacks.";

fn built(report: &indexer::BuildReport) -> String {
    format!(
        "   {}: {} files, {} chunks, {} symbols in {:.0} ms",
        report.repository,
        report.files,
        report.chunks,
        report.symbols,
        report.seconds * 1e3
    )
}
