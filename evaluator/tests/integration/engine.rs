//! Replays in a real container engine. The first test runs real recorded answers of the benchmark in their real
//! repository; which of them succeed was measured beforehand by other means. The others run in any image.

use std::path::Path;
use std::time::Duration;

use crate::support::{Bench, ByCi, data, prediction, provided, replay, task};
use evaluator::{Error, Execution, Predictions, ReplayOptions, Rule, TaskSet, Trial, TrialOutcome};
use repos::{Checkout, Origin};
use sandbox::{Engine, EngineOptions, Sandbox};

/// Python 3 with torch for the processor, and no `python`.
const TORCH_IMAGE: &str = "repolab/torch-cpu:bookworm";

/// The benchmark's number for External-Attention-pytorch.
const ATTENTION: i64 = 9;

/// An engine that has this image, or nothing after saying so aloud. CI makes no image with torch.
async fn engine_with(image: &str) -> Option<Sandbox> {
    match connect(image).await {
        Ok(engine) => Some(Sandbox::Engine(engine)),
        Err(error) => {
            eprintln!("SKIPPED: {}", error.explanation());
            None
        }
    }
}

async fn connect(image: &str) -> sandbox::Result<Engine> {
    let engine = Engine::connect(&EngineOptions::default()).await?;
    engine.image_digest(image).await?;
    Ok(engine)
}

