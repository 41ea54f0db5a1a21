//! The protocol over standard input and output, in both eras, and the pitfalls that were met in the wild.

use expect_test::expect_file;
use serde_json::{Value, json};

use crate::support::{Place, Session, modern};

const FILES: &[(&str, &str)] = &[
    ("README.md", "# Sample\n\nTrain with `python train.py --epochs 3`.\n"),
    ("train.py", "def train(epochs):\n    \"\"\"Fit the model.\"\"\"\n    return epochs\n"),
];

fn place() -> Place {
    Place::new().with_repository("sample", FILES)
}

/// The answer as text and as structure, which must both be there.
#[track_caller]
fn both(result: &Value) -> (String, Value) {
    assert_ne!(result["isError"], true, "{result}");
    (result["content"][0]["text"].as_str().unwrap().to_owned(), result["structuredContent"].clone())
}

#[track_caller]
fn error_text(result: &Value) -> String {
    assert_eq!(result["isError"], true, "{result}");
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn initialize_names_repolab_and_its_version() {
    let mut session = Session::start(&Place::new());
    let client = json!({ "name": "test", "version": "1" });
    for version in ["2024-11-05", "2025-11-25"] {
        let parameters = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client });
        let result = session.request("initialize", parameters)["result"].take();
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(result["serverInfo"]["name"], "repolab");
        assert_eq!(result["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
        let instructions = result["instructions"].as_str().unwrap();
        assert!(instructions.len() < 2_000 && instructions.contains("search"), "{instructions}");
        session = Session::start(&Place::new());
    }
}

#[test]
fn the_stateless_era_discovers_lists_and_calls_without_a_handshake() {
    let place = place();
    let mut session = Session::start(&place);
    let discovered = session.request("server/discover", modern(json!({})))["result"].take();
    let versions = discovered["supportedVersions"].as_array().unwrap();
    assert!(
        versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2025-11-25")),
        "{discovered}"
    );
    let listed = session.request("tools/list", modern(json!({})))["result"].take();
    assert_eq!(listed["tools"].as_array().unwrap().len(), 8);
    let arguments = json!({ "repo": "sample", "path": "train.py" });
    let read = session.request("tools/call", modern(json!({ "name": "read_file", "arguments": arguments })));
    assert_eq!(read["result"]["structuredContent"]["total_lines"], 3);
}

#[test]
fn both_forms_of_an_answer_are_whole() {
    let place = place();
    let mut session = Session::initialized(&place);
    let (text, structure) =
        both(&session.call("read_file", json!({ "repo": "sample", "path": "./train.py" })));
    assert!(text.contains("2\t    \"\"\"Fit the model.\"\"\""), "{text}");
    assert!(text.contains(structure["text"].as_str().unwrap()));
    let (text, structure) =
        both(&session.call("search", json!({ "query": "fit the model", "repo": "sample" })));
    let hit = &structure["hits"][0];
    assert_eq!(hit["path"], "train.py");
    assert!(text.contains("sample/train.py:1-") && text.contains(hit["snippet"].as_str().unwrap()), "{text}");
    let (text, structure) = both(&session.call("list_repositories", json!({})));
    assert_eq!(structure["repositories"][0]["name"], "sample");
    assert!(text.contains("sample"));
    assert_eq!(session.close(), Some(0));
}

#[test]
fn a_client_from_before_structured_answers_gets_each_answer_once() {
    let place = place();
    for (version, structured) in [("2024-11-05", false), ("2025-03-26", false), ("2025-06-18", true)] {
        let mut session = Session::start(&place);
        let client = json!({ "name": "test", "version": "1" });
        let parameters = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client });
        session.request("initialize", parameters);
        session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        let tools = session.request("tools/list", json!({}))["result"]["tools"].take();
        assert_eq!(tools[0]["outputSchema"].is_object(), structured, "{version}");
        let answer = session.call("read_file", json!({ "repo": "sample", "path": "train.py" }));
        assert_eq!(answer["structuredContent"].is_object(), structured, "{version}");
        assert!(answer["content"][0]["text"].as_str().unwrap().contains("def train"), "{version}");
    }
}

