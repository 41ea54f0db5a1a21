//! `repolab eval replay` in a real container engine, on tasks and answers written for these tests.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{Place, Ran, docker, provided, wait_until};

/// The number of a registered repository; these tests serve a small folder in its place.
const BERT: i64 = 2;

/// A place in which `bert` is a folder with one script, with a task and the given answers to it.
fn place(answers: &[&str]) -> (Place, [PathBuf; 2]) {
    let place = Place::new();
    place.write("small/train.sh", "echo \"epochs $2\"; echo \"$PWD\" > where.txt\n");
    place.run(["repos", "link", "bert", place.folder().join("small").to_str().unwrap()]).success();
    let task = json!({
        "github_id": BERT, "github": "https://example.invalid/bert", "repo_id": 1, "id": 7, "path": "./",
        "arguments": "{'epochs': 3}", "instruction": "Train for 3 epochs.", "oracle": "", "type": "Bash Script",
        "prefix_code": "export SET_UP=yes", "output": "sh train.sh --epochs 3",
    });
    let tasks = place.write("tasks.jsonl", format!("{task}\n"));
    let prediction = json!({ "github_id": BERT, "id": 7, "output": answers });
    let predictions = place.write("predictions.jsonl", format!("{prediction}\n"));
    (place, [tasks, predictions])
}

/// Replays and returns the report and the lines of `trials.jsonl`.
fn replay(answers: &[&str], arguments: &[&str]) -> Option<(Place, Value, Vec<Value>)> {
    let image = provided("REPOLAB_TEST_IMAGE")?;
    let (place, [tasks, predictions]) = place(answers);
    let run = place.folder().join("run");
    let paths = [&tasks, &predictions, &run].map(|path| path.to_str().unwrap().to_owned());
    let mut all =
        vec!["eval", "replay", "--tasks", &paths[0], "--predictions", &paths[1], "--run", &paths[2]];
    all.extend(["--image", image.as_str()]);
    all.extend(arguments);
    let report = place.json(all);
    let lines = fs_err::read_to_string(run.join("trials.jsonl")).unwrap();
    let trials = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    Some((place, report, trials))
}

#[test]
fn engine_each_ending_stands_beside_its_verdicts() {
    let flood = "head -c 300000 /dev/zero; exit 4 # train.sh 3";
    let answers = [
        "sh train.sh --epochs 3",
        "sh train.sh --epochs 3; exit 5",
        "sh train.sh --epochs 3; sleep 60",
        flood,
        "sh train.sh",
    ];
    let Some((place, report, trials)) = replay(&answers, &["--rule", "ml-bench-l", "--timeout-seconds", "3"])
    else {
        return;
    };
    let of = |attempt: u64| trials.iter().find(|trial| trial["attempt"] == attempt).unwrap();
    for (attempt, exit_code, outcome, verdict, flagged) in [
        (1, json!(0), "exited", "pass", false),
        (2, json!(5), "exited", "fail", false),
        (3, Value::Null, "timed_out", "pass", false),
        (4, json!(4), "exited", "fail", true),
        (5, Value::Null, "not_executed", "fail", false),
    ] {
        let trial = of(attempt);
        assert_eq!((&trial["github_id"], &trial["id"]), (&json!(BERT), &json!(7)));
        assert_eq!((&trial["exit_code"], trial["outcome"].as_str()), (&exit_code, Some(outcome)), "{trial}");
        assert_eq!(trial["verdicts"]["ml-bench-l"], verdict, "{trial}");
        assert_eq!(trial["undrained_pipe_would_change_verdict"], flagged, "{trial}");
    }
    assert_eq!(report["first_k"], json!({ "1": 1, "2": 1, "5": 1 }));
    let run = place.folder().join("run");
    let kept = fs_err::read_to_string(run.join(format!("trials/{BERT}-7-1/stdout"))).unwrap();
    assert_eq!(kept, "epochs 3\n");
    let lock: Value = serde_json::from_str(&fs_err::read_to_string(run.join("lock.json")).unwrap()).unwrap();
    assert!(lock.to_string().contains("sha256:"), "{lock}");
    assert!(!place.folder().join("small/where.txt").exists(), "a trial wrote into the linked folder");
}

#[test]
fn engine_the_agent_rule_runs_the_answer_after_its_set_up() {
    let answers =
        ["test \"$SET_UP\" = yes && sh train.sh --epochs 9", "exit 124", "sleep 60", "exit 7", "exit 0"];
    let Some((_place, report, trials)) =
        replay(&answers, &["--rule", "ml-bench-a", "--timeout-seconds", "2"])
    else {
        return;
    };
    let verdicts: Vec<&str> =
        trials.iter().map(|trial| trial["verdicts"]["ml-bench-a"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["pass", "pass", "pass", "fail", "pass"], "{trials:?}");
    assert_eq!(report["executed"]["exit_zero"], 2);
}

#[test]
fn engine_a_killed_evaluator_leaves_its_trials_and_no_container() {
    let Some(image) = provided("REPOLAB_TEST_IMAGE") else { return };
    let (place, [tasks, predictions]) =
        place(&["sh train.sh --epochs 3", "sh train.sh --epochs 3; sleep 600"]);
    let run = place.folder().join("run");
    let mut command = place.command([
        "eval",
        "replay",
        "--rule",
        "ml-bench-a",
        "--image",
        &image,
        "--timeout-seconds",
        "600",
    ]);
    command.arg("--tasks").arg(&tasks).arg("--predictions").arg(&predictions).arg("--run").arg(&run);
    let mut child = command.spawn().unwrap();
    let trials = run.join("trials.jsonl");
    wait_until(|| fs_err::read_to_string(&trials).is_ok_and(|text| text.lines().count() == 1));
    let owner = format!("label=repolab.owner={}", child.id());
    wait_until(|| !docker(&["ps", "-q", "--filter", &owner]).is_empty());
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until(|| docker(&["ps", "-q", "--filter", &owner]).is_empty());
    let first: Value =
        serde_json::from_str(fs_err::read_to_string(&trials).unwrap().lines().next().unwrap()).unwrap();
    assert_eq!((first["attempt"].as_u64(), first["exit_code"].as_i64()), (Some(1), Some(0)));
}

#[test]
fn without_an_engine_replay_says_so_in_one_sentence() {
    let (place, [tasks, predictions]) = place(&["sh train.sh --epochs 3"]);
    let mut command = place.command(["eval", "replay", "--rule", "ml-bench-a"]);
    command.arg("--tasks").arg(tasks).arg("--predictions").arg(predictions);
    command.env("REPOLAB_ENGINE", "unix:///nonexistent/docker.sock");
    let ran = Ran::of(command).code(1);
    assert!(
        ran.stderr().contains("container engine") && ran.stderr().contains("Hint: "),
        "{}",
        ran.transcript()
    );
}
