//! Whole replays of small answers in real processes: every ending, both rules, and what a run leaves on disk.

use std::time::Duration;

use crate::support::{Bench, prediction, replay, task};
use evaluator::{
    Error, Execution, PlaceError, Problem, ReplayOptions, ReplayProgress, ReplayReport, Rule, Stage, Trial,
    TrialOutcome, Verdict,
};
use sandbox::{HostProcesses, Sandbox};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use TrialOutcome::{Exited, Infrastructure, NotExecuted, TimedOut};

const HOST: Sandbox = Sandbox::Host(HostProcesses);

/// Replays answers to one task of the small repository.
async fn run(bench: &Bench, task: Value, outputs: &[&str], options: &ReplayOptions) -> ReplayReport {
    let tasks = bench.tasks(&[task]);
    let predictions = bench.predictions(&[prediction(1, outputs)]);
    replay((&tasks, &predictions), options, &HOST, &bench.checkout()).await.unwrap()
}

fn endings(report: &ReplayReport) -> Vec<(TrialOutcome, Option<i32>, Verdict)> {
    let verdict = |trial: &Trial| trial.verdicts.by(report.rule);
    report.trials.iter().map(|trial| (trial.outcome, trial.exit_code, verdict(trial))).collect()
}

#[tokio::test]
async fn ml_bench_l_takes_exit_code_zero_and_a_timeout_for_success() {
    let bench = Bench::new();
    let options =
        ReplayOptions { timeout: Some(Duration::from_secs(1)), ..bench.options(Rule::MlBenchL, "run") };
    let outputs = [
        "sh say.sh word",
        "sh say.sh word; exit 1",
        "sh say.sh word; exit 124",
        "sh say.sh word; sleep 30",
        "head -c 200000 /dev/zero; sh say.sh word; exit 1",
        "sh say.sh another",
    ];
    let report = run(&bench, task(1, "Bash Script", "./steps"), &outputs, &options).await;
    assert_eq!(
        endings(&report),
        [
            (Exited, Some(0), Verdict::Pass),
            (Exited, Some(1), Verdict::Fail),
            (Exited, Some(124), Verdict::Fail),
            (TimedOut, None, Verdict::Pass),
            (Exited, Some(1), Verdict::Fail),
            (NotExecuted, None, Verdict::Fail),
        ]
    );
    let flagged: Vec<bool> =
        report.trials.iter().map(|one| one.undrained_pipe_would_change_verdict).collect();
    assert_eq!(flagged, [false, false, false, false, true, false]);
    assert_eq!(report.trials[4].execution.as_ref().unwrap().stdout_bytes, 200_005);
    assert_eq!((report.first_k.one, report.executed.trials, report.executed.timed_out), (1, 5, 1));
    assert_eq!((report.other_than_five[0].outputs, report.five_only.tasks), (6, 0));
}

#[tokio::test]
async fn ml_bench_a_also_takes_124_and_looks_at_nothing_else() {
    let bench = Bench::new();
    let options =
        ReplayOptions { timeout: Some(Duration::from_secs(1)), ..bench.options(Rule::MlBenchA, "run") };
    let outputs = ["exit 0", "exit 1", "exit 124", "sleep 30", " \n"];
    let report = run(&bench, task(1, "Bash Script", "steps"), &outputs, &options).await;
    assert_eq!(
        endings(&report),
        [
            (Exited, Some(0), Verdict::Pass),
            (Exited, Some(1), Verdict::Fail),
            (Exited, Some(124), Verdict::Pass),
            (TimedOut, None, Verdict::Pass),
            (NotExecuted, None, Verdict::Fail),
        ]
    );
    assert!(report.trials.iter().all(|trial| trial.verdicts.ml_bench_l == Verdict::Fail));
    assert_eq!((report.five_only.tasks, report.five_only.first_k.one), (1, 1));
}