#[test]
fn tool_definitions_hold_nothing_that_clients_stumble_over() {
    let mut session = Session::initialized(&Place::new());
    let tools = session.request("tools/list", json!({}))["result"]["tools"].take();
    let text = tools.to_string();
    assert!(text.len() < 10_000, "tools/list has {} bytes", text.len());
    for noise in [
        "\"uint", "\"int32", "\"int64", "\"float", "\"double", "\"null\"", "null]", "$ref", "$schema",
        "anyOf", "oneOf", "allOf",
    ] {
        assert!(!text.contains(noise), "{noise} in {text}");
    }
    for tool in tools.as_array().unwrap() {
        assert!(tool["description"].as_str().unwrap().len() < 2_000);
        for part in ["title", "inputSchema", "outputSchema", "annotations"] {
            assert!(!tool[part].is_null(), "{} lacks {part}", tool["name"]);
        }
        assert_eq!(tool["inputSchema"]["type"], "object");
        let reads_only = tool["name"] != "run_in_sandbox" && tool["name"] != "write_file";
        assert_eq!(tool["annotations"]["readOnlyHint"], reads_only, "{}", tool["name"]);
    }
}

#[test]
fn a_tool_that_can_reach_the_network_says_so() {
    let place = Place::new();
    for (flags, open) in [(&[][..], false), (&["--allow-network"][..], true)] {
        let mut session = Session::initialized_with(&place, flags);
        let tools = session.request("tools/list", json!({}))["result"]["tools"].take();
        let run = tools.as_array().unwrap().iter().find(|tool| tool["name"] == "run_in_sandbox").unwrap();
        assert_eq!(run["annotations"]["openWorldHint"], open);
    }
}

#[test]
fn what_agents_read_of_the_tools_is_what_was_last_agreed() {
    let mut session = Session::initialized(&Place::new());
    let tools = session.request("tools/list", json!({}))["result"]["tools"].take();
    expect_file!["snapshots/tools.json"].assert_eq(&format!("{tools:#}\n"));
}

#[test]
fn what_an_agent_can_fix_comes_back_as_a_result_with_the_next_step() {
    let place = place();
    let mut session = Session::initialized(&place);
    for (tool, arguments, expected) in [
        ("read_file", json!({ "repo": "sampel", "path": "train.py" }), "did you mean `sample`"),
        (
            "read_file",
            json!({ "repo": "quite-another", "path": "train.py" }),
            "`list_repositories` shows the names",
        ),
        ("read_file", json!({ "repo": "sample", "path": "src/train.py" }), "did you mean `train.py`"),
        ("read_file", json!({ "repo": "sample", "path": "../../etc/passwd" }), "`..`"),
        ("read_file", json!({ "repo": "sample", "path": "/etc/passwd" }), "absolute"),
        ("read_file", json!({ "repo": "sample", "path": "train.py", "start_line": 0 }), "use 1 to 3"),
        ("read_file", json!({ "repo": "sample", "path": "train.py", "start_line": 9 }), "has 3 lines"),
        (
            "read_file",
            json!({ "repo": "sample", "path": "train.py", "symbol": "trian" }),
            "did you mean `train`",
        ),
        ("read_file", json!({ "repo": "sample" }), "missing field `path`"),
        (
            "read_file",
            json!({ "repo": "sample", "path": "train.py", "start_line": "2" }),
            "at `start_line`: invalid type: string \"2\", expected a whole number",
        ),
        ("search", json!({ "query": "x", "mode": "text", "show": "counts" }), "`literal` or `regex`"),
        ("run_in_sandbox", json!({ "repo": "sample", "command": " " }), "give a shell command"),
        ("run_in_sandbox", json!({ "repo": "sample", "command": "echo a\u{0}b" }), "no NUL"),
        ("read_file", json!({ "repo": "sample", "path": "train.py", "lines": 3 }), "unknown field `lines`"),
        ("search", json!({ "query": "  " }), "query"),
        ("find_references", json!({ "repo": "sample", "symbol": " " }), "give a name"),
        ("search", json!({ "query": "x", "limit": 1000 }), "use 1 to 50"),
        ("search", json!({ "query": "x", "cursor": "zzz" }), "next_cursor"),
        ("search", json!({ "query": "(", "mode": "regex" }), "("),
        ("run_in_sandbox", json!({ "repo": "sample", "command": "true", "network": true }), "network"),
        (
            "run_in_sandbox",
            json!({ "repo": "sample", "command": "true", "timeout_seconds": 0 }),
            "use 1 to 3600",
        ),
    ] {
        let text = error_text(&session.call(tool, arguments.clone()));
        assert!(text.contains(expected), "{tool} {arguments}: {text}");
    }
}

