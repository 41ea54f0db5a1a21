//! `repolab repos`: which repositories are known, and bringing them to this machine.

mod add;
mod link;
mod list;
mod remove;
mod status;
mod sync;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

use crate::configuration::Configuration;
use crate::printer::Printer;

/// Show, fetch and link the repositories that are served
#[derive(Debug, Subcommand)]
pub(crate) enum Repos {
    List(list::List),
    Status(status::Status),
    Sync(sync::Sync),
    Link(link::Link),
    Add(add::Add),
    Remove(remove::Remove),
}

impl Repos {
    /// Runs the chosen one.
    pub(crate) fn run(self, configuration: &Configuration, printer: Printer) -> Result<ExitCode> {
        let catalog = configuration.catalog()?;
        match self {
            Self::List(command) => command.run(&catalog, printer),
            Self::Status(command) => command.run(&catalog, printer),
            Self::Sync(command) => command.run(&catalog, printer),
            Self::Link(command) => command.run(&catalog, printer),
            Self::Add(command) => command.run(catalog, printer),
            Self::Remove(command) => command.run(catalog, printer),
        }
    }
}
