//! How much is served at once, and how long a client may take.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use serde_json::json;

use super::served::{Answer, Served, modern, modern_headers, rest, sandbox};
use crate::support::{provided, wait_until};

const NEVER_ENDING: &str = "sleep 600";

#[test]
fn a_giant_is_refused_before_it_is_sent() {
    let served = Served::limited("request_bytes = 1000");
    let answer = rest(served.raw(&(served.head(&[]) + "Content-Length: 1000000000000\r\n\r\n")));
    assert!(answer.starts_with("HTTP/1.1 413") && answer.contains("1000 bytes"), "{answer}");
}

#[test]
fn a_giant_that_does_not_say_so_is_refused_while_it_is_sent() {
    let served = Served::limited("request_bytes = 1000");
    let mut stream = served.raw(&(served.head(&[]) + "Transfer-Encoding: chunked\r\n\r\n"));
    for _ in 0..3 {
        // The server may have hung up already.
        let _ = stream.write_all(format!("200\r\n{}\r\n", "x".repeat(0x200)).as_bytes());
    }
    let answer = rest(stream);
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    served.modern("tools/list", json!({})).result();
}

#[test]
fn who_asks_too_often_is_told_when_to_come_back() {
    let served = Served::limited("requests_per_second = 1");
    let answers: Vec<Answer> = (0..20).map(|_| served.modern("tools/list", json!({}))).collect();
    assert_eq!(answers[0].status, 200);
    let refused = answers.iter().find(|answer| answer.status == 429).expect("twenty at once are too many");
    assert_eq!(refused.header("retry-after"), "1");
    assert_eq!(served.get("/health", &[]).status, 200);
    wait_until(|| served.modern("tools/list", json!({})).status == 200);
}

#[test]
fn requests_beyond_the_limit_are_refused_until_one_is_answered() {
    let Some(image) = provided("REPOLAB_TEST_IMAGE") else { return };
    let served = Served::running(&image, "concurrent_requests = 1");
    let session = served.session();
    let call = modern("tools/call", sandbox(NEVER_ENDING));
    let stream = served.begin(&modern_headers(&call), &call);
    wait_until(|| served.runs(NEVER_ENDING));
    let refused = served.modern("tools/list", json!({}));
    assert_eq!((refused.status, refused.header("retry-after")), (503, "1"));
    assert_eq!(served.ping(&session), 503);
    assert_eq!(served.get("/health", &[]).status, 200);
    drop(stream);
    wait_until(|| served.modern("tools/list", json!({})).status == 200);
}

#[test]
fn connections_beyond_the_limit_are_turned_away_until_one_closes() {
    let served = Served::limited("connections = 1");
    let health = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let mut first = served.raw(health);
    let mut answer = [0; 12];
    first.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200");
    // Nothing is sent, because bytes that are never read would reset the connection.
    let second = rest(served.raw(""));
    assert!(second.starts_with("HTTP/1.1 503") && second.contains("Retry-After: 1"), "{second}");
    drop(first);
    wait_until(|| {
        rest(served.raw("GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
            .starts_with("HTTP/1.1 200")
    });
}

#[test]
fn a_client_that_dawdles_is_hung_up_on_and_keeps_nobody_waiting() {
    let served = Served::limited("read_timeout_seconds = 1\nconcurrent_requests = 1");
    let started = Instant::now();
    let half_a_head = served.raw("POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
    let silent = served.raw("");
    let half_a_body = served.raw(&(served.head(&[]) + "Content-Length: 100\r\n\r\n{\"jsonrpc\""));
    served.modern("tools/list", json!({})).result();
    let answer = rest(half_a_body);
    assert!(answer.starts_with("HTTP/1.1 408") && answer.contains("connection: close"), "{answer}");
    for stream in [half_a_head, silent] {
        let answer = rest(stream);
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{answer}");
    }
    // Far beyond the limit, and below what the HTTP library would allow by itself.
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_head_without_end_is_refused() {
    let served = Served::plain();
    let mut stream = served.raw("POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Long: ");
    for _ in 0..64 {
        // The server may have hung up already.
        let _ = stream.write_all(&[b'x'; 1 << 10]);
    }
    let answer = rest(stream);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431"), "{answer}");
    assert_eq!(served.get("/health", &[]).status, 200);
}
