//! What goes wrong in MCP servers unless somebody looks: one test per trap that was met in the protocol's own SDK
//! or in the issue trackers of servers like this one.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::{Place, Session, docker, provided, wait_until};

fn place() -> Place {
    Place::new().with_repository("sample", &[("a.py", "def answer():\n    return 42\n")])
}

#[test]
fn every_answer_is_an_object_so_that_old_clients_keep_it() {
    let mut session = Session::initialized(&Place::new());
    let tools = session.request("tools/list", json!({}))["result"]["tools"].take();
    for tool in tools.as_array().unwrap() {
        assert_eq!(tool["outputSchema"]["type"], "object", "{}", tool["name"]);
    }
}

#[test]
fn a_tool_without_parameters_says_that_it_takes_none() {
    let mut session = Session::initialized(&Place::new());
    let tools = session.request("tools/list", json!({}))["result"]["tools"].take();
    let list = tools.as_array().unwrap().iter().find(|tool| tool["name"] == "list_repositories").unwrap();
    assert_eq!(
        list["inputSchema"],
        json!({ "type": "object", "additionalProperties": false, "properties": {} })
    );
}

#[test]
fn the_tools_and_the_fields_of_an_answer_keep_their_order() {
    let place = place();
    let listings: Vec<String> = (0..2)
        .map(|_| Session::initialized(&place).request("tools/list", json!({}))["result"].to_string())
        .collect();
    assert_eq!(listings[0], listings[1]);
    let mut session = Session::initialized(&place);
    let structure =
        session.call("read_file", json!({ "repo": "sample", "path": "a.py" }))["structuredContent"].take();
    let fields: Vec<&String> = structure.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["repo", "path", "start_line", "end_line", "total_lines", "text"]);
}

#[test]
fn methods_that_are_not_offered_are_refused_by_code() {
    let mut session = Session::initialized(&Place::new());
    for (method, parameters) in [
        ("resources/subscribe", json!({ "uri": "repo://sample/a.py" })),
        ("logging/setLevel", json!({ "level": "info" })),
        ("no/such/method", json!({})),
    ] {
        assert_eq!(session.request(method, parameters)["error"]["code"], -32601, "{method}");
    }
}

#[test]
fn arguments_that_are_no_object_get_an_answer() {
    let place = place();
    let mut session = Session::initialized(&place);
    for arguments in [json!([1]), json!("x"), json!(7)] {
        let response = session.request("tools/call", json!({ "name": "search", "arguments": arguments }));
        assert!(response["error"]["code"].is_number() || response["result"]["isError"] == true, "{response}");
    }
    let response = session.request("tools/call", json!({ "name": "list_repositories" }));
    assert_ne!(response["result"]["isError"], true, "missing arguments mean none: {response}");
}

#[test]
fn a_batch_is_refused_and_the_next_request_answered() {
    let place = place();
    let mut session = Session::initialized(&place);
    session.send(
        r#"[{"jsonrpc":"2.0","id":90,"method":"tools/list"},{"jsonrpc":"2.0","id":91,"method":"ping"}]"#,
    );
    let id = session.begin("ping", json!({}));
    assert!(session.response(id)["result"].is_object());
}

#[test]
fn calls_at_one_time_each_get_their_own_answer() {
    let place = place();
    let mut session = Session::initialized(&place);
    let ids: Vec<u64> = (1..=40)
        .map(|line: u32| {
            let arguments = json!({ "repo": "sample", "path": "a.py", "start_line": line % 2 + 1, "end_line": line % 2 + 1 });
            session.begin("tools/call", json!({ "name": "read_file", "arguments": arguments }))
        })
        .collect();
    let responses = session.responses(&ids);
    for (index, id) in ids.iter().enumerate() {
        let expected = (index as u64 + 1) % 2 + 1;
        assert_eq!(responses[id]["result"]["structuredContent"]["start_line"], expected);
    }
}

#[test]
fn work_that_is_under_way_at_the_end_of_input_is_answered() {
    let place = place();
    let mut session = Session::initialized(&place);
    let id = session.begin("tools/call", json!({ "name": "search", "arguments": { "query": "answer" } }));
    session.end_input();
    assert_eq!(session.response(id)["result"]["structuredContent"]["hits"][0]["path"], "a.py");
    assert_eq!(session.close(), Some(0));
}

#[test]
fn the_server_ends_when_it_is_told_to() {
    let place = place();
    let mut session = Session::initialized(&place);
    assert!(session.request("ping", json!({}))["result"].is_object());
    let started = Instant::now();
    session.terminate();
    assert_eq!(session.wait(), Some(0));
    // Far beyond what it takes; a server that waits for its input would stay for ever.
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_cancelled_command_ends_and_the_server_lives_on() {
    let Some(image) = provided("REPOLAB_TEST_IMAGE") else { return };
    let place = place();
    let mut session = Session::initialized_with(&place, &["--image", &image]);
    let arguments = json!({ "repo": "sample", "command": "sleep 600", "timeout_seconds": 900 });
    let id = session.begin("tools/call", json!({ "name": "run_in_sandbox", "arguments": arguments }));
    let owner = session.process_id();
    wait_until(|| !running(owner).is_empty());
    let cancelled = json!({ "requestId": id, "reason": "test" });
    session.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled }).to_string(),
    );
    wait_until(|| running(owner).is_empty());
    assert!(session.request("ping", json!({}))["result"].is_object());
}

#[test]
fn a_long_run_tells_how_far_it_is_in_rising_values_and_nothing_follows_the_answer() {
    let Some(image) = provided("REPOLAB_TEST_IMAGE") else { return };
    let place = place();
    let mut session = Session::initialized_with(&place, &["--image", &image]);
    let arguments = json!({ "repo": "sample", "command": "sleep 4" });
    let parameters =
        json!({ "name": "run_in_sandbox", "arguments": arguments, "_meta": { "progressToken": "p" } });
    let id = session.begin("tools/call", parameters);
    let (progress, answer) = session.notifications_until(id);
    assert_eq!(answer["result"]["structuredContent"]["exit_code"], 0);
    let values: Vec<f64> = progress.iter().map(|one| one["params"]["progress"].as_f64().unwrap()).collect();
    assert!(values.len() >= 2 && values.is_sorted_by(|one, next| one < next), "{progress:?}");
    assert!(progress.iter().all(|one| one["params"]["progressToken"] == "p"), "{progress:?}");
    let id = session.begin("ping", json!({}));
    assert!(session.notifications_until(id).0.is_empty());
}

#[test]
fn a_server_that_is_killed_leaves_no_container() {
    let Some(image) = provided("REPOLAB_TEST_IMAGE") else { return };
    let place = place();
    let mut session = Session::initialized_with(&place, &["--image", &image]);
    let arguments = json!({ "repo": "sample", "command": "sleep 600", "timeout_seconds": 900 });
    session.begin("tools/call", json!({ "name": "run_in_sandbox", "arguments": arguments }));
    let owner = session.process_id();
    wait_until(|| !running(owner).is_empty());
    session.kill();
    wait_until(|| containers(owner).is_empty());
}

/// The containers of a server.
fn containers(owner: u32) -> String {
    docker(&["ps", "-aq", "--filter", &format!("label=repolab.owner={owner}")])
}

/// The payload processes in the containers of a server.
fn running(owner: u32) -> Vec<String> {
    let ids = containers(owner);
    let tops = ids.lines().map(|id| docker(&["top", id, "-eo", "pid,args"]));
    tops.filter(|top| top.contains("sleep 600")).collect()
}
