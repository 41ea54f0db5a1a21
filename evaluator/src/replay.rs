//! Replaying recorded answers: they are joined to the tasks, checked, executed one by one in fresh copies of the
//! repositories, and scored. Every attempt becomes one line of the run's `trials.jsonl` as soon as it is over.

mod execution;
mod figures;
mod image;
mod join;
mod lock;
mod options;
mod preparation;
mod report;
mod run_folder;
mod stage;

use futures_util::StreamExt;

pub use figures::{Executed, FirstK, FiveOnly, RepositoryRow, RuleFigures};
pub use join::OutputCount;
pub use options::{Execution, ReplayOptions};
pub use report::ReplayReport;
pub use stage::{Place, PlaceError, Places, ReplayProgress, Stage};

use self::join::Joined;
use self::lock::Lock;
use self::preparation::Preparation;
use self::run_folder::RunFolder;
use crate::attempt::Attempt;
use crate::{Error, Predictions, Result, TaskSet, Trial};

/// Scores recorded answers to tasks; `options.run_folder` receives every trial.
///
/// What is wrong with the input stands in the report. It is an error if the run folder is in use or not writable, if
/// a repository or an image is not at hand before the first trial, or if the caller cancels; trials that the machine
/// spoils later are part of the report.
pub async fn replay(
    tasks: &TaskSet,
    predictions: &Predictions,
    options: &ReplayOptions,
    stage: Stage<'_>,
) -> Result<ReplayReport> {
    let joined = Joined::of(tasks, predictions);
    let (to_run, others): (Vec<Attempt>, Vec<Attempt>) =
        joined.attempts.iter().partition(|attempt| options.executes(attempt));
    run_folder::refuse_if_in_use(&options.run_folder)?;
    let preparation = Preparation::of(&to_run, options, &stage).await?;
    let mut folder = RunFolder::create(&options.run_folder)?;
    folder.write_lock(&Lock::of((tasks, predictions), options, &preparation))?;
    let mut trials: Vec<Trial> = others.iter().map(Trial::not_executed).collect();
    folder.append(&trials)?;
    trials.extend(execute(&to_run, &preparation, &mut folder, (options, &stage)).await?);
    trials.sort_by_key(|trial| (trial.key, trial.attempt));
    Ok(ReplayReport::of(&joined, (tasks, predictions), options, trials))
}

async fn execute(
    attempts: &[Attempt<'_>],
    preparation: &Preparation,
    folder: &mut RunFolder,
    (options, stage): (&ReplayOptions, &Stage<'_>),
) -> Result<Vec<Trial>> {
    let Some(sandbox) = stage.sandbox else { return Ok(Vec::new()) };
    let shims = folder.lay_out_shims(preparation)?;
    let execution = execution::Execution { options, sandbox, preparation, shims, cancel: &stage.cancel };
    let runs: Vec<_> = attempts.iter().map(|attempt| execution.run(attempt)).collect();
    let mut runs = futures_util::stream::iter(runs).buffer_unordered(options.parallel.max(1));
    let mut trials = Vec::new();
    // After a cancellation the others are awaited, too: they end at once and clean up after themselves.
    while let Some(ran) = runs.next().await {
        let Some(ran) = ran else { continue };
        folder.keep(&ran)?;
        folder.append(std::slice::from_ref(&ran.trial))?;
        stage.progress.trial(trials.len() + 1, attempts.len(), &ran.trial);
        trials.push(ran.trial);
    }
    execution.remove_workspaces();
    match trials.len() {
        done if done < attempts.len() => Err(Error::Cancelled { done, total: attempts.len() }),
        _ => Ok(trials),
    }
}
