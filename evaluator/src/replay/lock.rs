//! `lock.json`: everything about a run that could change a score, written before its first trial.

use std::path::PathBuf;
use std::time::Duration;

use repos::{Commit, Origin, RepositoryName};
use sandbox::{Limits, Network};
use serde::Serialize;

use super::image::Python;
use super::preparation::{Preparation, Prepared};
use super::{Execution, ReplayOptions};
use crate::{Form, Predictions, Rule, TaskSet};

/// Rises when a field changes its meaning.
const FORMAT: u32 = 1;

/// Everything that could change a score.
#[derive(Debug, Serialize)]
pub(super) struct Lock {
    format: u32,
    started: jiff::Timestamp,
    repolab_version: &'static str,
    rule: Rule,
    execution: Execution,
    tasks: Input,
    predictions: Input,
    sandbox: Option<String>,
    network: Network,
    parallel: usize,
    limits: OtherLimits,
    overrides: Overrides,
    repositories: Vec<Repository>,
}

#[derive(Debug, Serialize)]
struct Input {
    path: PathBuf,
    blake3: String,
    usable: usize,
    problems: usize,
}

/// What somebody put in place of what the benchmark says.
#[derive(Debug, Serialize)]
struct Overrides {
    image: Option<String>,
    timeout_seconds: Option<f64>,
    execute_all: bool,
}

/// Limits that hold for every trial. That of time differs, so it stands with the repository.
#[derive(Debug, Serialize)]
struct OtherLimits {
    memory_bytes: u64,
    cpus: f64,
    processes: u32,
    disk_bytes: u64,
    temporary_bytes: u64,
    kept_output_bytes: usize,
    output_ceiling_bytes: u64,
}

impl OtherLimits {
    fn of(limits: &Limits) -> Self {
        Self {
            memory_bytes: limits.memory_bytes,
            cpus: limits.cpus,
            processes: limits.processes,
            disk_bytes: limits.disk_bytes,
            temporary_bytes: limits.temporary_bytes,
            kept_output_bytes: limits.kept_output_bytes,
            output_ceiling_bytes: limits.output_ceiling_bytes,
        }
    }
}

#[derive(Debug, Serialize)]
struct Repository {
    github_id: i64,
    name: RepositoryName,
    commit: Option<Commit>,
    origin: Origin,
    image: Option<String>,
    image_digest: Option<String>,
    python: String,
    python_version: Option<String>,
    conda_environment: Option<String>,
    conda_installed: bool,
    script_limit_seconds: f64,
    python_limit_seconds: f64,
}

impl Lock {
    pub(super) fn of(
        (tasks, predictions): (&TaskSet, &Predictions),
        options: &ReplayOptions,
        preparation: &Preparation,
    ) -> Self {
        Self {
            format: FORMAT,
            started: jiff::Timestamp::now(),
            repolab_version: env!("CARGO_PKG_VERSION"),
            rule: options.rule,
            execution: options.execution,
            tasks: Input {
                path: tasks.path().to_owned(),
                blake3: tasks.hash().to_owned(),
                usable: tasks.tasks().len(),
                problems: tasks.problems().len(),
            },
            predictions: Input {
                path: predictions.path().to_owned(),
                blake3: predictions.hash().to_owned(),
                usable: predictions.predictions().len(),
                problems: predictions.problems().len(),
            },
            sandbox: preparation.sandbox.clone(),
            network: options.network,
            parallel: options.parallel.max(1),
            limits: OtherLimits::of(&options.limits),
            overrides: Overrides {
                image: options.image.clone(),
                timeout_seconds: options.timeout.as_ref().map(Duration::as_secs_f64),
                execute_all: options.execution == Execution::All,
            },
            repositories: preparation
                .places
                .iter()
                .map(|(github_id, prepared)| Repository::of(*github_id, prepared, options))
                .collect(),
        }
    }
}

impl Repository {
    fn of(github_id: i64, Prepared { place, image }: &Prepared, options: &ReplayOptions) -> Self {
        let limit =
            |form| options.timeout.unwrap_or_else(|| options.rule.limit(github_id, form)).as_secs_f64();
        Self {
            github_id,
            name: place.repository.clone(),
            commit: place.checkout.commit.clone(),
            origin: place.checkout.origin,
            image: Some(image.name.clone()).filter(|name| !name.is_empty()),
            image_digest: image.digest.clone(),
            python: match &image.python {
                Python::Own => "the image's own `python`".to_owned(),
                Python::LinkTo(path) => format!("a link `python` to {path}, put first on the search path"),
                Python::Missing => "none".to_owned(),
            },
            python_version: image.python_version.clone(),
            conda_environment: place.conda_environment.clone(),
            conda_installed: image.has_conda,
            script_limit_seconds: limit(Form::Script),
            python_limit_seconds: limit(Form::Python),
        }
    }
}
