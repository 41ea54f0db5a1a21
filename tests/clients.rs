//! Real clients that are not ours list and call every tool, over stdio and over HTTP. CI installs them into the folder
//! REPOLAB_TEST_CLIENTS with `.ci/test-clients`; a person may not have them.

mod contract;
mod inspector;
mod served;

use std::process::Command;

use serde_json::Value;

use self::served::Served;
use crate::support::Ran;

#[test]
fn the_python_sdk_uses_everything() {
    with(Served::over_stdio, python_sdk);
}

#[test]
fn the_python_sdk_uses_everything_over_http() {
    with(Served::over_http, python_sdk);
}

#[test]
fn the_python_sdk_of_before_uses_everything() {
    with(Served::over_stdio, python_sdk_1);
}

#[test]
fn the_python_sdk_of_before_uses_everything_over_http() {
    with(Served::over_http, python_sdk_1);
}

#[test]
fn fastmcp_uses_everything() {
    with(Served::over_stdio, fastmcp);
}

#[test]
fn fastmcp_uses_everything_over_http() {
    with(Served::over_http, fastmcp);
}

#[test]
fn the_typescript_clients_use_everything() {
    with(Served::over_stdio, typescript);
}

#[test]
fn the_typescript_clients_use_everything_over_http() {
    with(Served::over_http, typescript);
}

#[test]
fn the_mcp_inspector_finds_nothing_to_warn_of() {
    with(Served::over_stdio, inspector::lists_and_calls_everything);
}

#[test]
fn the_mcp_inspector_finds_nothing_to_warn_of_over_http() {
    with(Served::over_http, inspector::lists_and_calls_everything);
}

#[test]
fn no_call_fails_under_the_load_of_the_mcp_inspector() {
    with(Served::over_stdio, inspector::bears_load);
}

#[test]
fn no_call_fails_under_the_load_of_the_mcp_inspector_over_http() {
    with(Served::over_http, inspector::bears_load);
}

#[test]
fn the_security_scanner_finds_nothing() {
    with(Served::over_stdio, scanner);
}

#[test]
fn the_security_scanner_finds_nothing_over_http() {
    with(Served::over_http, scanner);
}

fn with(serve: fn() -> Option<Served>, check: fn(&Served)) {
    if let Some(served) = serve() {
        check(&served);
    }
}

fn python_sdk(served: &Served) {
    quietly(served.script("python/bin/python", "python_sdk.py"));
}

fn python_sdk_1(served: &Served) {
    quietly(served.script("python1/bin/python", "python_sdk_1.py"));
}

fn typescript(served: &Served) {
    for script in ["typescript_client.mjs", "typescript_sdk.mjs"] {
        quietly(served.script("node_modules/.bin/node", script));
    }
}

fn fastmcp(served: &Served) {
    quietly(served.script("fastmcp/bin/python", "fastmcp_client.py"));
    let listed = quietly(fastmcp_command(served, &["list", "--json"])).stdout();
    let listed: Value = serde_json::from_str(&listed).unwrap();
    contract::tools(&listed["tools"]);
    let call = |tool: &Value| {
        let (name, arguments) = (tool["name"].as_str().unwrap(), tool["arguments"].to_string());
        fastmcp_command(served, &["call", "--target", name, "--input-json", &arguments])
    };
    assert!(quietly(call(contract::tool("read_file"))).stdout().contains("class LinearModel"));
    Ran::of(call(&contract::CONTRACT["wrong_repository"])).code(1);
}

/// The command line of `FastMCP`.
fn fastmcp_command(served: &Served, arguments: &[&str]) -> Command {
    let mut command = served.client("fastmcp/bin/fastmcp");
    command.args(arguments);
    match served.address() {
        Some(address) => command.args(["--server-spec", address, "--auth", served.token()]),
        None => command.args(["--command", &served.target.join(" ")]),
    };
    command
}

fn scanner(served: &Served) {
    let mut command = served.client("scanner/bin/mcp-scanner");
    command.args(["--analyzers", "yara,schema", "--format", "raw"]);
    if let Some(address) = served.address() {
        command.args(["remote", "--server-url", address, "--bearer-token", served.token()]);
    } else {
        command.args(["stdio", "--stdio-command", &served.target[0]]);
        command.args(served.target[1..].iter().map(|argument| format!("--stdio-arg={argument}")));
    }
    let ran = Ran::of(command).success();
    let report: Value = serde_json::from_str(&ran.stdout()).unwrap();
    let scanned = report["scan_results"].as_array().unwrap();
    assert!(scanned.len() >= 4, "{}", ran.transcript());
    for tool in scanned {
        assert!(tool["status"] == "completed" && tool["is_safe"] == true, "{tool}");
    }
}

/// Insists on success without a complaint of the client or, where the client shows it, of the server.
#[track_caller]
fn quietly(command: Command) -> Ran {
    let ran = Ran::of(command).success();
    let log = ran.stderr().to_lowercase();
    for complaint in ["warn", "unknown format", "traceback", "session termination failed"] {
        assert!(!log.contains(complaint), "{}", ran.transcript());
    }
    ran
}
