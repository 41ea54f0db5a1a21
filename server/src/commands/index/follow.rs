//! `repolab index --watch`: follows the disk and tells of every update in one line.

use std::collections::BTreeSet;
use std::time::Instant;

use ::repos::Checkout;
use anyhow::Result;
use indexer::{BuildReport, IndexStore};
use serde::Serialize;

use super::disk::Disk;
use crate::configuration::Configuration;
use crate::printer::Printer;

/// What an update did.
#[derive(Debug, Serialize)]
struct Update {
    repository: String,
    /// Files that were added, changed or removed.
    files_changed: u64,
    files_read: u64,
    milliseconds: f64,
}

/// Keeps the indexes of repositories up to date until the process is told to end.
pub(super) fn follow(
    store: &IndexStore,
    checkouts: &[Checkout],
    (configuration, printer): (&Configuration, Printer),
) -> Result<()> {
    let mut disk = Disk::watch(checkouts, printer)?;
    printer.notice(&format!("watching {} repositories; Ctrl-C ends it", checkouts.len()));
    // What changed while they were indexed and nobody listened yet.
    let mut changed: BTreeSet<usize> = (0..checkouts.len()).collect();
    loop {
        for number in changed {
            match update(store, &checkouts[number], configuration) {
                Ok(Some(update)) => print(&update, printer)?,
                Ok(None) => {}
                Err(error) => printer.notice(&format!("{}: {error:#}", checkouts[number].name)),
            }
        }
        let Some(next) = disk.next() else { return Ok(()) };
        changed = next;
    }
}

/// Brings one index up to date; nothing when it was.
fn update(store: &IndexStore, checkout: &Checkout, configuration: &Configuration) -> Result<Option<Update>> {
    // The commit may be another one by now.
    let checkout = configuration.catalog()?.checkout(&checkout.name)?;
    let started = Instant::now();
    let BuildReport { files_changed, files_read, .. } = store.build(&checkout, &())?;
    Ok((files_changed > 0).then(|| Update {
        repository: checkout.name.to_string(),
        files_changed,
        files_read,
        milliseconds: started.elapsed().as_secs_f64() * 1e3,
    }))
}

fn print(update: &Update, printer: Printer) -> Result<()> {
    if printer.is_json() {
        return printer.data(&serde_json::to_string(update)?);
    }
    let Update { repository, files_changed, milliseconds, .. } = update;
    let files = if *files_changed == 1 { "file" } else { "files" };
    printer.data(&format!("{repository}: {files_changed} {files} changed, indexed in {milliseconds:.0} ms"))
}