#[tokio::test]
async fn python_answers_run_beside_the_repositorys_own_modules() {
    let code = "import greeting\nprint(greeting.WORD)  # word\n";
    for rule in Rule::ALL {
        let bench = Bench::new();
        bench.write("repository/steps/greeting.py", "WORD = 'hello'\n");
        let options = bench.options(rule, "run");
        let report = run(&bench, task(1, "Python Code", "./steps/"), &[code], &options).await;
        let stderr = bench.read("run/trials/0-1-1/stderr");
        assert_eq!(endings(&report), [(Exited, Some(0), Verdict::Pass)], "{rule}: {stderr}");
        assert_eq!(bench.read("run/trials/0-1-1/stdout"), "hello\n");
        let other = Rule::ALL.into_iter().find(|other| *other != rule).unwrap();
        assert_eq!(report.trials[0].verdicts.by(other), Verdict::Pass, "run by {rule}, judged by {other}");
        let kept = if rule == Rule::MlBenchL { "temp.py" } else { "repolab_answer.py" };
        assert_eq!(bench.read(&format!("run/trials/0-1-1/{kept}")), code);
    }
}

#[tokio::test]
async fn every_attempt_gets_a_fresh_copy_and_the_checkout_stays_as_it_was() {
    let bench = Bench::new();
    let options = ReplayOptions { parallel: 3, ..bench.options(Rule::MlBenchA, "run") };
    let outputs = ["test ! -e mark && touch mark ../top.txt && rm say.sh"; 5];
    let report = run(&bench, task(1, "Bash Script", "steps"), &outputs, &options).await;
    assert_eq!(report.rules[&Rule::MlBenchA].pass, 5);
    assert!(!bench.folder().join("repository/steps/mark").exists());
    assert!(bench.folder().join("repository/steps/say.sh").exists());
    assert!(!bench.folder().join("run/workspaces").exists());
}

#[tokio::test]
async fn a_run_leaves_its_lock_and_every_trial_on_disk() {
    let bench = Bench::new();
    let setup = {
        let mut row = task(1, "Bash Script", "steps");
        row["prefix_code"] = "WORD=word".into();
        row
    };
    let options =
        ReplayOptions { timeout: Some(Duration::from_secs(5)), ..bench.options(Rule::MlBenchA, "run") };
    run(&bench, setup, &["sh say.sh $WORD; sh say.sh no >&2", ""], &options).await;
    let lines = bench.lines("run");
    let line = lines.iter().find(|line| line["attempt"] == 1).unwrap();
    let keys = ["github_id", "id", "exit_code", "outcome", "arguments_ok", "kind_ok"];
    assert_eq!(
        keys.map(|key| line[key].clone()),
        [json!(0), json!(1), json!(0), json!("exited"), json!(true), json!(true)]
    );
    assert_eq!(line["verdicts"], json!({ "ml-bench-l": "not_decided", "ml-bench-a": "pass" }));
    let unexecuted = lines.iter().find(|line| line["attempt"] == 2).unwrap();
    assert_eq!((&unexecuted["outcome"], &unexecuted["exit_code"]), (&json!("not_executed"), &Value::Null));
    assert_eq!(bench.read("run/trials/0-1-1/script"), "WORD=word\nsh say.sh $WORD; sh say.sh no >&2\n");
    assert_eq!(
        (bench.read("run/trials/0-1-1/stdout"), bench.read("run/trials/0-1-1/stderr")),
        ("word\n".into(), "no\n".into())
    );
    let lock: Value = serde_json::from_str(&bench.read("run/lock.json")).unwrap();
    assert_eq!((&lock["rule"], &lock["overrides"]["timeout_seconds"]), (&json!("ml-bench-a"), &json!(5.0)));
    assert_eq!(lock["repositories"][0]["commit"], "0123456789012345678901234567890123456789");
    assert_eq!(lock["predictions"]["blake3"].as_str().unwrap().len(), 64);
}

#[tokio::test]
async fn everything_that_does_not_fit_is_named() {
    let bench = Bench::new();
    let tasks = bench.tasks(&[
        task(1, "Bash Script", ""),
        task(2, "Bash Script", ""),
        task(1, "Python Code", ""),
        json!({ "github_id": 0 }),
    ]);
    let predictions = bench.predictions(&[
        prediction(1, &["sh say.sh word"]),
        prediction(7, &["exit 0"]),
        prediction(1, &["exit 0"]),
        json!("no prediction"),
    ]);
    let options = ReplayOptions { execution: Execution::None, ..bench.options(Rule::MlBenchL, "run") };
    let report = replay((&tasks, &predictions), &options, &HOST, &bench.checkout()).await.unwrap();
    let lines = |problems: &[Problem]| problems.iter().map(|problem| problem.line).collect::<Vec<_>>();
    assert_eq!((lines(&report.task_problems), lines(&report.prediction_problems)), (vec![3, 4], vec![3, 4]));
    assert_eq!((report.joined, report.unmatched, report.tasks_without_prediction), (1, 1, 1));
    assert_eq!(report.unmatched_keys[0].to_string(), "(0, 7)");
    assert_eq!((report.other_than_five.len(), report.other_than_five[0].outputs), (1, 1));
    let written = bench.lines("run").into_iter().map(|line| serde_json::from_value(line).unwrap());
    assert_eq!(written.collect::<Vec<Trial>>(), report.trials);
}

