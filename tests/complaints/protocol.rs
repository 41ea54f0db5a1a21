//! Handshakes that must not fail, answers whose shape must hold, and what must end no server.

use std::path::Path;

use serde_json::{Value, json};

use super::{error, finds, text};
use crate::support::{Place, Session, modern, provided};

const FILES: &[(&str, &str)] = &[
    ("a.py", "def answer():\n    \"\"\"The first marker.\"\"\"\n    return 42\n"),
    ("README.md", "# Sample\n\nCall `answer`.\n"),
];

fn place() -> Place {
    Place::new().with_repository("sample", FILES)
}

fn initialize(session: &mut Session) -> Value {
    let client = json!({ "name": "test", "version": "1" });
    let parameters = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    session.request("initialize", parameters)
}

/// bartolli/codanna PR#117
#[test]
fn a_probe_of_the_newer_era_does_not_spoil_the_older_handshake() {
    let place = place();
    let mut session = Session::start(&place);
    assert!(session.request("server/discover", modern(json!({})))["result"].is_object());
    // A client that is content with neither answer starts a new process, as a client of the older era does.
    let mut session = Session::start(&place);
    assert_eq!(initialize(&mut session)["result"]["protocolVersion"], "2025-11-25");
}

/// bartolli/codanna PR#117
#[test]
fn a_bare_probe_before_the_handshake_is_answered_and_the_handshake_goes_on() {
    let place = place();
    let mut session = Session::start(&place);
    let probed = session.request("server/discover", json!({}));
    assert!(probed["result"].is_object() || probed["error"].is_object(), "{probed}");
    assert_eq!(initialize(&mut session)["result"]["protocolVersion"], "2025-11-25");
    session.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert!(!session.request("tools/list", json!({}))["result"]["tools"].as_array().unwrap().is_empty());
}

/// probelabs/probe#586, #123, oraios/serena#336
#[test]
fn the_handshake_waits_for_no_repository() {
    let place = Place::new();
    for number in 0..2_000 {
        place.write(
            &format!("sample/f{}/m{number}.py", number % 50),
            "def step():\n    return 1\n".repeat(20),
        );
    }
    super::add(&place, "sample");
    let mut session = Session::initialized(&place);
    assert!(session.request("tools/list", json!({}))["result"]["tools"].is_array());
    assert!(!place.folder().join("data/indexes").exists(), "nothing was indexed for the handshake");
}

/// probelabs/probe#586, oraios/serena#153, #154, #201, modelcontextprotocol/servers#4162
#[test]
fn an_index_that_never_comes_holds_up_only_those_who_need_it() {
    let place = place();
    let lock = place.write("data/indexes/sample/lock", "");
    let lock = fs_err::OpenOptions::new().write(true).open(lock).unwrap();
    lock.file().lock().unwrap();
    let mut session = Session::start(&place);
    assert!(initialize(&mut session)["result"].is_object());
    session.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    let call = json!({ "name": "search", "arguments": { "query": "first marker" } });
    let waiting: Vec<u64> = (0..8).map(|_| session.begin("tools/call", call.clone())).collect();
    let read = session.call("read_file", json!({ "repo": "sample", "path": "a.py" }));
    assert!(text(&read).contains("return 42"), "{read}");
    assert_eq!(super::index_state(&mut session), "missing");
    drop(lock);
    for response in session.responses(&waiting).values() {
        assert_eq!(response["result"]["structuredContent"]["hits"][0]["path"], "a.py", "{response}");
    }
}

/// bartolli/codanna PR#117
#[test]
fn a_second_start_offers_and_does_the_same() {
    let place = place();
    let run = || {
        let mut session = Session::initialized(&place);
        assert!(finds(&mut session, "first marker"));
        let tools = session.request("tools/list", json!({}))["result"]["tools"].take();
        assert_eq!(session.close(), Some(0));
        tools
    };
    assert_eq!(run(), run());
}

/// anthropics/claude-code#79944, #55677, #54450, copilot-cli#3258, #4515
#[test]
fn whichever_form_a_client_shows_holds_what_matters() {
    let place = place();
    let mut session = Session::initialized(&place);
    for (tool, arguments, expected) in [
        ("list_repositories", json!({}), vec!["sample"]),
        ("list_files", json!({ "repo": "sample" }), vec!["a.py", "README.md"]),
        ("outline", json!({ "repo": "sample", "path": "a.py" }), vec!["answer"]),
        ("find_references", json!({ "repo": "sample", "symbol": "answer" }), vec!["a.py", "answer"]),
        ("search", json!({ "query": "first marker" }), vec!["a.py", "answer", "first marker"]),
        ("read_file", json!({ "repo": "sample", "path": "a.py" }), vec!["a.py", "return 42"]),
    ] {
        let result = session.call(tool, arguments);
        let structure = result["structuredContent"].to_string();
        let said = text(&result);
        for expected in expected {
            assert!(said.contains(expected) && structure.contains(expected), "{tool} {expected}: {result}");
        }
        assert_eq!(result["content"].as_array().unwrap().len(), 1, "one block, so none is lost: {result}");
    }
}