/// The predictions for one repository only, in a file of their own.
fn predictions_for(github_id: i64, bench: &Bench) -> Option<Predictions> {
    let all = Predictions::read(&data("agent_pass5_output.jsonl")?).unwrap();
    let lines: Vec<String> = all
        .predictions()
        .iter()
        .filter(|prediction| prediction.key.github_id == github_id)
        .map(|prediction| serde_json::to_string(prediction).unwrap())
        .collect();
    Some(Predictions::read(&bench.write("predictions.jsonl", &lines.join("\n"))).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn engine_runs_recorded_attention_answers_as_measured() {
    let Some(corpus) = provided("REPOLAB_CORPUS", ByCi::No) else { return };
    let Some(tasks) = data("full.jsonl") else { return };
    let Some(sandbox) = engine_with(TORCH_IMAGE).await else { return };
    let bench = Bench::new();
    let tasks = TaskSet::read(&tasks).unwrap();
    let predictions = predictions_for(ATTENTION, &bench).unwrap();
    let name = "external-attention-pytorch";
    let folder = Path::new(&corpus).join(name);
    let checkout = Checkout { name: name.parse().unwrap(), folder, commit: None, origin: Origin::Linked };
    for rule in Rule::ALL {
        let options = ReplayOptions {
            execution: Execution::All,
            image: Some(TORCH_IMAGE.to_owned()),
            timeout: Some(Duration::from_secs(30)),
            ..bench.options(rule, rule.as_str())
        };
        let report = replay((&tasks, &predictions), &options, &sandbox, &checkout).await.unwrap();
        assert_eq!((report.joined, report.executed.trials), (5, 25));
        let succeeded: Vec<(i64, usize)> = report
            .trials
            .iter()
            .filter(|trial| trial.exit_code == Some(0))
            .map(|trial| (trial.key.id, trial.attempt))
            .collect();
        let show =
            |trial: &Trial| bench.read(&format!("{rule}/trials/9-{}-{}/stderr", trial.key.id, trial.attempt));
        let others: Vec<String> = report.trials.iter().map(show).collect();
        assert_eq!(
            succeeded,
            [(246, 1), (246, 3), (246, 4), (268, 1), (268, 4)],
            "{rule}:\n{}",
            others.join("\n---\n")
        );
        let failed = report.trials.iter().filter(|trial| trial.exit_code == Some(1)).count();
        assert_eq!(failed, 20, "{rule}: the others ended with exit code 1 when they were measured");
        let lock = bench.read(&format!("{rule}/lock.json"));
        assert!(
            lock.contains("a link `python` to") && lock.contains("\"image_digest\": \"sha256:"),
            "{lock}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn engine_tells_answers_from_trouble_and_shows_each_only_its_copy() {
    let Some(image) = provided("REPOLAB_TEST_IMAGE", ByCi::Yes) else { return };
    let Some(sandbox) = engine_with(&image).await else { return };
    let bench = Bench::new();
    let tasks = bench.tasks(&[task(1, "Bash Script", "./steps")]);
    let outputs = [
        "sh say.sh word && pwd && touch ../mark",
        "sh -c 'exit 3'",
        "sleep 60",
        "text=xxxxxxxx; while :; do text=$text$text; done",
        "ls /workspace; ls ..; test ! -e ../mark",
    ];
    let predictions = bench.predictions(&[prediction(1, &outputs)]);
    let options = ReplayOptions {
        image: Some(image),
        timeout: Some(Duration::from_secs(15)),
        limits: sandbox::Limits { memory_bytes: 256 << 20, ..sandbox::Limits::default() },
        ..bench.options(Rule::MlBenchA, "run")
    };
    let report = replay((&tasks, &predictions), &options, &sandbox, &bench.checkout()).await.unwrap();
    let endings: Vec<_> = report.trials.iter().map(|trial| (trial.outcome, trial.exit_code)).collect();
    let expected = [
        (TrialOutcome::Exited, Some(0)),
        (TrialOutcome::Exited, Some(3)),
        (TrialOutcome::TimedOut, None),
        (TrialOutcome::OutOfMemory, None),
        (TrialOutcome::Exited, Some(0)),
    ];
    assert_eq!(endings, expected);
    assert_eq!(bench.read("run/trials/0-1-1/stdout"), "word\n/workspace/small/steps\n");
    assert_eq!(bench.read("run/trials/0-1-5/stdout"), "small\nsteps\ntop.txt\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn engine_missing_images_stop_a_run_before_it_costs_anything() {
    let Some(image) = provided("REPOLAB_TEST_IMAGE", ByCi::Yes) else { return };
    let Some(sandbox) = engine_with(&image).await else { return };
    let bench = Bench::new();
    let (tasks, predictions) =
        (bench.tasks(&[task(1, "Bash Script", "")]), bench.predictions(&[prediction(1, &["exit 0"])]));
    let options = bench.options(Rule::MlBenchA, "run");
    let error = replay((&tasks, &predictions), &options, &sandbox, &bench.checkout()).await.unwrap_err();
    assert_eq!(error.to_string(), "no image is known for the repository `small`");
    let options = ReplayOptions {
        image: Some("repolab/no-such-image:none".to_owned()),
        ..bench.options(Rule::MlBenchA, "second")
    };
    let error = replay((&tasks, &predictions), &options, &sandbox, &bench.checkout()).await.unwrap_err();
    assert!(matches!(error, Error::TryImage { .. }), "{error:?}");
    assert!(error.to_string().contains("has no image `repolab/no-such-image:none`"), "{error}");
    assert!(!bench.folder().join("second").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn engine_python_answers_are_not_held_against_an_image_without_python() {
    let Some(image) = provided("REPOLAB_TEST_IMAGE", ByCi::Yes) else { return };
    if !image.contains("busybox") {
        eprintln!("SKIPPED: {image} may have Python");
        return;
    }
    let Some(sandbox) = engine_with(&image).await else { return };
    let bench = Bench::new();
    let tasks = bench.tasks(&[task(1, "Python Code", "")]);
    let predictions = bench.predictions(&[prediction(1, &["print('word')"])]);
    let options = ReplayOptions { image: Some(image.clone()), ..bench.options(Rule::MlBenchL, "run") };
    let error = replay((&tasks, &predictions), &options, &sandbox, &bench.checkout()).await.unwrap_err();
    assert_eq!(error.to_string(), format!("the image `{image}` has no `python`"));
}
