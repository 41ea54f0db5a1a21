//! `repolab tasks check`: the dataset against its own static checks.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use evaluator::{GoldReport, TaskSet, check_gold};

use super::problems;
use crate::printer::{Printer, table};

/// Check a task file: every row readable, and every gold answer through the benchmark's static checks
///
/// A gold answer that fails means that full marks are out of reach for that task, whoever answers.
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Task file, JSONL or parquet
    #[arg(long, value_name = "FILE")]
    tasks: PathBuf,
}

impl Check {
    /// Prints the counts and the gold answers that fail.
    pub(crate) fn run(self, printer: Printer) -> Result<ExitCode> {
        let report = check_gold(&TaskSet::read(&self.tasks)?);
        printer.value(&report, || text(&report))?;
        Ok(ExitCode::SUCCESS)
    }
}

fn text(report: &GoldReport) -> String {
    let mut text = format!(
        "{} tasks; gold answers pass: arguments {}, kind {}, both {}\n",
        report.rows, report.arguments_ok, report.kind_ok, report.both_ok
    );
    if !report.failures.is_empty() {
        let mut table = table(&["github_id", "id", "asks for", "gold answer fails because"]);
        for failure in &report.failures {
            let missing: Vec<String> =
                failure.missing_arguments.iter().map(|value| format!("no `{value}`")).collect();
            let kind = (!failure.kind_ok).then(|| format!("not of the kind {}", failure.kind));
            let why: Vec<String> = missing.into_iter().chain(kind).collect();
            table.add_row([
                failure.key.github_id.to_string(),
                failure.key.id.to_string(),
                failure.kind.to_string(),
                why.join(", "),
            ]);
        }
        text.push_str(&table.to_string());
    }
    text + &problems(&report.problems)
}
