//! `repolab index`: builds the indexes ahead of the first search.

mod disk;
mod follow;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;

use ::repos::{Catalog, Checkout};
use anyhow::{Result, bail};
use clap::Args;
use indexer::{BuildReport, IndexStore, SkippedFile, skipped_files};
use rayon::prelude::*;
use serde::Serialize;
use tools::visible;

use super::NOTHING_HERE;
use crate::bars::{IndexBar, index_bar};
use crate::configuration::Configuration;
use crate::printer::{Printer, table};

/// Build the search indexes, or bring them up to date: only files that changed are read again
#[derive(Debug, Args)]
pub(crate) struct Index {
    /// Repositories; all that are checked out when none is named
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Build anew from all files, even where nothing changed
    #[arg(long)]
    force: bool,
    /// Then follow the disk, and index every change as it happens, until Ctrl-C
    #[arg(long)]
    watch: bool,
    /// List every file that is left out, with the reason
    #[arg(long)]
    skipped: bool,
}

/// What was built, in sums and by repository.
#[derive(Debug, Serialize)]
struct Summary {
    files: u64,
    chunks: u64,
    symbols: u64,
    bytes: u64,
    index_bytes: u64,
    trigram_bytes: u64,
    /// Files that were read now; the others had not changed since they were indexed.
    files_read: u64,
    /// Wall time of this command, not the sum over repositories.
    seconds: f64,
    skipped: BTreeMap<String, u64>,
    repositories: Vec<BuildReport>,
    /// By repository, when they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped_files: Option<BTreeMap<String, Vec<SkippedFile>>>,
}

impl Index {
    /// Builds and prints what was built.
    pub(crate) fn run(self, configuration: &Configuration, printer: Printer) -> Result<ExitCode> {
        let checkouts = chosen(&configuration.catalog()?, &self.names)?;
        let store = IndexStore::new(configuration.indexes());
        let started = Instant::now();
        let bar = index_bar(printer);
        let reports: Vec<BuildReport> =
            checkouts.par_iter().map(|checkout| self.build(&store, checkout, &bar)).collect::<Result<_>>()?;
        bar.finish();
        let mut summary = summarize(reports, started.elapsed().as_secs_f64());
        if self.skipped {
            let list = |checkout: &Checkout| Ok((checkout.name.to_string(), skipped_files(checkout)?));
            summary.skipped_files = Some(checkouts.par_iter().map(list).collect::<Result<_>>()?);
        }
        printer.value(&summary, || text(&summary))?;
        if self.watch {
            follow::follow(&store, &checkouts, (configuration, printer))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn build(&self, store: &IndexStore, checkout: &Checkout, bar: &IndexBar) -> Result<BuildReport> {
        Ok(if self.force { store.rebuild(checkout, bar) } else { store.build(checkout, bar) }?)
    }
}

/// The checkouts of `names`, or all.
pub(super) fn chosen(catalog: &Catalog, names: &[String]) -> Result<Vec<Checkout>> {
    if names.is_empty() {
        let all = catalog.checkouts()?;
        if all.is_empty() {
            bail!(NOTHING_HERE);
        }
        return Ok(all);
    }
    names.iter().map(|name| Ok(catalog.checkout(&catalog.resolve(name)?.name)?)).collect()
}

fn summarize(repositories: Vec<BuildReport>, seconds: f64) -> Summary {
    let sum = |of: fn(&BuildReport) -> u64| repositories.iter().map(of).sum();
    let mut skipped = BTreeMap::new();
    for (reason, count) in repositories.iter().flat_map(|report| &report.skipped) {
        *skipped.entry(reason.clone()).or_default() += count;
    }
    Summary {
        files: sum(|report| report.files),
        chunks: sum(|report| report.chunks),
        symbols: sum(|report| report.symbols),
        bytes: sum(|report| report.bytes),
        index_bytes: sum(|report| report.index_bytes),
        trigram_bytes: sum(|report| report.trigram_bytes),
        files_read: sum(|report| report.files_read),
        seconds,
        skipped,
        repositories,
        skipped_files: None,
    }
}

fn text(summary: &Summary) -> String {
    let mut table =
        table(&["repository", "files", "read", "chunks", "symbols", "text MB", "index MB", "skipped"]);
    for report in &summary.repositories {
        table.add_row([
            report.repository.to_string(),
            report.files.to_string(),
            report.files_read.to_string(),
            report.chunks.to_string(),
            report.symbols.to_string(),
            megabytes(report.bytes),
            megabytes(report.index_bytes),
            report.skipped.values().sum::<u64>().to_string(),
        ]);
    }
    let skipped: Vec<String> = summary
        .skipped
        .iter()
        .map(|(reason, count)| format!("{count} {}", reason.replace('_', " ")))
        .collect();
    let mut list = String::new();
    for (repository, files) in summary.skipped_files.iter().flatten() {
        for file in files {
            // A name may hold the end of a line.
            let path = visible(&file.path).replace('\n', "\\n");
            list.push_str(&format!("{repository}/{path}  {}\n", file.reason.replace('_', " ")));
        }
    }
    format!(
        "{list}{table}\n{} files ({} read), {} chunks, {} symbols, {} MB of text in {:.1} s\nSkipped: {}",
        summary.files,
        summary.files_read,
        summary.chunks,
        summary.symbols,
        megabytes(summary.bytes),
        summary.seconds,
        if skipped.is_empty() { "nothing".to_owned() } else { skipped.join(", ") }
    )
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1e6)
}
