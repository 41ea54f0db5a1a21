//! Who may come in: the address that is bound, `Host` and `Origin`, and the token.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use serde_json::json;

use super::served::{ENDPOINT, Served, Setup, TOKEN, rest};
use crate::support::listening::Listening;
use crate::support::{Place, Ran};

/// The status of a request with this token or none.
fn with_authorization(served: &Served, value: Option<&str>) -> super::served::Answer {
    let headers: Vec<(&str, &str)> = value.map(|value| ("authorization", value)).into_iter().collect();
    served.modern_with(&headers, "tools/list", json!({}))
}

#[test]
fn a_name_that_is_not_the_servers_is_refused() {
    let served = Served::plain();
    for (path, hosts, accepted) in [
        ("/health", "Host: localhost", true),
        ("/health", "Host: evil.example.com", false),
        (ENDPOINT, "Host: evil.example.com", false),
        (ENDPOINT, "Host: localhost.evil.example.com:80", false),
        ("/health", "Host: localhost\r\nHost: evil.example.com", false),
        ("/health", "X-Forwarded-Host: localhost", false),
        ("http://evil.example.com/health", "Host: localhost", false),
    ] {
        let answer =
            rest(served.raw(&format!("GET {path} HTTP/1.1\r\n{hosts}\r\nConnection: close\r\n\r\n")));
        let status = if accepted { "HTTP/1.1 200" } else { "HTTP/1.1 403" };
        assert!(answer.starts_with(status), "{path} {hosts}\n{answer}");
    }
}

#[test]
fn a_name_that_was_allowed_is_served() {
    let served = Setup { flags: &["--allow-host", "lab.example.com"], ..Setup::default() }.serve();
    let ask = |host: &str| {
        rest(served.raw(&format!("GET /health HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")))
    };
    assert!(ask("lab.example.com:8443").starts_with("HTTP/1.1 200"));
    let refused = ask("other.example.com");
    assert!(refused.starts_with("HTTP/1.1 403") && refused.contains("--allow-host"), "{refused}");
}

#[test]
fn a_web_page_of_elsewhere_is_refused() {
    let served = Setup { flags: &["--allow-origin", "https://app.example.com"], ..Setup::default() }.serve();
    for (origin, status) in [
        ("https://evil.example.com", 403),
        ("null", 403),
        ("http://app.example.com", 403),
        ("https://app.example.com.evil.example.com", 403),
        ("https://app.example.com", 200),
        ("http://localhost:6274", 200),
    ] {
        let answer = served.modern_with(&[("origin", origin)], "tools/list", json!({}));
        assert_eq!(answer.status, status, "{origin}: {answer:?}");
    }
}

#[test]
fn a_web_page_that_may_ask_can_read_the_answer() {
    let (origin, flags) = ("https://app.example.com", ["--allow-origin", "https://app.example.com"]);
    let served = Setup { flags: &flags, token: Some(TOKEN), ..Setup::default() }.serve();
    let ask_first = |origin: &str| {
        rest(served.raw(&format!(
            "OPTIONS {ENDPOINT} HTTP/1.1\r\nHost: localhost\r\nOrigin: {origin}\r\nConnection: close\r\n\
             Access-Control-Request-Method: POST\r\n\
             Access-Control-Request-Headers: authorization,content-type,mcp-protocol-version\r\n\r\n"
        )))
    };
    let promised = ask_first(origin);
    assert!(promised.starts_with("HTTP/1.1 200"), "{promised}");
    assert!(promised.contains(&format!("access-control-allow-origin: {origin}\r\n")), "{promised}");
    assert!(promised.contains("authorization,content-type,mcp-protocol-version"), "{promised}");
    let refused = ask_first("https://evil.example.com");
    assert!(refused.starts_with("HTTP/1.1 403") && !refused.contains("access-control"), "{refused}");
    let authorization = format!("Bearer {TOKEN}");
    let answer =
        served.modern_with(&[("origin", origin), ("authorization", &authorization)], "tools/list", json!({}));
    answer.result();
    assert_eq!(answer.header("access-control-allow-origin"), origin);
    assert!(answer.header("access-control-expose-headers").contains("mcp-session-id"));
}