/// anthropics/claude-code#79944
#[test]
fn whichever_form_a_client_shows_holds_the_output_of_a_command() {
    let Some(image) = provided("REPOLAB_TEST_IMAGE") else { return };
    let place = place();
    let mut session = Session::initialized_with(&place, &["--image", &image]);
    let command = json!({ "repo": "sample", "command": "echo to-out; echo to-err >&2; exit 3" });
    let result = session.call("run_in_sandbox", command);
    let (said, structure) = (text(&result), &result["structuredContent"]);
    assert!(said.contains("to-out") && said.contains("to-err") && said.contains("code 3"), "{said}");
    assert_eq!(
        (&structure["stdout"], &structure["stderr"], &structure["exit_code"]),
        (&json!("to-out\n"), &json!("to-err\n"), &json!(3))
    );
}

/// modelcontextprotocol/servers#4469
#[test]
fn filters_do_not_change_the_shape_of_an_answer() {
    let place = place();
    let mut session = Session::initialized(&place);
    let mut shape = |arguments: Value| -> (Vec<String>, Vec<String>) {
        let structure = session.call("search", arguments)["structuredContent"].take();
        let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        (keys(&structure), keys(&structure["hits"][0]))
    };
    let plain = shape(json!({ "query": "answer", "limit": 1 }));
    for narrowed in [
        json!({ "query": "answer", "limit": 1, "repo": "sample" }),
        json!({ "query": "answer", "limit": 1, "path_glob": "**" }),
        json!({ "query": "answer", "limit": 1, "mode": "symbol" }),
        json!({ "query": "answer", "limit": 1, "language": "python" }),
    ] {
        let keys = shape(narrowed.clone()).0;
        let common = ["hits", "commits"].map(|key| keys.iter().any(|one| one == key));
        assert_eq!(common, [true, true], "{narrowed}: {keys:?}, without it {plain:?}");
    }
}

/// modelcontextprotocol/servers#1991
#[test]
fn an_error_tells_the_reason_and_not_the_path_alone() {
    let place = place();
    let mut session = Session::initialized(&place);
    for (path, reasons) in [
        ("missing.py", ["no file", "not found", "does not exist", "no such"]),
        ("", ["folder", "empty", "directory", "names no"]),
    ] {
        let said =
            error(&session.call("read_file", json!({ "repo": "sample", "path": path }))).to_lowercase();
        assert!(reasons.iter().any(|reason| said.contains(reason)), "{path:?}: {said}");
    }
}

/// modelcontextprotocol/servers#1991
#[test]
fn a_binary_file_is_named_as_one_and_not_shown() {
    let place = place();
    place.write("sample/weights.bin", [0_u8, 159, 146, 150].repeat(1_000));
    let mut session = Session::initialized(&place);
    let said = error(&session.call("read_file", json!({ "repo": "sample", "path": "weights.bin" })));
    assert!(said.contains("binary") || said.contains("text"), "{said}");
}

/// lean-ctx PR#167; the catch itself is tested in `server/src/mcp/guard.rs`
#[test]
fn panics_unwind_so_that_one_call_fails_and_not_the_server() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
    let manifest: toml::Table = fs_err::read_to_string(manifest).unwrap().parse().unwrap();
    for (name, profile) in manifest["profile"].as_table().unwrap() {
        let panic = profile.get("panic").and_then(toml::Value::as_str).unwrap_or("unwind");
        assert_eq!(panic, "unwind", "profile {name}");
    }
}

/// Piebald-AI/splitrail#113
#[test]
fn no_number_has_a_format_that_a_validator_does_not_know() {
    let mut session = Session::initialized(&Place::new());
    let tools = session.request("tools/list", json!({}))["result"]["tools"].take();
    assert_no_format(&tools);
}

fn assert_no_format(value: &Value) {
    match value {
        Value::Object(object) => {
            assert!(!object.get("format").is_some_and(Value::is_string), "{value}");
            object.values().for_each(assert_no_format);
        }
        Value::Array(array) => array.iter().for_each(assert_no_format),
        _ => {}
    }
}

/// CVE-2026-0621
#[test]
fn patterns_that_explode_elsewhere_are_answered_here() {
    let place = Place::new().with_repository("sample", &[("a.py", &format!("{}!\n", "a".repeat(50_000)))]);
    let mut session = Session::initialized(&place);
    for query in ["(a+)+$", "(a|a)*b", "(.*a){20}x", "a{1,1000}{1,1000}{1,1000}"] {
        let result = session.call("search", json!({ "query": query, "mode": "regex" }));
        assert!(result["content"][0]["text"].is_string(), "{query}: {result}");
    }
    let glob = "{a,b}".repeat(60) + &"*a".repeat(60);
    let result = session.call("search", json!({ "query": "a", "path_glob": glob }));
    assert!(result["content"][0]["text"].is_string(), "{result}");
    let uri = format!("repo://sample/{}", "%2e%2e/".repeat(5_000));
    assert!(session.request("resources/read", json!({ "uri": uri }))["error"].is_object());
    assert!(session.request("ping", json!({}))["result"].is_object());
}
