//! The server over HTTP, as a careful client, a careless one and an attacker meet it: every protection has a test that
//! fails without it, and both eras work behind them.

mod admission;
mod endings;
mod limits;
mod served;
mod sessions;

use serde_json::json;

use self::served::{ENDPOINT, Served, request};

#[test]
fn both_eras_list_and_call_tools_on_one_address() {
    let served = Served::plain();
    let session = served.session();
    let read = json!({ "name": "read_file", "arguments": { "repo": "sample", "path": "a.py" } });
    for (listed, called) in [
        (
            served.in_session(&session, &request(2, "tools/list", json!({}))),
            served.in_session(&session, &request(3, "tools/call", read.clone())),
        ),
        (served.modern("tools/list", json!({})), served.modern("tools/call", read)),
    ] {
        assert!(listed.result()["tools"].as_array().unwrap().iter().any(|tool| tool["name"] == "read_file"));
        assert_eq!(called.result()["structuredContent"]["total_lines"], 2);
    }
    assert!(served.modern("server/discover", json!({})).result()["supportedVersions"].is_array());
}

#[test]
fn a_sign_of_life_needs_no_protocol() {
    let answer = Served::plain().get("/health", &[]);
    assert_eq!((answer.status, answer.body.as_str()), (200, "ok\n"));
}

#[test]
fn listening_needs_a_session_in_the_older_era_and_is_gone_in_the_newer() {
    let served = Served::plain();
    let listen = ("accept", "text/event-stream");
    assert_eq!(served.get(ENDPOINT, &[listen]).status, 400);
    assert_eq!(served.get(ENDPOINT, &[listen, ("mcp-session-id", "unknown")]).status, 404);
    assert_eq!(served.get(ENDPOINT, &[]).status, 406);
    let newer = served.get(ENDPOINT, &[listen, ("mcp-protocol-version", "2026-07-28")]);
    assert_eq!((newer.status, newer.header("allow")), (405, "POST"));
}

#[test]
fn what_is_no_message_is_refused_and_the_next_one_answered() {
    let served = Served::plain();
    let plain = served.head(&[]).replace("application/json\r\nAccept", "text/plain\r\nAccept");
    for (bytes, status) in [
        (served.head(&[]) + "Connection: close\r\nContent-Length: 9\r\n\r\n{\"jsonrpc", "HTTP/1.1 4"),
        (plain + "Connection: close\r\nContent-Length: 2\r\n\r\n{}", "HTTP/1.1 415"),
        ("NONSENSE\r\n\r\n".to_owned(), "HTTP/1.1 400"),
    ] {
        let answer = served::rest(served.raw(&bytes));
        assert!(answer.starts_with(status), "{bytes}\n{answer}");
    }
    assert_eq!(served.get("/elsewhere", &[]).status, 404);
    served.modern("tools/list", json!({})).result();
}