#[test]
fn only_who_has_the_token_comes_in() {
    let served = Setup { token: Some(TOKEN), ..Setup::default() }.serve();
    let lower = format!("bearer {TOKEN}");
    let right = format!("Bearer {TOKEN}");
    for accepted in [&right, &lower] {
        with_authorization(&served, Some(accepted)).result();
    }
    let longer = format!("{right}0");
    for refused in [&longer, "Bearer", "Bearer ", "Basic dXNlcjpwYXNz", TOKEN, &right[..right.len() - 1]] {
        let answer = with_authorization(&served, Some(refused));
        assert_eq!(answer.status, 401, "{refused}");
        assert!(answer.header("www-authenticate").starts_with("Bearer realm=\"repolab\""), "{answer:?}");
        assert!(!answer.body.contains(TOKEN));
    }
    let wrong = with_authorization(&served, Some("Bearer 00000000000000000000000000000000"));
    assert!(wrong.header("www-authenticate").contains("invalid_token"), "{wrong:?}");
    let none = with_authorization(&served, None);
    assert_eq!((none.status, none.header("www-authenticate")), (401, "Bearer realm=\"repolab\""));
    // Addresses end up in logs and histories, so a token in one is not looked at.
    assert_eq!(served.get(&format!("{ENDPOINT}?access_token={TOKEN}"), &[]).status, 401);
    assert_eq!(served.get("/health", &[]).status, 200, "a sign of life tells nothing");
}

#[test]
fn a_refusal_reaches_a_client_that_still_writes() {
    let served = Setup { token: Some(TOKEN), ..Setup::default() }.serve();
    let mut stream = served.raw(&(served.head(&[]) + "Content-Length: 2\r\n\r\n"));
    // By now, a server that does not wait for the body has answered and closed.
    std::thread::sleep(Duration::from_millis(300));
    stream.write_all(b"{}").unwrap();
    // The connection lives on, so a request behind the refused one is answered too.
    stream.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    let answers = rest(stream);
    assert!(answers.starts_with("HTTP/1.1 401") && answers.contains("HTTP/1.1 200"), "{answers}");
}

#[test]
fn a_token_file_must_be_its_owners_alone() {
    let place = Place::new();
    let path = place.write("token", format!("{TOKEN}\n"));
    let file = path.to_str().unwrap();
    let setup = Setup { flags: &["--token-file", file], ..Setup::default() };
    set_mode(&path, 0o640);
    let refused = Ran::of(setup.command(&place, "127.0.0.1:0")).code(1);
    assert!(refused.stderr().contains(&format!("chmod 600 {file}")), "{}", refused.transcript());
    set_mode(&path, 0o600);
    let served = setup.serve();
    with_authorization(&served, Some(&format!("Bearer {TOKEN}"))).result();
    assert_eq!(with_authorization(&served, None).status, 401);
}

#[test]
fn a_token_that_can_be_guessed_is_refused() {
    let place = Place::new();
    for weak in ["secret", "0123456789 abcdef"] {
        let setup = Setup { token: Some(weak), ..Setup::default() };
        let refused = Ran::of(setup.command(&place, "127.0.0.1:0")).code(1);
        assert!(refused.stderr().contains("at least 16"), "{}", refused.transcript());
        assert!(!refused.stderr().contains(weak), "{}", refused.transcript());
    }
}

#[test]
fn other_machines_are_served_only_with_a_token() {
    let place = Place::new();
    for address in ["0.0.0.0:0", "[::]:0"] {
        let refused = Ran::of(Setup::default().command(&place, address)).code(1);
        assert!(refused.stderr().contains("REPOLAB_HTTP_TOKEN"), "{}", refused.transcript());
    }
    let guarded = Setup { token: Some(TOKEN), ..Setup::default() };
    let server = Listening::start(guarded.command(&place, "0.0.0.0:0"));
    assert!(server.url().starts_with("http://0.0.0.0:"), "{}", server.url());
}

fn set_mode(path: &Path, mode: u32) {
    fs_err::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}
