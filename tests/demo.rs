//! The demo is a newcomer's first minute, so it must work with nothing: no network, engine or configuration.

use crate::support::Place;

#[test]
fn the_demo_tells_right_wrong_idle_and_endless_answers_apart() {
    let shown = Place::new().json(["demo"]);
    assert!(shown["index"]["chunks"].as_u64().unwrap() > 5, "{shown}");
    assert_eq!(shown["conversation"]["tools"].as_array().unwrap().len(), 8);
    let trials = shown["scores"]["trials"].as_array().unwrap();
    assert_eq!(trials.len(), 10);
    for trial in trials {
        let (exit_code, outcome) = (&trial["exit_code"], trial["outcome"].as_str().unwrap());
        match trial["answer"].as_str().unwrap() {
            "right" | "right, in other words" | "does nothing" => {
                assert_eq!((exit_code.as_i64(), outcome), (Some(0), "exited"));
            }
            "wrong" => assert!(exit_code.as_i64().unwrap() > 0, "{trial}"),
            "never ends" => assert_eq!((exit_code.as_i64(), outcome), (None, "timed_out")),
            other => panic!("unknown answer {other}"),
        }
    }
}

#[test]
fn the_demo_reads_well_at_the_shell_and_leaves_nothing() {
    let place = Place::new();
    let mut command = place.command(["demo"]);
    let scratch = place.folder().join("scratch");
    fs_err::create_dir(&scratch).unwrap();
    command.env("TMPDIR", &scratch);
    let ran = crate::support::Ran::of(command).success();
    for part in ["tiny-trainer", "run_in_sandbox", "never ends", "ml-bench-a", "Next:"] {
        assert!(ran.stdout().contains(part), "{part} is missing\n{}", ran.transcript());
    }
    assert!(ran.stdout().lines().all(|line| line.chars().count() <= 120), "{}", ran.transcript());
    assert_eq!(fs_err::read_dir(&scratch).unwrap().count(), 0, "the demo left files behind");
}
