//! `repolab repos list`: every repository that is known.

use std::process::ExitCode;

use ::repos::{Catalog, Pin};
use anyhow::Result;
use clap::Args;

use crate::printer::{Printer, table};

/// List every known repository with its pinned commit
#[derive(Debug, Args)]
pub(crate) struct List {}

impl List {
    /// Prints the registry and what was added to it.
    pub(crate) fn run(self, catalog: &Catalog, printer: Printer) -> Result<ExitCode> {
        printer.value(&catalog.entries(), || {
            let mut table = table(&["name", "commit", "pinned by", "domain", "licence", "languages"]);
            for entry in catalog.entries() {
                table.add_row([
                    entry.name.to_string(),
                    entry.commit.as_ref().map_or("-", |commit| commit.short()).to_owned(),
                    pinned_by(entry.pin).to_owned(),
                    entry.domain.clone().unwrap_or_default(),
                    entry.licence.clone().unwrap_or_default(),
                    entry.languages.join(", "),
                ]);
            }
            table.to_string()
        })?;
        Ok(ExitCode::SUCCESS)
    }
}

fn pinned_by(pin: Pin) -> &'static str {
    match pin {
        Pin::Benchmark => "ML-Bench",
        Pin::Inferred => "inferred",
        Pin::Added => "you",
    }
}
