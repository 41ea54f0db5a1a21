//! What the scripts and the tests expect of a server, read from the one file that both share.

use std::sync::LazyLock;

use serde_json::Value;

/// The whole file.
pub(super) static CONTRACT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("contract.json")).unwrap());

/// Whether the server may still lack this.
pub(super) fn planned(feature: &str) -> bool {
    CONTRACT["planned"].as_array().into_iter().flatten().any(|planned| planned == feature)
}

/// The expected call of one tool.
pub(super) fn tool(name: &str) -> &'static Value {
    all().find(|tool| tool["name"] == name).unwrap()
}

/// The expected calls of the listed tools; panics unless exactly those that are expected are listed, in order.
#[track_caller]
pub(super) fn tools(listed: &Value) -> Vec<&'static Value> {
    let names: Vec<&Value> = listed.as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    let expected: Vec<_> = all()
        .filter(|tool| names.contains(&&tool["name"]) || !planned(tool["name"].as_str().unwrap()))
        .collect();
    assert_eq!(names, expected.iter().map(|tool| &tool["name"]).collect::<Vec<_>>());
    expected
}

fn all() -> impl Iterator<Item = &'static Value> {
    CONTRACT["tools"].as_array().unwrap().iter()
}
