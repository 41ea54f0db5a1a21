//! Scores one answer to one task by both of the benchmark's rules, without a container engine.
//!
//! Run it with `cargo run --example score_an_answer`. The answer runs as a plain process of this machine, which is
//! fine for the three lines of shell below; for answers that you did not write, use `repolab eval replay`.

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::time::Duration;

use evaluator::{Execution, Place, PlaceError, Predictions, ReplayOptions, Rule, Stage, TaskSet, replay};
use repos::Catalog;
use sandbox::{HostProcesses, Sandbox};
use tokio_util::sync::CancellationToken;

// A task is one row of the dataset. `arguments` is a Python dict, as the benchmark writes it.
const TASK: &str = r#"{"github_id": 1, "github": "https://example.invalid/echo", "repo_id": 1, "id": 1, "path": "./",
    "arguments": "{'epochs': 3}", "instruction": "Train for 3 epochs.", "oracle": "", "type": "Bash Script",
    "prefix_code": "", "output": "sh train.sh --epochs 3"}"#;

// Two attempts: one does what was asked, the other only names it.
const PREDICTION: &str =
    r#"{"github_id": 1, "id": 1, "output": ["sh train.sh --epochs 3", "exit 0 # sh train.sh --epochs 3"]}"#;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs_err::create_dir_all(path.parent().unwrap_or(folder.path()))
            .and_then(|()| fs_err::write(&path, text))
            .map(|()| path)
    };
    write("repository/train.sh", "echo \"epochs $2\"\n")?;
    let tasks = TaskSet::read(&write("tasks.jsonl", &TASK.replace('\n', ""))?)?;
    let predictions = Predictions::read(&write("predictions.jsonl", PREDICTION)?)?;

    // Every trial runs in a fresh copy of a checkout; here the repository is a folder that was just made.
    let mut catalog = Catalog::open(&folder.path().join("data"))?;
    let name = catalog.add(&folder.path().join("repository").to_string_lossy(), None)?.name;
    let checkout = catalog.checkout(&name)?;
    let places = move |_| -> Result<Place, PlaceError> {
        Ok(Place {
            repository: name.clone(),
            checkout: checkout.clone(),
            image: None,
            conda_environment: None,
        })
    };

    let mut options = ReplayOptions::new(Rule::MlBenchA, folder.path().join("run"));
    options.execution = Execution::All;
    options.timeout = Some(Duration::from_secs(5));
    let sandbox = Sandbox::Host(HostProcesses);
    let stage =
        Stage { sandbox: Some(&sandbox), places: &places, progress: &(), cancel: CancellationToken::new() };
    let report = replay(&tasks, &predictions, &options, stage).await?;

    // Both attempts exit with 0 and pass both rules: the flaw for which each trial's own ending is kept.
    for trial in report.trials {
        println!("attempt {}: exit code {:?}, verdicts {:?}", trial.attempt, trial.exit_code, trial.verdicts);
    }
    Ok(())
}
