//! Long sandbox runs as tasks: for clients that know the extension, and only for those.

use serde_json::{Value, json};

use crate::support::{Place, Session, docker, modern, modern_with, provided, wait_until};

fn place() -> Place {
    Place::new().with_repository("sample", &[("a.txt", "a\n")])
}

/// A call by a client that knows tasks.
fn run(session: &mut Session, command: &str) -> Value {
    let arguments = json!({ "repo": "sample", "command": command, "timeout_seconds": 300 });
    let call = json!({ "name": "run_in_sandbox", "arguments": arguments });
    session.request("tools/call", modern_with(call, tasks()))
}

fn tasks() -> Value {
    json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } })
}

fn task(session: &mut Session, method: &str, id: &str) -> Value {
    session.request(method, modern_with(json!({ "taskId": id }), tasks()))
}

/// Polls as a client does; the bound only keeps a failing test from hanging.
fn end_of(session: &mut Session, id: &str) -> Value {
    for _ in 0..300 {
        let state = task(session, "tasks/get", id)["result"].take();
        if state["status"] != "working" {
            return state;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    panic!("the task did not end");
}

#[test]
fn what_takes_long_becomes_a_task_whose_answer_is_fetched() {
    let Some(image) = provided("REPOLAB_TEST_IMAGE") else { return };
    let place = place();
    let mut session = Session::start_with(&place, &["--image", &image]);
    let created = run(&mut session, "sleep 5; echo done > out; cat out; exit 3")["result"].take();
    assert_eq!((&created["resultType"], &created["status"]), (&json!("task"), &json!("working")));
    let id = created["taskId"].as_str().unwrap().to_owned();
    let ended = end_of(&mut session, &id);
    assert_eq!(ended["status"], "completed");
    let answer = &ended["result"]["structuredContent"];
    assert_eq!((&answer["exit_code"], &answer["stdout"]), (&json!(3), &json!("done\n")));
    assert!(ended["result"]["content"][0]["text"].as_str().unwrap().contains("Exit code 3"));
}

#[test]
fn a_cancelled_task_ends_with_its_container() {
    let Some(image) = provided("REPOLAB_TEST_IMAGE") else { return };
    let place = place();
    let mut session = Session::start_with(&place, &["--image", &image]);
    let created = run(&mut session, "sleep 600")["result"].take();
    let id = created["taskId"].as_str().unwrap().to_owned();
    let label = format!("label=repolab.owner={}", session.process_id());
    let running = || {
        let containers = docker(&["ps", "-q", "--filter", &label]);
        containers.lines().any(|one| docker(&["top", one, "-eo", "pid,args"]).contains("sleep 600"))
    };
    wait_until(running);
    assert_eq!(task(&mut session, "tasks/cancel", &id)["result"]["resultType"], "complete");
    assert_eq!(end_of(&mut session, &id)["status"], "cancelled");
    wait_until(|| !running());
}

#[test]
fn what_ends_soon_is_answered_at_once() {
    let Some(image) = provided("REPOLAB_TEST_IMAGE") else { return };
    let place = place();
    let mut session = Session::start_with(&place, &["--image", &image]);
    let result = run(&mut session, "echo quick")["result"].take();
    assert_eq!(result["structuredContent"]["stdout"], "quick\n");
}

#[test]
fn a_client_that_knows_no_tasks_waits_for_the_answer() {
    let Some(image) = provided("REPOLAB_TEST_IMAGE") else { return };
    let place = place();
    let mut session = Session::start_with(&place, &["--image", &image]);
    let arguments = json!({ "repo": "sample", "command": "sleep 4; echo late" });
    let call = modern(json!({ "name": "run_in_sandbox", "arguments": arguments }));
    let result = session.request("tools/call", call)["result"].take();
    assert_eq!(result["structuredContent"]["stdout"], "late\n");
    let refused = session.request("tasks/get", modern(json!({ "taskId": "x" })));
    assert_eq!(refused["error"]["code"], -32021);
}

#[test]
fn an_unknown_task_is_refused() {
    let mut session = Session::start(&Place::new());
    for method in ["tasks/get", "tasks/cancel"] {
        assert_eq!(task(&mut session, method, "no-such-task")["error"]["code"], -32602, "{method}");
    }
}
