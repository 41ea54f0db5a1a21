//! Prompts that a person starts from a menu: filled in, completed, refused.

use serde_json::json;

use crate::support::{Place, Session};

fn place() -> Place {
    Place::new().with_repository("sample", &[("README.md", "# Sample\n")])
}

#[test]
fn each_prompt_is_listed_with_its_arguments() {
    let mut session = Session::initialized(&Place::new());
    let prompts = session.request("prompts/list", json!({}))["result"]["prompts"].take();
    let names: Vec<&str> =
        prompts.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["solve_task", "explore_repository", "compare_implementations"]);
    for prompt in prompts.as_array().unwrap() {
        assert!(prompt["title"].is_string() && prompt["description"].is_string(), "{prompt}");
        assert!(prompt["arguments"].as_array().unwrap().iter().all(|one| one["description"].is_string()));
    }
}

#[test]
fn a_prompt_is_filled_in_with_what_was_given() {
    let place = place();
    let mut session = Session::initialized(&place);
    let arguments = json!({ "repo": "Sample", "instruction": "Train for 7 epochs." });
    let result = session.request("prompts/get", json!({ "name": "solve_task", "arguments": arguments }));
    let message = &result["result"]["messages"][0];
    assert_eq!(message["role"], "user");
    let text = message["content"]["text"].as_str().unwrap();
    assert!(text.contains("repository `sample`") && text.contains("Train for 7 epochs."), "{text}");
}

#[test]
fn a_prompt_that_lacks_something_is_refused_by_name() {
    let place = place();
    let mut session = Session::initialized(&place);
    for (name, arguments, expected) in [
        ("solve", json!({}), "there are solve_task"),
        ("solve_task", json!({ "repo": "sample" }), "needs `instruction`"),
        ("explore_repository", json!({ "repo": "sampel" }), "did you mean `sample`"),
    ] {
        let response = session.request("prompts/get", json!({ "name": name, "arguments": arguments }));
        assert_eq!(response["error"]["code"], -32602);
        assert!(response["error"]["message"].as_str().unwrap().contains(expected), "{response}");
    }
}

#[test]
fn repositories_are_completed_in_prompts_and_nothing_else_is() {
    let place = place();
    let mut session = Session::initialized(&place);
    let mut complete = |prompt: &str, argument: &str| {
        let reference = json!({ "type": "ref/prompt", "name": prompt });
        let argument = json!({ "name": argument, "value": "s" });
        let parameters = json!({ "ref": reference, "argument": argument });
        session.request("completion/complete", parameters)["result"]["completion"]["values"].take()
    };
    assert_eq!(complete("explore_repository", "repo"), json!(["sample"]));
    assert_eq!(complete("compare_implementations", "second_repo"), json!(["sample"]));
    assert_eq!(complete("compare_implementations", "topic"), json!([]));
    assert_eq!(complete("nothing", "repo"), json!([]));
}
