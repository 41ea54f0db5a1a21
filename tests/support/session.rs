//! A conversation with `repolab serve` in raw JSON lines, as close to the wire as a test can be.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::Place;

/// What a client of the stateless era sends along with every request.
pub(crate) fn modern(parameters: Value) -> Value {
    modern_with(parameters, json!({}))
}

/// The same for a client that can do more.
pub(crate) fn modern_with(mut parameters: Value, capabilities: Value) -> Value {
    parameters["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
    parameters["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    parameters["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({ "name": "test", "version": "1" });
    parameters
}

/// A running server.
pub(crate) struct Session {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next_id: u64,
}

impl Session {
    /// Starts a server and leaves the handshake to the caller.
    pub(crate) fn start(place: &Place) -> Self {
        Self::start_with(place, &[])
    }

    /// Starts a server with flags and leaves the handshake to the caller.
    pub(crate) fn start_with(place: &Place, flags: &[&str]) -> Self {
        let mut command = place.command(["serve"]);
        command.args(flags);
        Self::spawn(command)
    }

    /// Starts any command that ends in a server, in the environment that a client would give it.
    #[expect(clippy::disallowed_methods, reason = "a client starts what its file says")]
    pub(crate) fn of_command(place: &Place, words: &[String]) -> Self {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).env_clear().env("HOME", place.folder()).env("PATH", lent_path());
        Self::spawn(command)
    }

    fn spawn(mut command: Command) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, input, output, next_id: 1 }
    }

    /// Starts a server and shakes hands in the era before 2026-07-28.
    pub(crate) fn initialized(place: &Place) -> Self {
        Self::initialized_with(place, &[])
    }

    /// The same with flags for the server.
    pub(crate) fn initialized_with(place: &Place, flags: &[&str]) -> Self {
        let mut session = Self::start_with(place, flags);
        session.initialize();
        session
    }

    /// Shakes hands in the era before 2026-07-28; the server's answer.
    pub(crate) fn initialize(&mut self) -> Value {
        let client = json!({ "name": "test", "version": "1" });
        let answer = self.request(
            "initialize",
            json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client }),
        );
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        answer
    }

    /// Sends one line as it is.
    pub(crate) fn send(&mut self, line: &str) {
        let input = self.input.as_mut().expect("standard input is open");
        writeln!(input, "{line}").unwrap();
        input.flush().unwrap();
    }

    /// Sends a request without waiting; its id.
    pub(crate) fn begin(&mut self, method: &str, parameters: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }).to_string());
        id
    }

    /// Sends a request and returns the whole response.
    pub(crate) fn request(&mut self, method: &str, parameters: Value) -> Value {
        let id = self.begin(method, parameters);
        self.response(id)
    }

    /// The response to a request; every line on the way must be JSON-RPC.
    pub(crate) fn response(&mut self, id: u64) -> Value {
        self.responses(&[id]).remove(&id).unwrap()
    }

    /// The next response, whichever request it answers.
    pub(crate) fn next_response(&mut self) -> (u64, Value) {
        loop {
            let message = self.message();
            if let Some(id) = message["id"].as_u64() {
                return (id, message);
            }
        }
    }

    /// The notifications up to a response, and the response.
    pub(crate) fn notifications_until(&mut self, id: u64) -> (Vec<Value>, Value) {
        let mut seen = Vec::new();
        loop {
            let message = self.message();
            if message["id"] == id {
                return (seen, message);
            }
            seen.push(message);
        }
    }

    /// The responses to several requests, in whatever order they come.
    pub(crate) fn responses(&mut self, ids: &[u64]) -> HashMap<u64, Value> {
        let mut found = HashMap::new();
        while found.len() < ids.len() {
            let message = self.message();
            if let Some(id) = message["id"].as_u64().filter(|id| ids.contains(id)) {
                found.insert(id, message);
            }
        }
        found
    }

    fn message(&mut self) -> Value {
        let mut line = String::new();
        assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the server closed its output");
        let message: Value =
            serde_json::from_str(&line).unwrap_or_else(|_| panic!("not the protocol: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "not the protocol: {line}");
        message
    }

    /// Calls a tool and returns its result.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments }))["result"].take()
    }

    /// The process id.
    pub(crate) fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// Closes standard input.
    pub(crate) fn end_input(&mut self) {
        drop(self.input.take());
    }

    /// Closes standard input and waits for the end; its exit code.
    pub(crate) fn close(mut self) -> Option<i32> {
        self.end_input();
        self.wait()
    }

    /// Waits for the end; its exit code.
    pub(crate) fn wait(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }

    /// Asks the server to end, as a service manager does.
    pub(crate) fn terminate(&self) {
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    }

    /// Ends the server without asking.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
    }
}

#[expect(clippy::disallowed_methods, reason = "programs are found where the tests find them")]
fn lent_path() -> String {
    std::env::var("PATH").unwrap_or_default()
}

impl Drop for Session {
    fn drop(&mut self) {
        // The server ends at the end of its input; killing is for a test that fails half-way.
        drop(self.input.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
