//! `repolab repos sync`: brings repositories from git at exactly their pinned commits.

use std::collections::HashMap;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ::repos::{Catalog, RepositoryName, SyncOptions, SyncProgress, SyncStep};
use anyhow::{Result, bail};
use clap::Args;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use serde_json::json;

use crate::failure;
use crate::printer::Printer;

/// Fetch repositories from git at exactly their pinned commits
///
/// Only the pinned commit is fetched, its hash is verified, and nothing the repository brings along is run:
/// no hooks, no filters, no submodules. A sync that was interrupted goes on where it can.
#[derive(Debug, Args)]
pub(crate) struct Sync {
    /// Repositories; all of the registry when none is named
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// How many to fetch at once
    #[arg(long, default_value_t = 4, value_name = "N")]
    parallel: usize,
    /// Seconds after which the fetch of one repository is given up
    #[arg(long, default_value_t = 900, value_name = "N")]
    timeout_seconds: u64,
}

impl Sync {
    /// Fetches and prints one line per repository.
    pub(crate) fn run(self, catalog: &Catalog, printer: Printer) -> Result<ExitCode> {
        let names: Vec<RepositoryName> =
            self.names.iter().map(|name| Ok(catalog.resolve(name)?.name.clone())).collect::<Result<_>>()?;
        let options =
            SyncOptions { parallel: self.parallel, timeout: Duration::from_secs(self.timeout_seconds) };
        let bars = Bars::new(printer);
        let results = catalog.sync(&names, &options, &bars);
        bars.all.clear()?;
        let mut failed = 0;
        let mut rows = Vec::new();
        for (name, result) in &results {
            match result {
                Ok(synced) => {
                    rows.push(json!({ "name": name, "ok": true, "commit": synced.commit }));
                    if !printer.is_json() {
                        printer.data(&format!("{name} @ {}", synced.commit.short()))?;
                    }
                }
                Err(error) => {
                    failed += 1;
                    rows.push(json!({ "name": name, "ok": false, "error": failure::sentence(error), "hint": error.hint() }));
                    if !printer.is_json() {
                        let hint = error.hint().map_or_else(String::new, |hint| format!("\n  Hint: {hint}"));
                        printer.notice(&format!("{name}: {}{hint}", failure::sentence(error)));
                    }
                }
            }
        }
        if printer.is_json() {
            printer.value(&rows, String::new)?;
        }
        if failed > 0 {
            bail!("{failed} of {} repositories could not be fetched", results.len());
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// One line per repository that is being fetched.
struct Bars {
    all: MultiProgress,
    lines: Mutex<HashMap<RepositoryName, ProgressBar>>,
    shown: bool,
}

impl Bars {
    fn new(printer: Printer) -> Self {
        Self { all: MultiProgress::new(), lines: Mutex::default(), shown: printer.draws_progress() }
    }
}

impl SyncProgress for Bars {
    fn update(&self, name: &RepositoryName, step: SyncStep) {
        if !self.shown {
            return;
        }
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let line = lines.entry(name.clone()).or_insert_with(|| {
            let style = ProgressStyle::with_template("{prefix:30} [{bar:30}] {msg}")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            self.all.add(
                ProgressBar::new(100).with_style(style.progress_chars("=> ")).with_prefix(name.to_string()),
            )
        });
        match step {
            SyncStep::Started => line.set_message("asking the server"),
            SyncStep::Fetching { percent } => {
                line.set_message("fetching");
                line.set_position(percent.unwrap_or(0).into());
            }
            SyncStep::CheckingOut => line.set_message("checking out"),
            SyncStep::Verified => line.finish_with_message("verified"),
            SyncStep::AlreadyThere => line.finish_with_message("already there"),
            SyncStep::Failed => line.abandon_with_message("failed"),
        }
    }
}
