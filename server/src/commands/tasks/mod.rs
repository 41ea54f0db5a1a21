//! `repolab tasks`: the benchmark's tasks, read from JSONL or parquet.

mod check;
mod list;
mod show;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

use crate::printer::Printer;

/// Read and check ML-Bench's tasks
#[derive(Debug, Subcommand)]
pub(crate) enum Tasks {
    List(list::List),
    Show(show::Show),
    Check(check::Check),
}

impl Tasks {
    /// Runs the chosen one.
    pub(crate) fn run(self, printer: Printer) -> Result<ExitCode> {
        match self {
            Self::List(command) => command.run(printer),
            Self::Show(command) => command.run(printer),
            Self::Check(command) => command.run(printer),
        }
    }
}

/// Rows that could not be used, each by number; nothing when all could.
pub(super) fn problems(problems: &[evaluator::Problem]) -> String {
    let lines: Vec<String> = problems.iter().map(|problem| format!("\n{problem}")).collect();
    lines.concat()
}
