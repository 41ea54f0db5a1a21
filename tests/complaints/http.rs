//! What a web page, another client or another machine can reach over HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::support::Place;

const TOKEN: &str = "a-token-of-some-length-3f8c";

/// A server on a free port.
struct Server {
    child: Child,
    address: String,
    _place: Place,
}

/// What came back.
struct Reply {
    status: u16,
    text: String,
}

impl Server {
    fn start(token: Option<&str>) -> Self {
        let place = Place::new().with_repository("sample", &[("a.py", "x = 1\n"), ("b.py", "y = 2\n")]);
        let mut command = place.command(["serve", "--http", "127.0.0.1:0"]);
        command.envs(token.map(|token| ("REPOLAB_HTTP_TOKEN", token)));
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains("http://") {
            line.clear();
            assert_ne!(log.read_line(&mut line).unwrap(), 0, "the server ended before it listened");
        }
        // Read on, so that the server never waits for its log to be taken.
        std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
        let address = line.split("http://").nth(1).unwrap().split('/').next().unwrap().trim().to_owned();
        Self { child, address, _place: place }
    }

    /// Sends a request with the headers of a client, in which `headers` replace those of the same name.
    fn send(&self, method: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let length = body.len().to_string();
        let mut all = vec![
            ("Host", self.address.as_str()),
            ("Accept", "application/json, text/event-stream"),
            ("Content-Type", "application/json"),
            ("Content-Length", &length),
            ("Connection", "close"),
        ];
        all.retain(|(name, _)| headers.iter().all(|(other, _)| !name.eq_ignore_ascii_case(other)));
        all.extend(headers);
        let head: Vec<String> = all.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let head = head.concat();
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(format!("{method} /mcp HTTP/1.1\r\n{head}\r\n{body}").as_bytes()).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let status = text.split(' ').nth(1).and_then(|status| status.parse().ok());
        Reply { status: status.unwrap_or_else(|| panic!("no HTTP: {text}")), text }
    }

    fn initialize(&self, headers: &[(&str, &str)]) -> Reply {
        self.send("POST", headers, &initialize(1).to_string())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn initialize(id: u64) -> Value {
    let client = json!({ "name": "test", "version": "1" });
    let parameters = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    json!({ "jsonrpc": "2.0", "id": id, "method": "initialize", "params": parameters })
}

/// CVE-2025-66414, CVE-2025-66416, CVE-2026-42559
#[test]
fn a_page_that_rebinds_its_name_is_refused() {
    let server = Server::start(None);
    let port = server.address.rsplit(':').next().unwrap();
    for host in [
        "evil.example.com",
        "evil.example.com:80",
        "localhost.evil.example.com",
        "127.0.0.1.evil.example.com",
        "",
    ] {
        for host in [host.to_owned(), format!("{host}:{port}")] {
            let reply = server.initialize(&[("Host", &host)]);
            assert!(matches!(reply.status, 400 | 403 | 421), "{host}: {}", reply.text);
            assert!(!reply.text.contains("serverInfo"), "{host}: {}", reply.text);
        }
    }
    for origin in ["http://evil.example.com", "null", "http://localhost.evil.example.com", "file://"] {
        let reply = server.initialize(&[("Origin", origin)]);
        assert!(reply.status == 403 && !reply.text.contains("serverInfo"), "{origin}: {}", reply.text);
    }
    assert!(server.initialize(&[]).text.contains("serverInfo"));
}

/// CVE-2025-49596
#[test]
fn a_token_is_asked_of_everybody() {
    let server = Server::start(Some(TOKEN));
    let right = format!("Bearer {TOKEN}");
    for wrong in
        ["", "Bearer", "Bearer ", "Bearer wrong", &format!("Basic {TOKEN}"), &format!("{right}x"), TOKEN]
    {
        for method in ["POST", "GET", "DELETE"] {
            let reply = server.send(method, &[("Authorization", wrong)], &initialize(1).to_string());
            assert!(
                reply.status == 401 && !reply.text.contains("serverInfo"),
                "{method} {wrong:?}: {}",
                reply.text
            );
        }
    }
    let inside = server.initialize(&[]);
    assert!(
        inside.status == 401 && inside.text.to_lowercase().contains("www-authenticate"),
        "{}",
        inside.text
    );
    assert!(server.initialize(&[("Authorization", &right)]).text.contains("serverInfo"));
}

/// CVE-2025-49596: what a page may send without asking first must do nothing
#[test]
fn a_page_cannot_call_by_a_simple_request() {
    let server = Server::start(None);
    let body = initialize(1).to_string();
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
        let reply = server.send("POST", &[("Content-Type", kind)], &body);
        assert!(reply.status >= 400 && !reply.text.contains("serverInfo"), "{kind}: {}", reply.text);
    }
}

/// CVE-2025-49596
#[test]
fn other_machines_are_not_served_without_a_token() {
    let place = Place::new();
    for address in ["0.0.0.0:0", "[::]:0"] {
        let ran = place.run(["serve", "--http", address]).code(1);
        assert!(ran.stderr().contains("oken") && ran.stdout().is_empty(), "{}", ran.transcript());
    }
}

/// anthropics/claude-code#39790
#[test]
fn a_get_without_a_session_is_refused_at_once_and_spoils_nothing() {
    let server = Server::start(None);
    for accept in ["text/event-stream", "application/json, text/event-stream", "*/*"] {
        let reply = server.send("GET", &[("Accept", accept)], "");
        assert!((400..500).contains(&reply.status), "{accept}: {}", reply.text);
    }
    assert!(server.initialize(&[]).text.contains("serverInfo"));
}

/// CVE-2026-25536
#[test]
fn clients_with_the_same_numbers_get_their_own_answers() {
    let server = Server::start(None);
    std::thread::scope(|scope| {
        for (path, own, other) in [("a.py", "x = 1", "y = 2"), ("b.py", "y = 2", "x = 1")] {
            let server = &server;
            scope.spawn(move || {
                for _ in 0..50 {
                    let reply = server.send("POST", &MODERN, &read(path));
                    assert!(
                        reply.text.contains(own) && !reply.text.contains(other),
                        "{path}: {}",
                        reply.text
                    );
                }
            });
        }
    });
}

/// What the stateless era says of a call in headers, too.
const MODERN: [(&str, &str); 3] =
    [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", "read_file")];

fn read(path: &str) -> String {
    let arguments = json!({ "repo": "sample", "path": path });
    let parameters = crate::support::modern(json!({ "name": "read_file", "arguments": arguments }));
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters }).to_string()
}
