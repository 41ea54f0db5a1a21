//! `repolab eval replay`: recorded answers, checked, executed and scored.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use ::repos::Catalog;
use anyhow::Result;
use clap::Args;
use evaluator::{
    Execution, Place, PlaceError, Predictions, ReplayOptions, ReplayProgress, ReplayReport, Rule, Stage,
    TaskSet, Trial,
};
use indicatif::ProgressBar;
use sandbox::{Engine, EngineOptions, Sandbox, Workspace};
use tokio_util::sync::CancellationToken;

use super::scores;
use crate::bars::bar;
use crate::commands::runtime;
use crate::configuration::Configuration;
use crate::printer::Printer;

// A copy that another process is just making bears no mark of its owner yet.
const LEFTOVER_AGE: Duration = Duration::from_secs(60);

/// Replay recorded answers and score them by a rule of the benchmark
///
/// Examples:
///   repolab eval replay --tasks full.jsonl --predictions p.jsonl --rule ml-bench-l --no-execute
///   repolab eval replay --tasks full.jsonl --predictions p.jsonl --rule ml-bench-a --run my-run
///
/// Execution needs a container engine, the repositories (`repolab repos sync`) and their images.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Replay {
    /// Task file, JSONL or parquet
    #[arg(long, value_name = "FILE")]
    tasks: PathBuf,
    /// Predictions: JSON lines of `{"id", "github_id", "output": [..]}`
    #[arg(long, value_name = "FILE")]
    predictions: PathBuf,
    /// How to score: ml-bench-l or ml-bench-a
    #[arg(long, value_name = "RULE")]
    rule: Rule,
    /// Stop after the static checks
    #[arg(long)]
    no_execute: bool,
    /// Also execute answers that failed the static checks
    #[arg(long, conflicts_with = "no_execute")]
    execute_all: bool,
    /// Container image for every repository, in place of the registry's hints; recorded
    #[arg(long, value_name = "NAME")]
    image: Option<String>,
    /// Time limit of every trial, in place of the rule's; recorded
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout_seconds: Option<u64>,
    /// Trials at one time; more than one makes scores depend on the machine's load
    #[arg(long, value_name = "N", default_value_t = 1)]
    parallel: usize,
    /// Folder for the results, new or empty [default: one named by the time, in the data folder]
    #[arg(long, value_name = "FOLDER")]
    run: Option<PathBuf>,
}

impl Replay {
    /// Replays and prints the scores.
    pub(crate) fn run(self, configuration: &Configuration, printer: Printer) -> Result<ExitCode> {
        let tasks = TaskSet::read(&self.tasks)?;
        let predictions = Predictions::read(&self.predictions)?;
        let options = self.options(configuration)?;
        let report = runtime()?.block_on(replay(&tasks, &predictions, &options, (configuration, printer)))?;
        printer.value(&report, || scores(&report))?;
        Ok(ExitCode::SUCCESS)
    }

    fn options(&self, configuration: &Configuration) -> Result<ReplayOptions> {
        let folder = self.run.clone().unwrap_or_else(|| new_run_folder(configuration));
        let mut options = ReplayOptions::new(self.rule, std::path::absolute(folder)?);
        options.execution = match (self.no_execute, self.execute_all) {
            (true, _) => Execution::None,
            (false, true) => Execution::All,
            (false, false) => Execution::Passing,
        };
        options.image.clone_from(&self.image);
        options.timeout = self.timeout_seconds.map(Duration::from_secs);
        options.parallel = self.parallel;
        options.workspaces = Some(configuration.workspaces());
        Ok(options)
    }
}

async fn replay(
    tasks: &TaskSet,
    predictions: &Predictions,
    options: &ReplayOptions,
    (configuration, printer): (&Configuration, Printer),
) -> Result<ReplayReport> {
    if options.execution == Execution::None {
        return Ok(evaluator::replay(tasks, predictions, options, Stage::without_sandbox()).await?);
    }
    let catalog = configuration.catalog()?;
    let places = |github_id| place(&catalog, github_id);
    let engine = Engine::connect(&EngineOptions { host: configuration.engine.clone() }).await?;
    engine.reap_orphans().await?;
    Workspace::prune(&configuration.workspaces(), LEFTOVER_AGE)?;
    let sandbox = Sandbox::Engine(engine);
    let progress = TrialBar(bar(printer, "replaying", "trials"));
    let cancel = CancellationToken::new();
    let stage =
        Stage { sandbox: Some(&sandbox), places: &places, progress: &progress, cancel: cancel.clone() };
    let mut work = std::pin::pin!(evaluator::replay(tasks, predictions, options, stage));
    let report = tokio::select! {
        report = &mut work => report,
        _ = tokio::signal::ctrl_c() => {
            cancel.cancel();
            work.await
        }
    };
    progress.0.finish_and_clear();
    Ok(report?)
}

/// Where the repository with the benchmark's number `github_id` is, and in which image it runs.
fn place(catalog: &Catalog, github_id: i64) -> Result<Place, PlaceError> {
    let entry = catalog
        .entry_by_github_id(github_id)
        .ok_or_else(|| format!("no repository of the registry has the number {github_id}"))?;
    Ok(Place {
        repository: entry.name.clone(),
        checkout: catalog.checkout(&entry.name)?,
        image: entry.environment.image.clone(),
        conda_environment: entry.environment.conda.clone(),
    })
}

fn new_run_folder(configuration: &Configuration) -> PathBuf {
    let now = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string();
    configuration.runs().join(format!("{now}-{}", std::process::id()))
}

/// A bar over the executed trials.
struct TrialBar(ProgressBar);

impl ReplayProgress for TrialBar {
    fn trial(&self, done: usize, total: usize, trial: &Trial) {
        self.0.set_length(total as u64);
        self.0.set_position(done as u64);
        self.0.set_message(format!("task {} attempt {}", trial.key, trial.attempt));
    }
}
