//! The dataset checked against its own rules: a gold answer that fails them puts full marks out of reach.

use serde::Serialize;

use super::{StaticChecks, missing_arguments};
use crate::{Kind, Problem, TaskKey, TaskSet};

/// How the gold answers of a task set fare in the static checks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GoldReport {
    /// Tasks that were read.
    pub rows: usize,
    /// Gold answers that pass the argument check.
    pub arguments_ok: usize,
    /// Gold answers that pass the kind check.
    pub kind_ok: usize,
    /// Gold answers that pass both.
    pub both_ok: usize,
    /// Those that do not, in the file's order.
    pub failures: Vec<GoldFailure>,
    /// Rows of the file that could not be used.
    pub problems: Vec<Problem>,
}

/// A gold answer that fails a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GoldFailure {
    /// The task.
    #[serde(flatten)]
    pub key: TaskKey,
    /// What the task asks for.
    pub kind: Kind,
    /// The argument values that do not occur in the gold answer.
    pub missing_arguments: Vec<String>,
    /// Whether the gold answer is of the kind that the task asks for.
    pub kind_ok: bool,
}

/// Puts every task's gold answer through the static checks.
pub fn check_gold(tasks: &TaskSet) -> GoldReport {
    let mut report = GoldReport {
        rows: tasks.tasks().len(),
        arguments_ok: 0,
        kind_ok: 0,
        both_ok: 0,
        failures: Vec::new(),
        problems: tasks.problems().to_vec(),
    };
    for task in tasks.tasks() {
        let checks = StaticChecks::of(task, &task.output);
        report.arguments_ok += usize::from(checks.arguments_ok);
        report.kind_ok += usize::from(checks.kind_ok);
        report.both_ok += usize::from(checks.both_ok());
        if !checks.both_ok() {
            let missing = missing_arguments(&task.arguments, &task.output);
            report.failures.push(GoldFailure {
                key: task.key,
                kind: task.kind,
                missing_arguments: missing.into_iter().map(str::to_owned).collect(),
                kind_ok: checks.kind_ok,
            });
        }
    }
    report
}
