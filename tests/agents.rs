//! Real coding agents drive the server headless against a scripted model on loopback. CI installs two of them with
//! `.ci/test-agents`; a person may have more, and then all are driven.

use std::path::Path;
use std::process::Command;

use crate::support::{Place, Ran, provided};

const AGENTS: [&str; 5] = ["claude", "codex", "gemini", "opencode", "cline"];

#[test]
fn coding_agents_call_every_tool_and_get_whole_answers() {
    let (Some(folder), Some(image)) = (provided("REPOLAB_TEST_AGENTS"), provided("REPOLAB_TEST_IMAGE"))
    else {
        return;
    };
    let installed: Vec<&str> = AGENTS
        .into_iter()
        .filter(|agent| Path::new(&folder).join(agent).join("installed").exists())
        .collect();
    assert!(installed.len() >= 2, "{folder} holds {installed:?}: install two with .ci/test-agents");
    let place = Place::new();
    let mut command = drive(&place);
    command.args(["--installed", &folder, "--image", &image, "--agent", &installed.join(",")]);
    let ran = Ran::of(command).success();
    for agent in installed {
        assert!(ran.stdout().lines().any(|line| line.starts_with(agent)), "{}", ran.transcript());
    }
}

/// The program that drives agents, with this build of the server, not started yet.
#[expect(
    clippy::disallowed_methods,
    reason = "tests start foreign programs, with an environment of their own"
)]
fn drive(place: &Place) -> Command {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/agents/drive.py");
    let mut command = Command::new("python3");
    command
        .env_clear()
        .env("PATH", std::env::var("PATH").unwrap_or_default())
        .env("HOME", place.folder())
        .current_dir(place.folder())
        .arg(script)
        .args(["--repolab", env!("CARGO_BIN_EXE_repolab"), "--offline", "try"]);
    command
}
