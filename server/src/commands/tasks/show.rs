//! `repolab tasks show`: everything about one task, its gold answer included.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use evaluator::{StaticChecks, Task, TaskKey, TaskSet, missing_arguments};

use crate::printer::Printer;

/// Show one task with its gold answer; for people, never for an agent under test
///
/// Example: repolab tasks show --tasks full.jsonl 9 246
#[derive(Debug, Args)]
pub(crate) struct Show {
    /// Task file, JSONL or parquet
    #[arg(long, value_name = "FILE")]
    tasks: PathBuf,
    /// The benchmark's number for the repository
    github_id: i64,
    /// The task's number within it
    id: i64,
}

impl Show {
    /// Prints the task.
    pub(crate) fn run(self, printer: Printer) -> Result<ExitCode> {
        let set = TaskSet::read(&self.tasks)?;
        let key = TaskKey { github_id: self.github_id, id: self.id };
        let task = set.get(key).with_context(|| {
            format!("{} has no task {key}; `repolab tasks list` shows them", self.tasks.display())
        })?;
        printer.value(task, || text(task))?;
        Ok(ExitCode::SUCCESS)
    }
}

fn text(task: &Task) -> String {
    let checks = StaticChecks::of(task, &task.output);
    let missing = missing_arguments(&task.arguments, &task.output);
    let mut text =
        format!("task {} in {} at {}, asks for: {}\n", task.key, task.github, task.path, task.kind);
    for (title, body) in [
        ("instruction", task.instruction.as_str()),
        ("set-up", task.prefix_code.as_str()),
        ("oracle", task.oracle.as_str()),
        ("gold answer", task.output.as_str()),
    ] {
        if !body.is_empty() {
            text.push_str(&format!("\n--- {title} ---\n{}\n", body.trim_end()));
        }
    }
    text.push_str(&format!(
        "\ngold answer: arguments {}, kind {}",
        word(checks.arguments_ok),
        word(checks.kind_ok)
    ));
    if !missing.is_empty() {
        text.push_str(&format!(" (missing: {})", missing.join(", ")));
    }
    text
}

fn word(passes: bool) -> &'static str {
    if passes { "pass" } else { "fail" }
}
