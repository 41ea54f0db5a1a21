//! The MCP Inspector as a command line, which judges schemas more strictly than any client.

use serde_json::{Value, json};

use super::contract;
use super::served::Served;
use crate::support::Ran;

/// Lists in every era without a warning, calls every tool, and reads what else the server offers.
pub(super) fn lists_and_calls_everything(served: &Served) {
    for era in ["legacy", "modern", "auto"] {
        let ran = inspect(served, &["--method", "tools/list", "--strict", "--protocol-era", era]).success();
        assert!(!ran.stderr().to_lowercase().contains("warning"), "{}", ran.transcript());
    }
    let tools = result(served, &["--method", "tools/list"])["tools"].take();
    for tool in contract::tools(&tools) {
        let ran = call(served, tool, &[]).success();
        assert!(ran.stdout().contains(tool["expected"].as_str().unwrap()), "{}", ran.transcript());
    }
    call(served, &contract::CONTRACT["wrong_repository"], &[]).code(5);
    let offered = result(served, &["--method", "initialize"])["capabilities"].take();
    for (capability, read) in [("resources", resources as fn(&Served)), ("prompts", prompts)] {
        assert!(
            offered.get(capability).is_some() || contract::planned(capability),
            "no {capability}: {offered}"
        );
        if offered.get(capability).is_some() {
            read(served);
        }
    }
}

/// Many calls at once, none of which may fail; what they took is printed for a person, not judged.
#[expect(clippy::print_stderr, reason = "figures are for a person who asks for the test's output")]
pub(super) fn bears_load(served: &Served) {
    for name in ["read_file", "search"] {
        let tool = contract::tool(name);
        let load = ["--load", "--load-requests", "300", "--load-concurrency", "8"];
        let ran = call(served, tool, &load).success();
        let report: Value = serde_json::from_str(&ran.stdout()).unwrap();
        let report = &report["result"];
        let counts = [&report["ok"], &report["toolErrors"], &report["errors"]];
        assert_eq!(json!(counts), json!([300, 0, 0]), "{}", ran.transcript());
        let latency = &report["latencyMs"];
        let (half, most, nearly_all) = (&latency["p50"], &latency["p90"], &latency["p99"]);
        eprintln!("{name}: p50 {half} ms, p90 {most} ms, p99 {nearly_all} ms, {}/s", report["throughput"]);
    }
}

fn resources(served: &Served) {
    let resource = &contract::CONTRACT["resource"];
    let templates = result(served, &["--method", "resources/templates/list"]);
    let has = |template: &Value| template["uriTemplate"] == resource["template"];
    assert!(templates["resourceTemplates"].as_array().unwrap().iter().any(has), "{templates}");
    let read = result(served, &["--method", "resources/read", "--uri", resource["uri"].as_str().unwrap()]);
    assert!(read.to_string().contains(resource["expected"].as_str().unwrap()), "{read}");
}

fn prompts(served: &Served) {
    let offered = result(served, &["--method", "prompts/list"])["prompts"].take();
    for prompt in offered.as_array().unwrap() {
        let mut arguments =
            vec!["--method".to_owned(), "prompts/get".into(), "--prompt-name".into(), text(&prompt["name"])];
        for argument in prompt["arguments"].as_array().into_iter().flatten() {
            if let Some(value) = contract::CONTRACT["prompts"]["arguments"].get(text(&argument["name"])) {
                arguments
                    .extend(["--prompt-args".into(), format!("{}={}", text(&argument["name"]), text(value))]);
            }
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let answer = result(served, &arguments);
        assert!(answer["messages"][0]["content"]["text"].is_string(), "{answer}");
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn call(served: &Served, tool: &Value, more: &[&str]) -> Ran {
    let (name, arguments) = (text(&tool["name"]), tool["arguments"].to_string());
    let call =
        ["--method", "tools/call", "--tool-name", &name, "--tool-args-json", &arguments, "--format", "json"];
    inspect(served, &[&call, more].concat())
}

fn result(served: &Served, arguments: &[&str]) -> Value {
    let ran = inspect(served, &[arguments, &["--format", "json"]].concat()).success();
    let mut answer: Value = serde_json::from_str(&ran.stdout())
        .unwrap_or_else(|error| panic!("no JSON ({error}):\n{}", ran.transcript()));
    answer["result"].take()
}

fn inspect(served: &Served, arguments: &[&str]) -> Ran {
    let mut command = served.client("node_modules/.bin/mcp-inspector");
    command.arg("--cli");
    if let Some(address) = served.address() {
        let header = format!("Authorization: Bearer {}", served.token());
        command.arg(address).args(["--transport", "http", "--header", &header]).args(arguments);
    } else {
        command.args(arguments).arg("--").args(&served.target);
    }
    Ran::of(command)
}