#[test]
fn words_of_every_file_and_expressions_are_found_without_a_mode() {
    let place = place();
    let mut session = Session::initialized(&place);
    for (query, line) in [("return", 3), (r"def \w+\(", 1), ("^def train", 1)] {
        let answer = session.call("search", json!({ "query": query, "repo": "sample", "path_glob": "*.py" }));
        assert_eq!(answer["structuredContent"]["hits"][0]["end_line"], line, "{query}: {answer}");
    }
    let first = session.call("search", json!({ "query": "return", "repo": "sample", "limit": 1 }));
    assert_eq!(first["structuredContent"]["next_cursor"], Value::Null, "one line holds it: {first}");
    let many = Place::new().with_repository("many", &[("a.py", &"def f():\n    return 1\n".repeat(5))]);
    let mut other = Session::initialized(&many);
    let page = |cursor: &Value| json!({ "query": "return", "repo": "many", "limit": 2, "cursor": cursor });
    let (mut lines, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let answer = other.call("search", page(&cursor))["structuredContent"].take();
        lines
            .extend(answer["hits"].as_array().unwrap().iter().map(|hit| hit["start_line"].as_u64().unwrap()));
        cursor = answer["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(lines, [2, 4, 6, 8, 10], "the pages of a fallback go on");
    let counts = session.call("search", json!({ "query": "epochs", "repo": "sample", "show": "counts" }));
    assert_eq!(counts["structuredContent"]["total_count"], 3, "{counts}");
}

#[test]
fn a_name_forges_no_line_of_an_answer() {
    let place = place();
    place.write("sample/a\nNote: forged.py", "def forged_name():\n    return 1\n");
    let mut session = Session::initialized(&place);
    let (text, _) = both(&session.call("search", json!({ "query": "forged_name", "repo": "sample" })));
    assert!(!text.contains("\nNote: forged") && text.contains("a\\nNote: forged.py"), "{text}");
}

#[test]
fn an_unknown_tool_is_a_protocol_error_that_names_the_tools() {
    let mut session = Session::initialized(&Place::new());
    let response = session.request("tools/call", json!({ "name": "read", "arguments": {} }));
    assert_eq!(response["error"]["code"], -32602);
    assert!(response["error"]["message"].as_str().unwrap().contains("read_file"), "{response}");
}

#[test]
fn garbage_on_the_wire_does_not_end_the_server() {
    let place = place();
    let mut session = Session::initialized(&place);
    for line in ["{", "null", "[]", "\u{0}\u{1}", "{\"jsonrpc\":\"2.0\"}", &"x".repeat(1 << 20)] {
        session.send(line);
    }
    let (_, structure) = both(&session.call("list_repositories", json!({})));
    assert_eq!(structure["repositories"][0]["name"], "sample");
}

#[test]
fn no_answer_is_larger_than_a_client_takes() {
    let one_line = format!("x = '{}'\n", "y".repeat(2 << 20));
    let many_lines = "value = 1\n".repeat(200_000);
    let place = Place::new().with_repository(
        "sample",
        &[("one_line.py", one_line.as_str()), ("many_lines.py", many_lines.as_str())],
    );
    let mut session = Session::initialized(&place);
    for arguments in [
        json!({ "repo": "sample", "path": "one_line.py", "max_tokens": 20000 }),
        json!({ "repo": "sample", "path": "many_lines.py", "max_tokens": 20000 }),
        json!({ "repo": "sample", "path": "many_lines.py" }),
    ] {
        let (text, structure) = both(&session.call("read_file", arguments));
        assert!(text.len() < 75_000 && structure.to_string().len() < 75_000, "{} bytes", text.len());
    }
    let (text, structure) =
        both(&session.call("search", json!({ "query": "value", "mode": "literal", "limit": 50 })));
    assert!(text.len() < 75_000 && structure["next_cursor"].is_string(), "{}", text.len());
}

#[test]
fn hidden_characters_are_made_visible() {
    let place =
        Place::new().with_repository("sample", &[("evil.py", "a = 1 # \u{202e}\u{1b}[31m\u{200b}\n")]);
    let mut session = Session::initialized(&place);
    let (text, structure) = both(&session.call("read_file", json!({ "repo": "sample", "path": "evil.py" })));
    for hidden in ['\u{202e}', '\u{1b}', '\u{200b}'] {
        assert!(!text.contains(hidden) && !structure["text"].as_str().unwrap().contains(hidden));
    }
    assert!(text.contains("\\u{202e}"), "{text}");
}
