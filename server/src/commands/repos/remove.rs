//! `repolab repos remove`: forgets a repository that was added.

use std::process::ExitCode;

use ::repos::Catalog;
use anyhow::Result;
use clap::Args;
use serde_json::json;

use crate::printer::Printer;

/// Forget an added repository or a link; a folder that was linked stays as it is
#[derive(Debug, Args)]
pub(crate) struct Remove {
    /// Repository name
    name: String,
}

impl Remove {
    /// Removes it.
    pub(crate) fn run(self, mut catalog: Catalog, printer: Printer) -> Result<ExitCode> {
        let name = catalog.resolve(&self.name)?.name.clone();
        catalog.remove(&name)?;
        printer.value(&json!({ "removed": name }), || format!("Removed {name}."))?;
        Ok(ExitCode::SUCCESS)
    }
}