#[tokio::test]
async fn a_folder_that_the_repository_lacks_is_no_failure_of_the_answer() {
    let bench = Bench::new();
    let options = bench.options(Rule::MlBenchA, "run");
    let report = run(&bench, task(1, "Bash Script", "nowhere"), &["exit 0"], &options).await;
    assert_eq!(endings(&report), [(Infrastructure, None, Verdict::NotDecided)]);
    let why = report.trials[0].execution.as_ref().unwrap().why.clone().unwrap();
    assert!(why.contains("`nowhere`"), "{why}");
    assert_eq!((report.executed.infrastructure, report.rules[&Rule::MlBenchA].fail), (1, 0));
}

#[tokio::test]
async fn a_run_never_mixes_with_another_and_names_what_is_missing_beforehand() {
    let bench = Bench::new();
    let (tasks, predictions) =
        (bench.tasks(&[task(1, "Bash Script", "")]), bench.predictions(&[prediction(1, &["exit 0"])]));
    let options = bench.options(Rule::MlBenchA, "run");
    replay((&tasks, &predictions), &options, &HOST, &bench.checkout()).await.unwrap();
    let again = replay((&tasks, &predictions), &options, &HOST, &bench.checkout()).await.unwrap_err();
    assert!(matches!(again, Error::RunFolderInUse { .. }), "{again:?}");

    let nowhere = |_: i64| Err::<_, PlaceError>("it is not checked out".into());
    let stage =
        |sandbox| Stage { sandbox, places: &nowhere, progress: &(), cancel: CancellationToken::new() };
    let options = bench.options(Rule::MlBenchA, "second");
    let error = evaluator::replay(&tasks, &predictions, &options, stage(Some(&HOST))).await.unwrap_err();
    assert_eq!(error.to_string(), "could not find the repository with ML-Bench's number 0");
    let options = bench.options(Rule::MlBenchA, "second");
    let error = evaluator::replay(&tasks, &predictions, &options, stage(None)).await.unwrap_err();
    assert!(matches!(error, Error::NoSandbox), "{error:?}");
    let options = ReplayOptions { execution: Execution::None, ..bench.options(Rule::MlBenchA, "second") };
    evaluator::replay(&tasks, &predictions, &options, stage(None)).await.unwrap();
}

/// The first trial that is over cancels the second.
struct CancelAfterFirst(CancellationToken);

impl ReplayProgress for CancelAfterFirst {
    fn trial(&self, _: usize, _: usize, _: &Trial) {
        self.0.cancel();
    }
}

#[tokio::test]
async fn cancelling_keeps_the_complete_trials_and_counts_no_half_one() {
    let bench = Bench::new();
    let tasks = bench.tasks(&[task(1, "Bash Script", "")]);
    let predictions = bench.predictions(&[prediction(1, &["exit 0", "sleep 60", "exit 0"])]);
    let cancel = CancellationToken::new();
    let checkout = bench.checkout();
    let places = |_: i64| {
        let place = evaluator::Place {
            repository: checkout.name.clone(),
            checkout: checkout.clone(),
            image: None,
            conda_environment: None,
        };
        Ok::<_, PlaceError>(place)
    };
    let progress = CancelAfterFirst(cancel.clone());
    let stage = Stage { sandbox: Some(&HOST), places: &places, progress: &progress, cancel };
    let error = evaluator::replay(&tasks, &predictions, &bench.options(Rule::MlBenchA, "run"), stage)
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Cancelled { done: 1, total: 3 }), "{error:?}");
    assert_eq!(bench.lines("run").len(), 1);
}
