//! What a person meets at the shell: help, exit codes, and errors that say what to do next.

use std::path::Path;

use expect_test::expect_file;

use crate::support::{Place, provided};

#[test]
fn help_names_every_command_and_the_exit_codes() {
    let help = Place::new().run(["--help"]).success().stdout();
    for command in [
        "demo",
        "serve",
        "client-config",
        "repos",
        "index",
        "search",
        "read",
        "run",
        "tasks",
        "eval",
        "doctor",
    ] {
        assert!(help.contains(&format!("\n  {command} ")), "{command} is missing:\n{help}");
    }
    assert!(help.contains("Exit codes"), "{help}");
}

#[test]
fn the_help_of_every_command_is_what_was_last_agreed() {
    let place = Place::new();
    let mut help = String::new();
    for command in [
        "",
        "demo",
        "serve",
        "client-config",
        "repos",
        "repos sync",
        "repos link",
        "repos add",
        "index",
        "search",
        "read",
        "run",
        "tasks",
        "tasks check",
        "eval replay",
        "doctor",
    ] {
        let arguments = command.split_whitespace().chain(["--help"]);
        help.push_str(&format!("$ repolab {command} --help\n{}\n", place.run(arguments).success().stdout()));
    }
    expect_file!["snapshots/help.txt"].assert_eq(&help);
}

#[test]
fn a_wrong_flag_fails_loudly_with_exit_code_2() {
    let ran = Place::new().run(["search", "x", "--repository", "dgl"]).code(2);
    assert!(ran.stderr().contains("--repository") && ran.stdout().is_empty(), "{}", ran.transcript());
}

#[test]
fn every_failure_is_one_sentence_and_a_hint_on_standard_error() {
    let place = Place::new().with_repository("sample", &[("a.py", "x = 1\n")]);
    let missing = place.folder().join("no-such-folder").display().to_string();
    for (arguments, expected) in [
        (vec!["read", "dgll", "README.md"], "did you mean `dgl`"),
        (vec!["read", "dgl", "README.md"], "repolab repos sync dgl"),
        (vec!["read", "sample", "b.py"], "there is no file `b.py`"),
        (vec!["read", "sample", "../x"], "`..`"),
        (vec!["search", "x", "--repo", "nothing-like-it"], "there is no repository"),
        (vec!["repos", "link", "dgl", &missing], "no-such-folder"),
        (vec!["tasks", "check", "--tasks", "missing.jsonl"], "missing.jsonl"),
    ] {
        let ran = place.run(&arguments).code(1);
        assert!(ran.stderr().contains("Error: ") && ran.stdout().is_empty(), "{}", ran.transcript());
        assert!(ran.stderr().contains(expected), "{expected:?} is missing\n{}", ran.transcript());
        assert!(!ran.stderr().contains("panicked"), "{}", ran.transcript());
    }
}

#[test]
fn a_sandbox_that_failed_is_told_from_a_command_that_failed() {
    let place = Place::new().with_repository("sample", &[("a.py", "x = 1\n")]);
    let ran = place.run(["run", "sample", "true", "--engine", "unix:///nonexistent/docker.sock"]).code(125);
    assert!(
        ran.stderr().contains("container engine") && ran.stderr().contains("Hint: "),
        "{}",
        ran.transcript()
    );
    let Some(image) = provided("REPOLAB_TEST_IMAGE") else { return };
    place.run(["run", "sample", "true", "--image", "no-such-image:x"]).code(125);
    place.run(["run", "sample", "exit 1", "--image", &image]).code(1);
    place.run(["run", "sample", "sleep 60", "--image", &image, "--timeout-seconds", "1"]).code(124);
}

#[test]
fn exact_search_takes_the_options_of_ripgrep() {
    let text = "import torch\nimport os\nTorch = 1\ntorchvision = 2\nend\n";
    let place = Place::new().with_repository("sample", &[("a.py", text)]);
    for (arguments, expected) in [
        (&["--mode", "literal", "torch"][..], "2 in all"),
        (&["--mode", "literal", "torch", "--ignore-case"], "3 in all"),
        (&["--mode", "literal", "torch", "-S"], "3 in all"),
        (&["--mode", "literal", "Torch", "--smart-case"], "1 in all"),
        (&["--mode", "literal", "torch", "--word"], "1 in all"),
        (&["--mode", "regex", "torch|os", "-i", "-w"], "3 in all"),
        (&["--mode", "regex", r"torch\nimport"], "2 in all"),
        (&["--mode", "regex", r"torch\s+import"], "0 files"),
        (&["--mode", "regex", r"torch\s+import", "--multi-line"], "2 in all"),
    ] {
        let ran = place.run(["search", "--show", "counts"].iter().chain(arguments)).success();
        assert!(ran.stdout().contains(expected), "{expected:?} is missing\n{}", ran.transcript());
    }
    let ran = place.run(["search", "--mode", "literal", "Torch", "--context", "1"]).success();
    assert!(
        ran.stdout().contains("2\timport os\n3\tTorch = 1\n4\ttorchvision = 2\n"),
        "{}",
        ran.transcript()
    );
    let ran = place.run(["search", "--mode", "literal", "Torch", "--context", "21"]).code(1);
    assert!(ran.stderr().contains("context"), "{}", ran.transcript());
}

#[test]
fn an_index_answers_from_a_folder_that_cannot_be_written() {
    let place = Place::new().with_repository("sample", &[("a.py", "def answer():\n    return 42\n")]);
    place.run(["index"]).success();
    let data = place.folder().join("data");
    set_writable(&data, false);
    let ran = place.run(["search", "answer", "--repo", "sample"]);
    set_writable(&data, true);
    assert!(ran.success().stdout().contains("a.py:1-2"));
    let left: Vec<_> =
        fs_err::read_dir(data.join("indexes/sample")).unwrap().flatten().map(|one| one.file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().contains("tantivy")), "{left:?}");
}

#[test]
fn an_index_says_of_each_file_why_it_is_left_out() {
    let place = Place::new().with_repository("sample", &[("a.py", "x = 1\n"), ("data/b.csv", "1,2\n")]);
    let listed = place.run(["index", "--skipped"]).success();
    assert!(listed.stdout().contains("sample/data/b.csv  data file\n"), "{}", listed.stdout());
    let found = place.json(["index", "--skipped"]);
    assert_eq!(found["skipped_files"]["sample"][0]["reason"], "data_file");
    assert!(place.json(["index"]).get("skipped_files").is_none());
}

#[test]
fn what_a_killed_build_left_goes_with_the_next_index() {
    let place = Place::new().with_repository("sample", &[("a.py", "x = 1\n")]);
    place.run(["index"]).success();
    let debris = place.folder().join("data/indexes/sample/generation-killed");
    fs_err::create_dir(&debris).unwrap();
    place.run(["index"]).success();
    assert!(!debris.exists());
}

#[test]
fn without_a_repository_every_command_says_how_to_get_one() {
    for arguments in [vec!["search", "x"], vec!["index"]] {
        let ran = Place::new().run(arguments).code(1);
        assert!(ran.stderr().contains("repolab repos sync"), "{}", ran.transcript());
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

/// Takes or gives the right to write, for everything below a folder.
fn set_writable(folder: &Path, writable: bool) {
    use std::os::unix::fs::PermissionsExt;
    let mode = if writable { 0o755 } else { 0o555 };
    for entry in fs_err::read_dir(folder).unwrap().flatten().filter(|one| one.path().is_dir()) {
        set_writable(&entry.path(), writable);
    }
    fs_err::set_permissions(folder, std::fs::Permissions::from_mode(mode)).unwrap();
}
