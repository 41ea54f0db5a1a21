//! The log on standard error: where an operator finds a call again by the caller's trace.

use std::io::{Read, Write};
use std::process::Stdio;

use serde_json::json;

use crate::support::{Place, modern};

#[test]
fn a_call_is_logged_with_the_callers_trace_and_cannot_forge_a_line() {
    let place = Place::new().with_repository("sample", &[("a.py", "x = 1\n")]);
    let trace = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
    let request = |id: u32, traceparent: &str| {
        let mut parameters =
            json!({ "name": "read_file", "arguments": { "repo": "sample", "path": "a.py" } });
        parameters["_meta"] = json!({ "traceparent": traceparent });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": modern(parameters) })
            .to_string()
    };
    let mut child = place
        .command(["serve", "-v"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "{}", request(1, trace)).unwrap();
    writeln!(input, "{}", request(2, "x\n2026-01-01 forged line")).unwrap();
    drop(input);
    let mut log = String::new();
    child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    assert!(child.wait().unwrap().success());
    let line = log.lines().find(|line| line.contains(trace)).unwrap_or_else(|| panic!("{log}"));
    for part in ["read_file", "request=1", "answered", "failed=false"] {
        assert!(line.contains(part), "{part} is not in {line}");
    }
    assert!(!log.lines().any(|line| line.starts_with("2026-01-01 forged")), "{log}");
}
