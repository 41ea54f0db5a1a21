//! The benchmark's real dataset and recorded outputs, against figures that were computed independently of this
//! code, with the benchmark's own functions.

use crate::support::data;
use evaluator::{
    Execution, Kind, Predictions, ReplayOptions, ReplayReport, Rule, Stage, TaskKey, TaskSet, check_gold,
};

fn key(github_id: i64, id: i64) -> TaskKey {
    TaskKey { github_id, id }
}

#[test]
fn gold_answers_pass_the_checks_as_often_as_the_original_code_says() {
    let Some(full) = data("full.jsonl") else { return };
    for path in [full, data("full-00000-of-00001.parquet").unwrap()] {
        let report = check_gold(&TaskSet::read(&path).unwrap());
        let counts = (report.rows, report.arguments_ok, report.kind_ok, report.both_ok);
        assert_eq!(counts, (260, 238, 259, 237), "{}", path.display());
        assert_eq!((report.problems.len(), report.failures.len()), (0, 23));
        let wrong_kind: Vec<TaskKey> =
            report.failures.iter().filter(|failure| !failure.kind_ok).map(|failure| failure.key).collect();
        assert_eq!(wrong_kind, [key(14, 256)]);
    }
    let report = check_gold(&TaskSet::read(&data("quarter.jsonl").unwrap()).unwrap());
    assert_eq!((report.rows, report.both_ok), (68, 63));
    let mut failures: Vec<TaskKey> = report.failures.iter().map(|failure| failure.key).collect();
    failures.sort();
    assert_eq!(failures, [key(2, 49), key(3, 73), key(9, 268), key(13, 240), key(14, 256)]);
}

#[test]
fn both_forms_of_the_dataset_hold_the_same_tasks() {
    let Some(full) = data("full.jsonl") else { return };
    let lines = TaskSet::read(&full).unwrap();
    let parquet = TaskSet::read(&data("full-00000-of-00001.parquet").unwrap()).unwrap();
    let sorted = |set: &TaskSet| {
        let mut tasks = set.tasks().to_vec();
        tasks.sort_by_key(|task| task.key);
        tasks
    };
    assert_eq!(sorted(&lines), sorted(&parquet));
    let values: Vec<&str> =
        lines.tasks().iter().flat_map(|task| task.arguments.iter()).map(|(_, value)| value).collect();
    assert_eq!(values.len(), 1050);
    assert!(["-5.0", "1.0", "0.95"].iter().all(|value| values.contains(value)));
    let bash = lines.tasks().iter().filter(|task| task.kind == Kind::BashScript).count();
    assert_eq!((bash, lines.tasks().iter().filter(|task| !task.prefix_code.is_empty()).count()), (171, 101));
}

fn score(predictions: &str) -> Option<ReplayReport> {
    let tasks = TaskSet::read(&data("full.jsonl")?).unwrap();
    let predictions = Predictions::read(&data(predictions)?).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let options = ReplayOptions {
        execution: Execution::None,
        ..ReplayOptions::new(Rule::MlBenchL, folder.path().join("run"))
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let replay = evaluator::replay(&tasks, &predictions, &options, Stage::without_sandbox());
    let report = runtime.block_on(replay).unwrap();
    let lines = fs_err::read_to_string(folder.path().join("run/trials.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), report.outputs);
    Some(report)
}

fn counts(report: &ReplayReport) -> [usize; 6] {
    [report.joined, report.unmatched, report.outputs, report.arguments_ok, report.kind_ok, report.both_ok]
}

#[test]
fn five_recorded_outputs_for_each_task_score_as_the_original_code_says() {
    let Some(report) = score("agent_pass5_output.jsonl") else { return };
    assert_eq!(counts(&report), [53, 20, 265, 178, 189, 134]);
    let first_k = serde_json::json!({ "1": 26, "2": 33, "5": 38 });
    let shown = serde_json::to_value(&report).unwrap();
    assert_eq!((&shown["first_k"], &shown["five_only"]["first_k"]), (&first_k, &first_k));
    assert_eq!(report.five_only.tasks, 53);
    assert_eq!((report.tasks_without_prediction, report.unmatched_keys.len()), (207, 20));
    assert!(report.other_than_five.is_empty() && report.prediction_problems.is_empty());
    assert_eq!(shown["executed"]["trials"], 0);
    let by_l = report.rules[&Rule::MlBenchL];
    assert_eq!((by_l.pass, by_l.fail, by_l.not_decided), (0, 265 - 134, 134));
    let attention = report.repositories.iter().find(|row| row.github_id == 9).unwrap();
    assert_eq!(
        (attention.repository.as_str(), attention.joined, attention.outputs),
        ("external-attention-pytorch", 5, 25)
    );
}

#[test]
fn one_recorded_output_for_each_task_scores_outside_the_papers_denominator() {
    let Some(report) = score("agent_dgl_full.jsonl") else { return };
    assert_eq!(counts(&report), [21, 4, 21, 16, 14, 13]);
    assert_eq!([report.first_k.one, report.first_k.two, report.first_k.five], [13, 13, 13]);
    assert_eq!((report.five_only.tasks, report.other_than_five.len()), (0, 21));
    assert_eq!(report.unmatched_keys, [18, 23, 6, 19].map(|id| key(1, id)));
}
