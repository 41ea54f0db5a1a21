//! The sessions of the era before 2026-07-28: how many there are, how long they last, and that each is its client's own.

use std::io::{BufRead, BufReader};
use std::time::Duration;

use serde_json::json;

use super::served::{ENDPOINT, Served, request, sandbox};
use crate::support::{provided, wait_until};

const NEVER_ENDING: &str = "sleep 600";

#[test]
fn the_session_idle_longest_makes_room_for_a_new_one() {
    let served = Served::limited("sessions = 2");
    let (first, second) = (served.session(), served.session());
    assert_eq!(served.ping(&first), 200);
    let third = served.session();
    assert_eq!([&first, &second, &third].map(|session| served.ping(session)), [200, 404, 200]);
}

#[test]
fn a_session_that_is_idle_goes() {
    let served = Served::limited("session_idle_seconds = 1");
    let session = served.session();
    wait_until(|| {
        // To ask is to use it, so asking must be rarer than the limit.
        std::thread::sleep(Duration::from_secs(3));
        served.ping(&session) == 404
    });
}

#[test]
fn a_session_ends_when_its_client_says_so() {
    let served = Served::plain();
    let (one, other) = (served.session(), served.session());
    assert!(served.delete(&one).status < 300);
    assert_eq!((served.ping(&one), served.ping(&other)), (404, 200));
}

#[test]
fn a_session_nobody_was_given_is_unknown() {
    let served = Served::plain();
    let own = served.session();
    let mut guess = own.clone();
    let last = if guess.pop() == Some('0') { '1' } else { '0' };
    guess.push(last);
    for session in [guess.as_str(), "1", "../health"] {
        assert_eq!(served.ping(session), 404, "{session}");
        served.delete(session);
    }
    assert_eq!(served.ping(&own), 200);
}

#[test]
fn a_busy_session_neither_goes_nor_makes_room() {
    let Some(image) = provided("REPOLAB_TEST_IMAGE") else { return };
    let served = Served::running(&image, "sessions = 1\nsession_idle_seconds = 1");
    let session = served.session();
    let call = request(7, "tools/call", sandbox("sleep 5; echo awake"));
    let stream = served.begin(&[("mcp-session-id", &session), ("connection", "close")], &call);
    wait_until(|| served.runs("sleep 5"));
    let refused = served.initialize();
    assert_eq!((refused.status, refused.header("retry-after")), (503, "1"), "{refused:?}");
    assert!(super::served::rest(stream).contains("awake"));
}

#[test]
fn one_client_cannot_cancel_what_another_runs() {
    let Some(image) = provided("REPOLAB_TEST_IMAGE") else { return };
    let served = Served::running(&image, "");
    let (owner, stranger) = (served.session(), served.session());
    let stream =
        served.begin(&[("mcp-session-id", &owner)], &request(7, "tools/call", sandbox(NEVER_ENDING)));
    wait_until(|| served.runs(NEVER_ENDING));
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 7 } });
    assert_eq!(served.in_session(&stranger, &cancel).status, 202);
    // What was cancelled by mistake would be gone by the time of two more answers and this pause.
    assert_eq!((served.ping(&stranger), served.ping(&owner)), (200, 200));
    std::thread::sleep(Duration::from_secs(2));
    assert!(served.runs(NEVER_ENDING));
    assert_eq!(served.in_session(&owner, &cancel).status, 202);
    wait_until(|| !served.runs(NEVER_ENDING));
    drop(stream);
}

#[test]
fn a_client_that_lost_its_connection_gets_the_answer_when_it_comes_back() {
    let Some(image) = provided("REPOLAB_TEST_IMAGE") else { return };
    let served = Served::running(&image, "");
    let session = served.session();
    let call = request(7, "tools/call", sandbox("sleep 3; echo came back"));
    let stream = served.begin(&[("mcp-session-id", &session)], &call);
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let event = lines.find_map(|line| line.strip_prefix("id:").map(|id| id.trim().to_owned())).unwrap();
    drop(lines);
    let again = [("accept", "text/event-stream"), ("mcp-session-id", &session), ("last-event-id", &event)];
    let answer = served.get(ENDPOINT, &again);
    assert_eq!(answer.message()["id"], 7);
    assert!(answer.body.contains("came back"), "{answer:?}");
}

#[test]
fn a_client_that_does_not_come_back_leaves_nothing_running() {
    let Some(image) = provided("REPOLAB_TEST_IMAGE") else { return };
    let served = Served::running(&image, "abandoned_seconds = 1");
    let session = served.session();
    let stream =
        served.begin(&[("mcp-session-id", &session)], &request(7, "tools/call", sandbox(NEVER_ENDING)));
    wait_until(|| served.runs(NEVER_ENDING));
    drop(stream);
    wait_until(|| !served.runs(NEVER_ENDING));
    assert_eq!(served.ping(&session), 200);
}
