//! `repolab tasks list`: one row per task.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use evaluator::{Task, TaskSet};

use super::problems;
use crate::printer::{Printer, table};

/// List the tasks of a file
#[derive(Debug, Args)]
pub(crate) struct List {
    /// Task file, JSONL or parquet
    #[arg(long, value_name = "FILE")]
    tasks: PathBuf,
    /// Only tasks of the repository with this number
    #[arg(long, value_name = "N")]
    github_id: Option<i64>,
}

impl List {
    /// Prints the tasks.
    pub(crate) fn run(self, printer: Printer) -> Result<ExitCode> {
        let set = TaskSet::read(&self.tasks)?;
        let wanted = |task: &&Task| self.github_id.is_none_or(|id| task.key.github_id == id);
        let tasks: Vec<&Task> = set.tasks().iter().filter(wanted).collect();
        printer.value(&tasks, || {
            let mut table = table(&["github_id", "id", "kind", "path", "instruction"]);
            for task in &tasks {
                table.add_row([
                    task.key.github_id.to_string(),
                    task.key.id.to_string(),
                    task.kind.to_string(),
                    task.path.to_string(),
                    shortened(&task.instruction),
                ]);
            }
            format!("{table}\n{} tasks{}", tasks.len(), problems(set.problems()))
        })?;
        Ok(ExitCode::SUCCESS)
    }
}

fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(100) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
