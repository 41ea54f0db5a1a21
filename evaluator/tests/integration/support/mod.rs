//! A folder with a repository, tasks and predictions of our own, and the way to real input.

use std::path::{Path, PathBuf};

use evaluator::{Place, PlaceError, Predictions, ReplayOptions, ReplayReport, Rule, Stage, TaskSet};
use repos::{Checkout, Origin};
use sandbox::Sandbox;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// A repository, tasks about it and predictions, in a temporary folder.
pub(crate) struct Bench {
    folder: TempDir,
}

impl Bench {
    /// A repository with one script in the folder `steps`.
    pub(crate) fn new() -> Self {
        let bench = Self { folder: TempDir::new().unwrap() };
        bench.write("repository/steps/say.sh", "echo \"$@\"\n");
        bench.write("repository/top.txt", "");
        bench
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file below the folder.
    pub(crate) fn write(&self, name: &str, content: &str) -> PathBuf {
        let path = self.folder().join(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(&path, content).unwrap();
        path
    }

    pub(crate) fn tasks(&self, rows: &[Value]) -> TaskSet {
        TaskSet::read(&self.write("tasks.jsonl", &lines(rows))).unwrap()
    }

    pub(crate) fn predictions(&self, rows: &[Value]) -> Predictions {
        Predictions::read(&self.write("predictions.jsonl", &lines(rows))).unwrap()
    }

    /// Options for a run in a new folder.
    pub(crate) fn options(&self, rule: Rule, run: &str) -> ReplayOptions {
        ReplayOptions::new(rule, self.folder().join(run))
    }

    pub(crate) fn checkout(&self) -> Checkout {
        Checkout {
            name: "small".parse().unwrap(),
            folder: self.folder().join("repository"),
            commit: Some("0123456789012345678901234567890123456789".parse().unwrap()),
            origin: Origin::Linked,
        }
    }

    /// Every trial of a run, as its file has them.
    pub(crate) fn lines(&self, run: &str) -> Vec<Value> {
        let text = fs_err::read_to_string(self.folder().join(run).join("trials.jsonl")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// A file of a run.
    pub(crate) fn read(&self, path: &str) -> String {
        fs_err::read_to_string(self.folder().join(path)).unwrap()
    }
}

/// A task about the small repository that asks for the word `word`.
pub(crate) fn task(id: i64, kind: &str, path: &str) -> Value {
    json!({
        "github_id": 0, "github": "https://example.invalid/Small", "repo_id": id, "path": path,
        "arguments": "{'word': 'word'}", "instruction": "Say the word.", "oracle": "", "type": kind, "id": id,
        "prefix_code": "", "output": "sh say.sh word",
    })
}

pub(crate) fn prediction(id: i64, outputs: &[&str]) -> Value {
    json!({ "github_id": 0, "id": id, "output": outputs })
}

fn lines(rows: &[Value]) -> String {
    rows.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
}

/// Replays in a sandbox on a checkout.
pub(crate) async fn replay(
    (tasks, predictions): (&TaskSet, &Predictions),
    options: &ReplayOptions,
    sandbox: &Sandbox,
    checkout: &Checkout,
) -> evaluator::Result<ReplayReport> {
    let places = |_: i64| -> Result<Place, PlaceError> {
        Ok(Place {
            repository: checkout.name.clone(),
            checkout: checkout.clone(),
            image: None,
            conda_environment: None,
        })
    };
    let stage =
        Stage { sandbox: Some(sandbox), places: &places, progress: &(), cancel: CancellationToken::new() };
    evaluator::replay(tasks, predictions, options, stage).await
}

/// The value of a variable, or nothing after saying so aloud. Where CI provides the input, it must be there.
#[expect(clippy::disallowed_methods, reason = "tests are told by the environment where real input lies")]
pub(crate) fn provided(variable: &str, by_ci: ByCi) -> Option<String> {
    let value = std::env::var(variable).ok().filter(|value| !value.is_empty());
    if value.is_none() {
        assert!(by_ci == ByCi::No || std::env::var("CI").is_err(), "CI must set {variable}");
        eprintln!("SKIPPED: {variable} is not set");
    }
    value
}

/// Whether CI provides an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByCi {
    Yes,
    No,
}

/// A file of the benchmark's data.
pub(crate) fn data(name: &str) -> Option<PathBuf> {
    Some(Path::new(&provided("REPOLAB_TEST_DATA", ByCi::Yes)?).join("ml-bench").join(name))
}
