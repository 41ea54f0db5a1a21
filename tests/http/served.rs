//! A `repolab serve --http` with a client of both eras, and raw bytes where a test sends what no client would.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::listening::Listening;
use crate::support::{Place, docker};

/// The token of servers that have one.
pub(super) const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// Where the protocol is.
pub(super) const ENDPOINT: &str = "/mcp";

// Only keeps a failing test from hanging.
const AT_MOST: Duration = Duration::from_secs(60);

/// How a server is started.
#[derive(Default)]
pub(super) struct Setup<'a> {
    /// Keys of the section `[http]`.
    pub(super) limits: &'a str,
    /// Flags beyond `--http`.
    pub(super) flags: &'a [&'a str],
    /// The value of the variable.
    pub(super) token: Option<&'a str>,
}

/// A running server.
pub(super) struct Served {
    // The folder goes when this is dropped.
    _place: Place,
    /// The process.
    pub(super) server: Listening,
    agent: ureq::Agent,
}

/// What came back.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: ureq::http::HeaderMap,
    pub(super) body: String,
}

impl Setup<'_> {
    /// A server with a small repository in it.
    pub(super) fn serve(self) -> Served {
        let place = Place::new().with_repository("sample", &[("a.py", "def answer():\n    return 42\n")]);
        let server = Listening::start(self.command(&place, "127.0.0.1:0"));
        let agent = ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(AT_MOST));
        Served { _place: place, server, agent: agent.build().into() }
    }

    /// The command of a server on an address.
    pub(super) fn command(&self, place: &Place, address: &str) -> Command {
        place.write("repolab.toml", format!("[http]\n{}", self.limits));
        let mut command = place.command(["serve", "--http", address]);
        command.args(self.flags);
        if let Some(token) = self.token {
            command.env("REPOLAB_HTTP_TOKEN", token);
        }
        command
    }
}

impl Served {
    /// One with every default.
    pub(super) fn plain() -> Self {
        Setup::default().serve()
    }

    /// One with limits.
    pub(super) fn limited(limits: &str) -> Self {
        Setup { limits, ..Setup::default() }.serve()
    }

    /// One with limits that runs commands in containers of an image.
    pub(super) fn running(image: &str, limits: &str) -> Self {
        Setup { limits, flags: &["--image", image], ..Setup::default() }.serve()
    }

    /// `HOST:PORT` of the server.
    pub(super) fn address(&self) -> &str {
        self.server.url().trim_start_matches("http://").trim_end_matches(ENDPOINT)
    }

    /// Asks for a path.
    pub(super) fn get(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        let request = self.agent.get(format!("http://{}{path}", self.address()));
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        Answer::of(request.call())
    }

    /// Ends a session.
    pub(super) fn delete(&self, session: &str) -> Answer {
        Answer::of(self.agent.delete(self.server.url()).header("mcp-session-id", session).call())
    }

    /// Sends a message with further headers.
    pub(super) fn post(&self, headers: &[(&str, &str)], message: &Value) -> Answer {
        let request = self
            .agent
            .post(self.server.url())
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        Answer::of(request.send(message.to_string()))
    }

    /// A request of the era of 2026-07-28.
    pub(super) fn modern(&self, method: &str, parameters: Value) -> Answer {
        self.modern_with(&[], method, parameters)
    }

    /// The same with further headers.
    pub(super) fn modern_with(&self, headers: &[(&str, &str)], method: &str, parameters: Value) -> Answer {
        let message = modern(method, parameters);
        let own = modern_headers(&message);
        self.post(&[&own, headers].concat(), &message)
    }

    /// Shakes hands in the older era; the session.
    #[track_caller]
    pub(super) fn session(&self) -> String {
        let answer = self.initialize();
        assert_eq!(answer.status, 200, "{answer:?}");
        let session = answer.headers["mcp-session-id"].to_str().unwrap().to_owned();
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(self.in_session(&session, &initialized).status, 202);
        session
    }

    /// The first request of the older era.
    pub(super) fn initialize(&self) -> Answer {
        let client = json!({ "name": "test", "version": "1" });
        let parameters = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        self.post(&[], &request(1, "initialize", parameters))
    }

    /// Sends a message in a session.
    pub(super) fn in_session(&self, session: &str, message: &Value) -> Answer {
        self.post(&[("mcp-session-id", session), ("mcp-protocol-version", "2025-11-25")], message)
    }

    /// Whether a session answers.
    pub(super) fn ping(&self, session: &str) -> u16 {
        self.in_session(session, &request(2, "ping", json!({}))).status
    }

    /// Opens a connection and sends bytes.
    pub(super) fn raw(&self, bytes: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        stream.set_read_timeout(Some(AT_MOST)).unwrap();
        stream.write_all(bytes.as_bytes()).unwrap();
        stream
    }

    /// Opens a connection and sends a message, without waiting for an answer.
    pub(super) fn begin(&self, headers: &[(&str, &str)], message: &Value) -> TcpStream {
        let (body, mut head) = (message.to_string(), self.head(headers));
        head += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        self.raw(&head)
    }

    /// The head of a message without its end.
    pub(super) fn head(&self, headers: &[(&str, &str)]) -> String {
        let mut head = format!(
            "POST {ENDPOINT} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n",
            self.address()
        );
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        head
    }

    /// The containers of the server.
    pub(super) fn containers(&self) -> String {
        docker(&["ps", "-aq", "--filter", &format!("label=repolab.owner={}", self.server.process_id())])
    }

    /// Whether a command with these words runs in one of them.
    pub(super) fn runs(&self, words: &str) -> bool {
        self.containers().lines().any(|id| docker(&["top", id, "-eo", "pid,args"]).contains(words))
    }
}

impl Answer {
    #[track_caller]
    fn of(response: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Self {
        let (head, mut body) = response.unwrap().into_parts();
        Self { status: head.status.as_u16(), headers: head.headers, body: body.read_to_string().unwrap() }
    }

    /// The JSON-RPC answer in it, whether it came alone or as the last event of a stream.
    #[track_caller]
    pub(super) fn message(&self) -> Value {
        let event = self.body.lines().filter_map(|line| line.strip_prefix("data:")).next_back();
        serde_json::from_str(event.unwrap_or(&self.body)).unwrap_or_else(|_| panic!("no message: {self:?}"))
    }

    /// The result in it.
    #[track_caller]
    pub(super) fn result(&self) -> Value {
        let mut message = self.message();
        assert!(self.status == 200 && message["result"].is_object(), "{self:?}");
        message["result"].take()
    }

    /// A header, or nothing.
    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// A request as both eras write it.
pub(super) fn request(id: u64, method: &str, parameters: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters })
}

/// A call of the sandbox.
pub(super) fn sandbox(command: &str) -> Value {
    let arguments = json!({ "repo": "sample", "command": command, "timeout_seconds": 900 });
    json!({ "name": "run_in_sandbox", "arguments": arguments })
}

/// A request with what the era of 2026-07-28 sends along.
pub(super) fn modern(method: &str, mut parameters: Value) -> Value {
    parameters["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
    });
    request(1, method, parameters)
}

/// The headers of such a request.
pub(super) fn modern_headers(message: &Value) -> Vec<(&str, &str)> {
    let mut headers = vec![("mcp-protocol-version", "2026-07-28")];
    headers.extend(message["method"].as_str().map(|method| ("mcp-method", method)));
    headers.extend(message["params"]["name"].as_str().map(|name| ("mcp-name", name)));
    headers
}

/// Everything until the server closes the connection.
pub(super) fn rest(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    // A server that refuses a body it has not read may reset the connection behind its answer.
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}
