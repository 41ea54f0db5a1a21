//! `repolab repos link`: serves folders that are already on this machine.

use std::path::PathBuf;
use std::process::ExitCode;

use ::repos::Catalog;
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::json;

use crate::printer::Printer;

/// Serve folders that are already on this machine; they are only read
///
/// Examples:
///   repolab repos link dgl ~/src/dgl
///   repolab repos link --all ~/ml-bench    (one folder per repository, named as in `repos list`)
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Link {
    /// Repository name
    #[arg(required_unless_present = "all", requires = "folder")]
    name: Option<String>,
    /// The folder that holds it
    folder: Option<PathBuf>,
    /// Link every known repository that has a folder of its name in FOLDER
    #[arg(long, value_name = "FOLDER", conflicts_with = "name")]
    all: Option<PathBuf>,
}

impl Link {
    /// Links and prints what is served now.
    pub(crate) fn run(self, catalog: &Catalog, printer: Printer) -> Result<ExitCode> {
        match (self.all, self.name, self.folder) {
            (Some(folder), _, _) => link_all(catalog, &absolute(folder)?, printer),
            (None, Some(name), Some(folder)) => {
                let name = catalog.resolve(&name)?.name.clone();
                let checkout = catalog.link(&name, &absolute(folder)?)?;
                let commit = checkout.commit.map_or_else(|| "unknown commit".to_owned(), String::from);
                let text = format!("Linked {name} to {} ({commit})", checkout.folder.display());
                printer
                    .value(&json!({ "name": name, "folder": checkout.folder, "commit": commit }), || text)?;
                Ok(ExitCode::SUCCESS)
            }
            _ => bail!("give a repository name and its folder, or --all FOLDER"),
        }
    }
}

fn link_all(catalog: &Catalog, folder: &std::path::Path, printer: Printer) -> Result<ExitCode> {
    let report = catalog.link_all(folder)?;
    if report.linked.is_empty() {
        bail!(
            "no folder in {} is named like a known repository; `repolab repos list` shows the names",
            folder.display()
        );
    }
    let linked: Vec<String> = report.linked.iter().map(|checkout| checkout.name.to_string()).collect();
    let json = json!({ "linked": linked, "missing": report.missing, "unknown": report.unknown });
    printer.value(&json, || {
        let mut text = format!("Linked {}: {}", linked.len(), linked.join(", "));
        let missing: Vec<String> = report.missing.iter().map(ToString::to_string).collect();
        for (what, names) in [("No folder for", &missing), ("Left alone, no known name", &report.unknown)] {
            if !names.is_empty() {
                text.push_str(&format!("\n{what}: {}", names.join(", ")));
            }
        }
        text
    })?;
    Ok(ExitCode::SUCCESS)
}

/// A link must mean the same folder wherever the next command is run.
fn absolute(folder: PathBuf) -> Result<PathBuf> {
    fs_err::canonicalize(folder).context("could not find the folder to link")
}
