//! What a replay found, as data: tables and pages are made from it elsewhere.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::figures::{Executed, FirstK, FiveOnly, Measure, RepositoryRow, RuleFigures};
use super::join::{Joined, OutputCount};
use super::{Execution, ReplayOptions};
use crate::{Predictions, Problem, Rule, TaskKey, TaskSet, Trial};

/// What a replay found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReplayReport {
    /// The rule by which attempts were run and scored.
    pub rule: Rule,
    /// Which attempts were run.
    pub execution: Execution,
    /// Tasks that have a prediction.
    pub joined: usize,
    /// Predictions for which there is no task.
    pub unmatched: usize,
    /// Outputs of the joined predictions.
    pub outputs: usize,
    /// Outputs that pass the argument check.
    pub arguments_ok: usize,
    /// Outputs that pass the kind check.
    pub kind_ok: usize,
    /// Outputs that pass both.
    pub both_ok: usize,
    /// Of the joined tasks, those of which one of the first k attempts passes: by the rule's verdict, or by the
    /// static checks alone where nothing was executed.
    pub first_k: FirstK,
    /// The same over the tasks with exactly five outputs.
    pub five_only: FiveOnly,
    /// What every rule says, as far as it can be told from how the attempts were run.
    pub rules: BTreeMap<Rule, RuleFigures>,
    /// How the executed trials ended.
    pub executed: Executed,
    /// The figures of each repository.
    pub repositories: Vec<RepositoryRow>,
    /// Failures that the original harness of `ml-bench-l` would have taken for successes, because it never reads
    /// its pipe.
    pub undrained_pipe_would_change_verdict: usize,
    /// Tasks that have no prediction.
    pub tasks_without_prediction: usize,
    /// The tasks that have no prediction.
    pub keys_without_prediction: Vec<TaskKey>,
    /// The predictions for which there is no task.
    pub unmatched_keys: Vec<TaskKey>,
    /// Joined predictions with fewer or more than five outputs.
    pub other_than_five: Vec<OutputCount>,
    /// Rows of the tasks' file that could not be used.
    pub task_problems: Vec<Problem>,
    /// Lines of the predictions' file that could not be used.
    pub prediction_problems: Vec<Problem>,
    /// Where the run's files are.
    pub run_folder: PathBuf,
    /// Every trial, by task and attempt. They stand in the run's `trials.jsonl`, so not in the report's JSON.
    #[serde(skip)]
    pub trials: Vec<Trial>,
}

impl ReplayReport {
    pub(super) fn of(
        joined: &Joined,
        (tasks, predictions): (&TaskSet, &Predictions),
        options: &ReplayOptions,
        trials: Vec<Trial>,
    ) -> Self {
        let measure = match options.execution {
            Execution::None => Measure::Checks,
            Execution::Passing | Execution::All => Measure::Verdict(options.rule),
        };
        let count = |passes: fn(&Trial) -> bool| trials.iter().filter(|trial| passes(trial)).count();
        Self {
            rule: options.rule,
            execution: options.execution,
            joined: joined.tasks.len(),
            unmatched: joined.unmatched.len(),
            outputs: trials.len(),
            arguments_ok: count(|trial| trial.checks.arguments_ok),
            kind_ok: count(|trial| trial.checks.kind_ok),
            both_ok: count(|trial| trial.checks.both_ok()),
            first_k: FirstK::of(trials.iter(), measure),
            five_only: FiveOnly::of(&joined.tasks, &trials, measure),
            rules: Rule::ALL.into_iter().map(|rule| (rule, RuleFigures::of(&trials, rule))).collect(),
            executed: Executed::of(trials.iter()),
            repositories: RepositoryRow::all(&joined.tasks, &trials, measure),
            undrained_pipe_would_change_verdict: count(|trial| trial.undrained_pipe_would_change_verdict),
            tasks_without_prediction: joined.without_prediction.len(),
            keys_without_prediction: joined.without_prediction.clone(),
            unmatched_keys: joined.unmatched.clone(),
            other_than_five: joined.other_than_five.clone(),
            task_problems: tasks.problems().to_vec(),
            prediction_problems: predictions.problems().to_vec(),
            run_folder: options.run_folder.clone(),
            trials,
        }
    }
}
