//! `repolab repos add`: serves a repository that the registry does not name.

use std::process::ExitCode;

use ::repos::Catalog;
use anyhow::Result;
use clap::Args;

use crate::printer::Printer;

/// Serve any other repository: a folder on this machine or a git URL
///
/// Examples:
///   repolab repos add ~/src/my-model
///   repolab repos add URL --name my-model && repolab repos sync my-model
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Add {
    /// Folder or git URL
    source: String,
    /// Name to serve it under [default: the last part of the source]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

impl Add {
    /// Adds it and says what to do next.
    pub(crate) fn run(self, mut catalog: Catalog, printer: Printer) -> Result<ExitCode> {
        let name = self.name.map(|name| name.parse()).transpose()?;
        let entry = catalog.add(&self.source, name)?;
        printer.value(&entry, || match &entry.url {
            Some(_) => format!("Added {0}. Fetch it with `repolab repos sync {0}`.", entry.name),
            None => format!("Added {0}. Search it with `repolab search WORDS --repo {0}`.", entry.name),
        })?;
        Ok(ExitCode::SUCCESS)
    }
}
