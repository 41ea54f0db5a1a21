//! `repolab repos status`: what is on this machine, and whether it is what the registry says.

use std::process::ExitCode;

use ::repos::{Catalog, State};
use anyhow::Result;
use clap::Args;

use crate::printer::{Printer, table};

/// Show which repositories are on this machine and at which commit
#[derive(Debug, Args)]
pub(crate) struct Status {}

impl Status {
    /// Prints one row per known repository.
    pub(crate) fn run(self, catalog: &Catalog, printer: Printer) -> Result<ExitCode> {
        let statuses = catalog.status()?;
        printer.value(&statuses, || {
            let mut table = table(&["name", "state", "commit", "folder"]);
            for status in &statuses {
                let (state, commit, folder) = match &status.state {
                    State::NotCheckedOut => ("not checked out".to_owned(), String::new(), String::new()),
                    State::Ready { checkout } => (
                        "ready".to_owned(),
                        checkout.commit.as_ref().map_or("unknown", |commit| commit.short()).to_owned(),
                        checkout.folder.display().to_string(),
                    ),
                    State::WrongCommit { found, wanted } => (
                        format!("not the pinned commit {}", wanted.short()),
                        found.short().to_owned(),
                        String::new(),
                    ),
                    State::Broken { why } => (format!("broken: {why}"), String::new(), String::new()),
                };
                table.add_row([status.entry.name.to_string(), state, commit, folder]);
            }
            table.to_string()
        })?;
        Ok(ExitCode::SUCCESS)
    }
}
