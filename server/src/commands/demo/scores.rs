//! Sample answers replayed and scored: the table shows what each did beside what the benchmark's rules make of it.

use std::path::Path;
use std::time::Duration;

use ::repos::Checkout;
use anyhow::Result;
use evaluator::{
    Execution, Place, PlaceError, Predictions, ReplayOptions, Rule, Stage, TaskSet, Trial, Verdict,
};
use sandbox::{HostProcesses, Sandbox};
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::sample::{ANSWERS, Sample};
use crate::printer::table;

// Sample answers end within a fraction of a second or never.
const LIMIT: Duration = Duration::from_secs(2);

/// What each sample answer did.
#[derive(Debug, Serialize)]
pub(super) struct Scores {
    trials: Vec<Scored>,
}

/// One answer.
#[derive(Debug, Serialize)]
struct Scored {
    answer: &'static str,
    #[serde(flatten)]
    trial: Trial,
}

impl Scores {
    /// The table.
    pub(super) fn text(&self) -> String {
        let mut table =
            table(&["task", "answer", "arguments", "what it really did", "ml-bench-l", "ml-bench-a"]);
        for Scored { answer, trial } in &self.trials {
            table.add_row([
                trial.key.id.to_string(),
                (*answer).to_owned(),
                if trial.checks.arguments_ok { "ok" } else { "missing" }.to_owned(),
                ending(trial),
                word(trial.verdicts.by(Rule::MlBenchL)).to_owned(),
                word(trial.verdicts.by(Rule::MlBenchA)).to_owned(),
            ]);
        }
        format!(
            "{table}\n   The last two columns are the benchmark's own rules: both count a timeout as success, and\n   \
             ml-bench-a any exit code 0. What an answer really did stands beside them in every report."
        )
    }
}

/// Replays the sample answers as plain processes of this machine: they are the demo's own and harmless.
pub(super) async fn score(sample: &Sample, checkout: Checkout, folder: &Path) -> Result<Scores> {
    let tasks = TaskSet::read(&sample.tasks)?;
    let predictions = Predictions::read(&sample.predictions)?;
    let mut options = ReplayOptions::new(Rule::MlBenchA, folder.join("run"));
    options.execution = Execution::All;
    options.timeout = Some(LIMIT);
    options.parallel = predictions.predictions().len() * ANSWERS.len();
    let places = move |_| -> Result<Place, PlaceError> {
        Ok(Place {
            repository: checkout.name.clone(),
            checkout: checkout.clone(),
            image: None,
            conda_environment: None,
        })
    };
    let sandbox = Sandbox::Host(HostProcesses);
    let stage =
        Stage { sandbox: Some(&sandbox), places: &places, progress: &(), cancel: CancellationToken::new() };
    let report = evaluator::replay(&tasks, &predictions, &options, stage).await?;
    let named =
        |trial: Trial| Scored { answer: ANSWERS.get(trial.attempt - 1).copied().unwrap_or("unnamed"), trial };
    Ok(Scores { trials: report.trials.into_iter().map(named).collect() })
}

fn ending(trial: &Trial) -> String {
    match (trial.exit_code, &trial.execution) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(execution)) => format!("stopped after {:.0} s", execution.elapsed_seconds),
        (None, None) => "not run".to_owned(),
    }
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Fail => "fail",
        Verdict::NotDecided => "-",
    }
}
