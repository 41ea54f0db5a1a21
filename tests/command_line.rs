//! What a person meets at the shell: help, exit codes, and errors that say what to do next.

use crate::support::Place;

#[test]
fn help_names_every_command_and_the_exit_codes() {
    let help = Place::new().run(["--help"]).success().stdout();
    for command in ["demo", "serve", "repos", "index", "search", "read", "run", "tasks", "eval", "doctor"] {
        assert!(help.contains(&format!("\n  {command} ")), "{command} is missing:\n{help}");
    }
    assert!(help.contains("Exit codes"), "{help}");
}

#[test]
fn a_wrong_flag_fails_loudly_with_exit_code_2() {
    let ran = Place::new().run(["search", "x", "--repository", "dgl"]).code(2);
    assert!(ran.stderr().contains("--repository") && ran.stdout().is_empty(), "{}", ran.transcript());
}

#[test]
fn every_failure_is_one_sentence_and_a_hint_on_standard_error() {
    let place = Place::new().with_repository("sample", &[("a.py", "x = 1\n")]);
    for (arguments, expected) in [
        (vec!["read", "dgll", "README.md"], "did you mean `dgl`"),
        (vec!["read", "dgl", "README.md"], "repolab repos sync dgl"),
        (vec!["read", "sample", "b.py"], "there is no file `b.py`"),
        (vec!["read", "sample", "../x"], "`..`"),
        (vec!["search", "x", "--repo", "nothing-like-it"], "there is no repository"),
        (vec!["repos", "link", "dgl", "/nonexistent"], "/nonexistent"),
        (vec!["tasks", "check", "--tasks", "missing.jsonl"], "missing.jsonl"),
        (vec!["run", "sample", "true", "--image", "x"], "container engine"),
    ] {
        let mut command = place.command(&arguments);
        command.env("REPOLAB_ENGINE", "unix:///nonexistent/docker.sock");
        let ran = crate::support::Ran::of(command).code(1);
        assert!(ran.stderr().contains("Error: ") && ran.stdout().is_empty(), "{}", ran.transcript());
        assert!(ran.stderr().contains(expected), "{expected:?} is missing\n{}", ran.transcript());
        assert!(!ran.stderr().contains("panicked"), "{}", ran.transcript());
    }
}

#[test]
fn an_error_is_json_for_a_machine() {
    let ran = Place::new().run(["--json", "read", "dgll", "README.md"]).code(1);
    let error: serde_json::Value = serde_json::from_str(ran.stderr().trim()).unwrap();
    assert!(error["error"].as_str().unwrap().contains("dgll"), "{error}");
    assert!(error["hint"].as_str().unwrap().contains("dgl"), "{error}");
}

#[test]
fn a_configuration_file_is_used_and_a_wrong_one_named() {
    let place = Place::new().with_repository("sample", &[("a.py", "x = 1\n")]);
    place.write("repolab.toml", "image = \"from-the-file\"\nengine = \"unix:///nonexistent.sock\"\n");
    let findings = place.run(["doctor"]).success().stdout();
    assert!(findings.contains("repolab.toml") && findings.contains("/nonexistent.sock"), "{findings}");
    place.write("repolab.toml", "imagee = \"x\"\n");
    let ran = place.run(["doctor"]).code(1);
    assert!(ran.stderr().contains("repolab.toml") && ran.stderr().contains("imagee"), "{}", ran.transcript());
}

#[test]
fn what_a_person_reads_is_what_an_agent_reads() {
    let place = Place::new().with_repository("sample", &[("a.py", "def answer():\n    return 42\n")]);
    let read = place.run(["read", "sample", "a.py", "--symbol", "answer"]).success().stdout();
    assert!(read.contains("1\tdef answer():\n2\t    return 42"), "{read}");
    let found = place.json(["search", "answer", "--repo", "sample"]);
    let hit = &found["hits"][0];
    assert_eq!((hit["repo"].as_str(), hit["path"].as_str()), (Some("sample"), Some("a.py")), "{found}");
    assert!(hit["start_line"] == 1 && hit["end_line"] == 2 && hit["score"].is_number(), "{found}");
}
