//! Commands that hang, fail, flood, fork and stay: each is answered, and nothing is left.

use serde_json::{Value, json};

use super::text;
use crate::support::{Place, Session, docker, provided, wait_until};

/// A server that can run commands; none where no engine is provided.
struct Running {
    session: Session,
    place: Place,
    image: String,
}

impl Running {
    fn new() -> Option<Self> {
        let image = provided("REPOLAB_TEST_IMAGE")?;
        let place = Place::new().with_repository("sample", &[("a.py", "x = 1\n")]);
        let session = Session::initialized_with(&place, &["--image", &image]);
        Some(Self { session, place, image })
    }

    #[track_caller]
    fn run(&mut self, command: &str, seconds: u32) -> Value {
        let arguments = json!({ "repo": "sample", "command": command, "timeout_seconds": seconds });
        let result = self.session.call("run_in_sandbox", arguments);
        assert_ne!(result["isError"], true, "{result}");
        result
    }

    /// What runs in the containers of this server.
    fn processes(&self) -> String {
        let label = format!("label=repolab.owner={}", self.session.process_id());
        let ids = docker(&["ps", "-q", "--filter", &label]);
        ids.lines().map(|id| docker(&["top", id, "-eo", "pid,args"])).collect()
    }
}

/// alfonsograziano/node-code-sandbox-mcp#51, dust-tt/dust PR#28004
#[test]
fn a_command_at_its_time_limit_ends_with_grandchildren_that_hold_its_pipes() {
    let Some(mut running) = Running::new() else { return };
    let command =
        "trap '' TERM; (trap '' TERM; sleep 4321 & setsid sleep 4321 & wait) & echo begun; sleep 4321";
    let answer = running.run(command, 1);
    let structure = &answer["structuredContent"];
    assert_eq!((&structure["ended"], &structure["stdout"]), (&json!("timed_out"), &json!("begun\n")));
    wait_until(|| !running.processes().contains("4321"));
}

/// fleet-mcp#22
#[test]
fn a_command_that_fails_is_an_answer_and_not_an_error() {
    let Some(mut running) = Running::new() else { return };
    for (command, code) in [("exit 1", 1), ("no-such-program", 127), ("exit 255", 255)] {
        let answer = running.run(command, 20);
        assert_eq!(answer["structuredContent"]["exit_code"], code, "{answer}");
        assert!(text(&answer).contains(&code.to_string()));
    }
}

/// dust-tt/dust PR#28004, dagger/container-use#25
#[test]
fn output_that_was_cut_is_marked() {
    let Some(mut running) = Running::new() else { return };
    let answer = running.run("echo first; seq 1 50000; echo last", 20);
    let (said, structure) = (text(&answer), &answer["structuredContent"]);
    let omitted = structure["omitted_bytes"].as_u64().unwrap();
    assert!(omitted > 0 && said.len() < 40_000, "{} bytes", said.len());
    for form in [said.as_str(), structure["stdout"].as_str().unwrap()] {
        assert!(form.contains("first\n") && form.contains("last"), "both ends are there");
        assert!(form.contains(&format!("{omitted} bytes omitted")), "and how much is not");
    }
}

/// dust-tt/dust PR#28004
#[test]
fn output_that_was_cut_can_be_seen_by_the_call_that_is_named() {
    let Some(mut running) = Running::new() else { return };
    let said = text(&running.run("seq 1 50000", 20));
    assert!(said.contains("read_file") || said.contains("> "), "{}", &said[said.len() - 300..]);
}

/// dagger/container-use#25
#[test]
fn the_container_of_a_server_that_crashed_is_removed() {
    let Some(mut running) = Running::new() else { return };
    let arguments = json!({ "repo": "sample", "command": "sleep 4322", "timeout_seconds": 900 });
    running.session.begin("tools/call", json!({ "name": "run_in_sandbox", "arguments": arguments }));
    wait_until(|| running.processes().contains("4322"));
    let label = format!("label=repolab.owner={}", running.session.process_id());
    running.session.kill();
    running.session.wait();
    let mut next = Session::initialized_with(&running.place, &["--image", &running.image]);
    let answer = next.call("run_in_sandbox", json!({ "repo": "sample", "command": "true" }));
    assert_eq!(answer["structuredContent"]["exit_code"], 0, "{answer}");
    wait_until(|| docker(&["ps", "-aq", "--filter", &label]).is_empty());
}

/// elie222/rakazo#28, dagger/container-use#25: clients give up after 60 s
#[test]
fn a_command_ends_before_its_client_gives_up() {
    let mut session = Session::initialized(&Place::new());
    let tools = session.request("tools/list", json!({}))["result"]["tools"].take();
    let run = tools.as_array().unwrap().iter().find(|tool| tool["name"] == "run_in_sandbox").unwrap();
    let limit = &run["inputSchema"]["properties"]["timeout_seconds"];
    assert!(limit["default"].as_u64().is_some_and(|seconds| seconds < 60), "{limit}");
}

/// johnhuang316/code-index-mcp#43
#[test]
fn a_command_reads_nothing_and_least_of_all_the_protocol() {
    let Some(mut running) = Running::new() else { return };
    let arguments = json!({ "repo": "sample", "command": "cat; echo end", "timeout_seconds": 30 });
    let id = running.session.begin("tools/call", json!({ "name": "run_in_sandbox", "arguments": arguments }));
    let ping = running.session.begin("ping", json!({}));
    let mut responses = running.session.responses(&[id, ping]);
    assert!(responses[&ping]["result"].is_object());
    let answer = responses.remove(&id).unwrap();
    assert_eq!(answer["result"]["structuredContent"]["stdout"], "end\n", "{answer}");
}

/// elie222/rakazo#28
#[test]
fn a_process_in_the_background_does_not_delay_the_answer() {
    let Some(mut running) = Running::new() else { return };
    let answer = running.run("sleep 4323 & echo started", 300);
    let structure = &answer["structuredContent"];
    assert_eq!((&structure["ended"], &structure["stdout"]), (&json!("exited"), &json!("started\n")));
    assert!(structure["duration_seconds"].as_f64().unwrap() < 100.0, "far below its 300 s: {structure}");
    wait_until(|| !running.processes().contains("4323"));
}
