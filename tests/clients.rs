//! Real clients that are not ours list and call every tool over stdio. CI installs them; a person may not have them.

use std::path::Path;
use std::process::Command;

use crate::support::{Place, Ran, provided};

const FILES: &[(&str, &str)] = &[
    ("README.md", "# Sample\n\nTrain with `sh train.sh --epochs 3`.\n"),
    ("train.sh", "echo epochs $2 > log.txt; cat log.txt; exit 3\n"),
    ("model.py", "class LinearModel:\n    def step(self):\n        return 1\n"),
];

/// The image that CI made, and a place whose server uses it.
fn place() -> Option<(Place, String)> {
    Some((Place::new().with_repository("sample", FILES), provided("REPOLAB_TEST_IMAGE")?))
}

/// A program of the test suite with the server's environment, not started yet.
#[expect(
    clippy::disallowed_methods,
    reason = "tests start foreign clients, with an environment of their own"
)]
fn client(place: &Place, program: &str, image: &str) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("PATH", std::env::var("PATH").unwrap_or_default())
        .env("HOME", place.folder())
        .env("REPOLAB_DATA", place.folder().join("data"))
        .env("REPOLAB_IMAGE", image)
        .current_dir(place.folder());
    command
}

#[test]
fn the_python_sdk_lists_and_calls_every_tool() {
    let (Some(python), Some((place, image))) = (provided("REPOLAB_TEST_PYTHON"), place()) else { return };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/clients/python_sdk.py");
    let mut command = client(&place, &python, &image);
    command.arg(script).arg(env!("CARGO_BIN_EXE_repolab"));
    let ran = Ran::of(command).success();
    assert!(ran.stdout().contains("every tool answered"), "{}", ran.transcript());
}

#[test]
fn the_mcp_inspector_lists_and_calls_every_tool() {
    let (Some(inspector), Some((place, image))) = (provided("REPOLAB_TEST_INSPECTOR"), place()) else {
        return;
    };
    for era in ["legacy", "modern", "auto"] {
        let ran = inspect(
            &place,
            &inspector,
            &image,
            &["--method", "tools/list", "--strict", "--protocol-era", era],
        );
        let ran = ran.success();
        for tool in ["list_repositories", "search", "read_file", "run_in_sandbox"] {
            assert!(ran.stdout().contains(tool), "{}", ran.transcript());
        }
        assert!(!ran.stderr().to_lowercase().contains("warning"), "{}", ran.transcript());
    }
    for (tool, arguments, expected) in [
        ("list_repositories", "{}", "sample"),
        ("search", r#"{"query":"LinearModel"}"#, "model.py"),
        ("read_file", r#"{"repo":"sample","path":"model.py"}"#, "class LinearModel"),
        ("run_in_sandbox", r#"{"repo":"sample","command":"sh train.sh --epochs 3"}"#, "epochs 3"),
    ] {
        let call = [
            "--method",
            "tools/call",
            "--tool-name",
            tool,
            "--tool-args-json",
            arguments,
            "--format",
            "json",
        ];
        let ran = inspect(&place, &inspector, &image, &call).success();
        assert!(ran.stdout().contains(expected), "{}", ran.transcript());
    }
    let wrong = [
        "--method",
        "tools/call",
        "--tool-name",
        "read_file",
        "--tool-args-json",
        r#"{"repo":"x","path":"y"}"#,
    ];
    inspect(&place, &inspector, &image, &wrong).code(5);
}

fn inspect(place: &Place, inspector: &str, image: &str, arguments: &[&str]) -> Ran {
    let mut command = client(place, inspector, image);
    let data = place.folder().join("data");
    command.arg("--cli").args(arguments).args([
        "--",
        env!("CARGO_BIN_EXE_repolab"),
        "serve",
        "--image",
        image,
    ]);
    // The Inspector hands its own environment to no server, so everything is said by flags.
    command.arg("--data").arg(data);
    // The Inspector's own Node.js stands beside it and is newer than the one most machines have.
    let folder = Path::new(inspector).parent().unwrap().display().to_string();
    let path = format!(
        "{folder}:{}",
        command
            .get_envs()
            .find_map(|(name, value)| (name == "PATH").then_some(value?.to_str()?))
            .unwrap_or_default()
    );
    command.env("PATH", path);
    Ran::of(command)
}
