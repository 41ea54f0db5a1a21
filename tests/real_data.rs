//! The benchmark's real dataset and recorded outputs, against figures that were computed independently.

use std::path::PathBuf;

use crate::support::{Place, provided};

/// A file of the benchmark's data, as text for an argument.
fn data(name: &str) -> Option<String> {
    let path = PathBuf::from(provided("REPOLAB_TEST_DATA")?).join("ml-bench").join(name);
    Some(path.to_str().unwrap().to_owned())
}

#[test]
fn gold_answers_pass_the_static_checks_as_often_as_published() {
    let Some(full) = data("full.jsonl") else { return };
    let place = Place::new();
    for tasks in [full, data("full-00000-of-00001.parquet").unwrap()] {
        let report = place.json(["tasks", "check", "--tasks", &tasks]);
        let counts = ["rows", "arguments_ok", "kind_ok", "both_ok"].map(|key| report[key].as_u64().unwrap());
        assert_eq!(counts, [260, 238, 259, 237], "{tasks}");
    }
    let report = place.json(["tasks", "check", "--tasks", &data("quarter.jsonl").unwrap()]);
    assert_eq!((report["rows"].as_u64(), report["both_ok"].as_u64()), (Some(68), Some(63)));
}

#[test]
fn recorded_outputs_score_as_published_without_execution() {
    let Some(full) = data("full.jsonl") else { return };
    for (name, counts, first) in [
        ("agent_pass5_output.jsonl", [53, 20, 265, 178, 189, 134], [26, 33, 38]),
        ("agent_dgl_full.jsonl", [21, 4, 21, 16, 14, 13], [13, 13, 13]),
    ] {
        let predictions = data(name).unwrap();
        let report = Place::new().json([
            "eval",
            "replay",
            "--tasks",
            &full,
            "--predictions",
            &predictions,
            "--rule",
            "ml-bench-l",
            "--no-execute",
        ]);
        let keys = ["joined", "unmatched", "outputs", "arguments_ok", "kind_ok", "both_ok"];
        assert_eq!(keys.map(|key| report[key].as_u64().unwrap()), counts, "{report}");
        assert_eq!(["1", "2", "5"].map(|k| report["first_k"][k].as_u64().unwrap()), first, "{report}");
    }
}
