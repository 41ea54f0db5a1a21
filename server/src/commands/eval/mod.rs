//! `repolab eval`: scoring agents.

mod replay;
mod scores;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

use crate::configuration::Configuration;
use crate::printer::Printer;

pub(crate) use scores::scores;

/// Score agents' answers to ML-Bench's tasks
#[derive(Debug, Subcommand)]
pub(crate) enum Eval {
    Replay(replay::Replay),
}

impl Eval {
    /// Runs the chosen one.
    pub(crate) fn run(self, configuration: &Configuration, printer: Printer) -> Result<ExitCode> {
        match self {
            Self::Replay(command) => command.run(configuration, printer),
        }
    }
}
