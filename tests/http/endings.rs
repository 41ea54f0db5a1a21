//! Ends that nobody planned: the client hangs up, or the server is told to end, while a command runs.

use serde_json::json;

use super::served::{Served, modern, modern_headers, request, rest, sandbox};
use crate::support::{docker, provided, wait_until};

const NEVER_ENDING: &str = "sleep 600";

#[test]
fn in_the_newer_era_hanging_up_cancels_the_call() {
    let Some(image) = provided("REPOLAB_TEST_IMAGE") else { return };
    let served = Served::running(&image, "");
    let call = modern("tools/call", sandbox(NEVER_ENDING));
    let stream = served.begin(&modern_headers(&call), &call);
    wait_until(|| served.runs(NEVER_ENDING));
    drop(stream);
    wait_until(|| !served.runs(NEVER_ENDING));
    served.modern("tools/list", json!({})).result();
}

#[test]
fn a_server_that_ends_lets_a_short_call_finish() {
    let Some(image) = provided("REPOLAB_TEST_IMAGE") else { return };
    let mut served = Served::running(&image, "shutdown_grace_seconds = 30");
    let call = modern("tools/call", sandbox("sleep 3; echo finished"));
    let stream = served.begin(&modern_headers(&call), &call);
    wait_until(|| served.runs("sleep 3"));
    served.server.terminate();
    let answer = rest(stream);
    assert!(answer.contains("finished"), "{answer}");
    assert_eq!(served.server.wait(), Some(0));
}

#[test]
fn a_server_that_ends_takes_its_containers_along() {
    let Some(image) = provided("REPOLAB_TEST_IMAGE") else { return };
    let mut served = Served::running(&image, "shutdown_grace_seconds = 1");
    let session = served.session();
    let call = modern("tools/call", sandbox(NEVER_ENDING));
    let streams = [
        served.begin(&modern_headers(&call), &call),
        served.begin(&[("mcp-session-id", &session)], &request(7, "tools/call", sandbox("sleep 601"))),
    ];
    wait_until(|| served.runs(NEVER_ENDING) && served.runs("sleep 601"));
    let filter = format!("label=repolab.owner={}", served.server.process_id());
    served.server.terminate();
    assert_eq!(served.server.wait(), Some(0));
    wait_until(|| docker(&["ps", "-aq", "--filter", &filter]).is_empty());
    drop(streams);
}

#[test]
fn a_server_that_nobody_talks_to_ends_at_once() {
    let mut served = Served::limited("shutdown_grace_seconds = 600");
    let session = served.session();
    let listening = [("accept", "text/event-stream"), ("mcp-session-id", session.as_str())];
    let head = listening.map(|(name, value)| format!("{name}: {value}\r\n")).concat();
    // A stream that only listens never ends by itself, and is nothing to wait for.
    let stream = served.raw(&format!("GET /mcp HTTP/1.1\r\nHost: localhost\r\n{head}\r\n"));
    served.server.terminate();
    assert_eq!(served.server.wait(), Some(0));
    drop(stream);
}
