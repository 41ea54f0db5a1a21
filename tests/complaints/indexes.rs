//! Indexes are complete, current, shared and never locked for ever; and who is behind says so.

use std::process::Stdio;

use serde_json::{Value, json};

use super::{add, error, finds, hits, index_state, text};
use crate::support::{Place, Session, wait_until};

const FILES: &[(&str, &str)] =
    &[("a.py", "def answer():\n    \"\"\"The first marker.\"\"\"\n    return 42\n")];

fn place() -> Place {
    Place::new().with_repository("sample", FILES)
}

/// zilliztech/claude-context#219, #200, PR#372
#[test]
fn rules_of_git_hide_no_file_that_is_there() {
    let place = Place::new().with_repository(
        "sample",
        &[
            (".gitignore", "/build/\n*.py\n!kept.py\n"),
            (".prettierignore", "docs/\n"),
            ("build/generated.py", "marker_build = 1\n"),
            ("ignored.py", "marker_ignored = 1\n"),
            ("kept.py", "marker_kept = 1\n"),
            ("docs/guide.md", "# Guide\n\nmarker_docs\n"),
            (".github/hidden.yml", "marker_hidden: 1\n"),
        ],
    );
    let mut session = Session::initialized(&place);
    for marker in ["marker_build", "marker_ignored", "marker_kept", "marker_docs", "marker_hidden"] {
        assert!(finds(&mut session, marker), "{marker}");
    }
}

/// zilliztech/claude-context#413
#[test]
fn indexing_again_counts_the_same() {
    let place = place();
    place.write("sample/b.bin", [0, 1, 2]);
    let counts = |report: Value| {
        ["files", "chunks", "symbols", "bytes", "skipped"].map(|figure| report[figure].clone())
    };
    let first = counts(place.json(["index"]));
    assert_eq!(first[0], 1);
    for _ in 0..2 {
        assert_eq!(counts(place.json(["index", "--force"])), first);
    }
}

/// zilliztech/claude-context#192
#[test]
fn artefacts_of_a_build_do_not_bury_the_sources() {
    let place = Place::new();
    for number in 0..300 {
        let minified = format!("function train_{number}(){{}};").repeat(50);
        place.write(&format!("sample/dist/chunk_{number}.min.js"), &minified);
        place.write(&format!("sample/build/weights_{number}.bin"), [0_u8; 64]);
        place.write(&format!("sample/out/log_{number}.csv"), "train,1\n");
    }
    place.write("sample/src/train.py", "def train(epochs):\n    return epochs\n");
    add(&place, "sample");
    let report = place.json(["index"]);
    assert_eq!(report["files"], 1, "{report}");
    assert_eq!((&report["skipped"]["binary"], &report["skipped"]["data_file"]), (&json!(300), &json!(600)));
    let mut session = Session::initialized(&place);
    assert_eq!(hits(&mut session, json!({ "query": "train" }))[0], "src/train.py");
}

/// zilliztech/claude-context#145, bartolli/codanna#81
#[test]
fn what_one_process_indexed_every_other_sees_and_keeps() {
    let place = place();
    assert_eq!(index_state(&mut Session::initialized(&place)), "missing");
    place.run(["index"]).success();
    for _ in 0..2 {
        let mut session = Session::initialized(&place);
        assert_eq!(index_state(&mut session), "ready");
        assert!(finds(&mut session, "first marker"));
        assert_eq!(index_state(&mut session), "ready");
    }
    let served = place.json(["search", "first marker"]);
    assert_eq!(served["hits"][0]["path"], "a.py");
}

/// zilliztech/claude-context#99
#[test]
fn indexing_tells_how_far_it_is() {
    let place = place();
    let mut session = Session::initialized(&place);
    let id = session.begin(
        "tools/call",
        json!({ "name": "search", "arguments": { "query": "answer" }, "_meta": { "progressToken": "p" } }),
    );
    let (notifications, response) = session.notifications_until(id);
    assert_ne!(response["result"]["isError"], true, "{response}");
    let told: Vec<&Value> =
        notifications.iter().filter(|one| one["method"] == "notifications/progress").collect();
    assert!(told.iter().any(|one| one["params"]["message"].as_str().unwrap().contains("sample")), "{told:?}");
    assert!(told.iter().all(|one| one["params"]["progressToken"] == "p"), "{told:?}");
}

/// zilliztech/claude-context#238
#[test]
fn an_indexer_that_was_killed_locks_out_nobody() {
    let place = place();
    for number in 0..200 {
        place.write(&format!("sample/m{number}.py"), "def step():\n    return 1\n\n".repeat(100));
    }
    for delay in [0, 30, 90] {
        let mut indexer =
            place.command(["index", "--force"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(delay));
        indexer.kill().unwrap();
        indexer.wait().unwrap();
        let mut session = Session::initialized(&place);
        assert!(finds(&mut session, "first marker"), "killed after {delay} ms");
        assert_eq!(index_state(&mut session), "ready");
    }
}

/// DeusData/codebase-memory-mcp#1191, wende/cicada#51, uchebnick/unch#100, bartolli/codanna#12
#[test]
fn an_edit_is_noticed_said_and_indexed_by_a_running_server() {
    let place = place();
    let mut session = Session::initialized(&place);
    assert!(finds(&mut session, "first marker"));
    place.write("sample/b.py", "def later():\n    \"\"\"The second beacon.\"\"\"\n");
    assert_eq!(index_state(&mut session), "stale");
    let literal = json!({ "query": "def later", "repo": "sample", "mode": "literal" });
    let session = std::cell::RefCell::new(session);
    wait_until(|| finds(&mut session.borrow_mut(), "second beacon"));
    let mut session = session.into_inner();
    assert_eq!(hits(&mut session, literal), ["b.py"]);
    assert_eq!(index_state(&mut session), "ready");
}

/// Barnett-Studios/cxpak#18, abhigyanpatwari/GitNexus#297
#[test]
fn a_server_that_starts_after_an_edit_never_answers_from_the_older_index() {
    let place = place();
    place.run(["index"]).success();
    place.write("sample/a.py", "def replaced():\n    \"\"\"Another beacon.\"\"\"\n");
    let mut session = Session::initialized(&place);
    assert_eq!(index_state(&mut session), "stale");
    assert!(finds(&mut session, "another beacon") && !finds(&mut session, "first marker"));
}

/// DeusData/codebase-memory-mcp#1191
#[test]
fn a_running_server_takes_over_the_index_that_another_process_built() {
    let place = place();
    let mut session = Session::initialized(&place);
    assert!(finds(&mut session, "first marker"));
    place.write("sample/b.py", "def later():\n    \"\"\"The second beacon.\"\"\"\n");
    place.run(["index"]).success();
    let session = std::cell::RefCell::new(session);
    wait_until(|| finds(&mut session.borrow_mut(), "second beacon"));
}

/// bartolli/codanna PR#117
#[test]
fn servers_on_one_data_folder_answer_at_the_same_time() {
    let place = place();
    let mut sessions: Vec<Session> = (0..3).map(|_| Session::initialized(&place)).collect();
    let call = json!({ "name": "search", "arguments": { "query": "first marker" } });
    let ids: Vec<u64> =
        sessions.iter_mut().map(|session| session.begin("tools/call", call.clone())).collect();
    for (session, id) in sessions.iter_mut().zip(ids) {
        assert_eq!(session.response(id)["result"]["structuredContent"]["hits"][0]["path"], "a.py");
    }
}

/// yamadashy/repomix#846
#[test]
fn one_broken_file_stops_no_index() {
    let place = Place::new();
    place.write("sample/broken.py", "def (((:\n  class\n\tif");
    place.write("sample/latin.py", b"caf\xe9 = 'latin'\n");
    place.write("sample/zeros.py", [0_u8; 4096]);
    place.write("sample/broken.ipynb", "{\"cells\": [");
    place.write("sample/bad\u{202e}name.py", "x = 1\n");
    place.write("sample/good.py", "def good():\n    \"\"\"The first marker.\"\"\"\n");
    add(&place, "sample");
    let report = place.json(["index"]);
    assert_eq!(report["skipped"]["binary"], 1, "{report}");
    assert_eq!(hits(&mut Session::initialized(&place), json!({ "query": "first marker" })), ["good.py"]);
}

/// probelabs/probe#585
#[test]
fn a_parameter_that_is_not_known_is_refused_by_name() {
    let place = place();
    let mut session = Session::initialized(&place);
    let tools = session.request("tools/list", json!({}))["result"]["tools"].take();
    for tool in tools.as_array().unwrap() {
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{}", tool["name"]);
        let name = tool["name"].as_str().unwrap();
        let all = ["repo", "path", "query", "symbol", "command", "content", "workspace"];
        let known = all.iter().filter(|one| !tool["inputSchema"]["properties"][**one].is_null());
        let mut arguments: serde_json::Map<String, Value> =
            known.map(|one| ((*one).to_owned(), json!("sample"))).collect();
        arguments.insert("max_lines".to_owned(), json!(3));
        let said = error(&session.call(name, Value::Object(arguments)));
        assert!(said.contains("max_lines"), "{name}: {said}");
    }
}

/// abhigyanpatwari/GitNexus#1363
#[test]
fn many_repositories_are_listed_without_an_index_of_any() {
    let place = Place::new();
    let (mut links, mut added) = ("[links]\n".to_owned(), String::new());
    for number in 0..200 {
        let file = place.write(&format!("r{number}/a.py"), "x = 1\n");
        links.push_str(&format!("r{number} = {:?}\n", file.parent().unwrap()));
        added.push_str(&format!("[[added]]\nname = \"r{number}\"\n"));
    }
    // As `repolab repos add` writes it, in one go.
    place.write("data/catalog.toml", links + &added);
    let mut session = Session::initialized(&place);
    let listed = session.call("list_repositories", json!({}));
    assert_eq!(listed["structuredContent"]["repositories"].as_array().map(Vec::len), Some(200), "{listed}");
    assert!(text(&listed).len() < 75_000 && !place.folder().join("data/indexes").exists());
}

/// oraios/serena#1798
#[test]
fn a_repository_that_was_empty_is_not_empty_for_ever() {
    let place = Place::new().with_repository("sample", &[("LICENSE", "all rights\n")]);
    let mut session = Session::initialized(&place);
    let python = json!({ "query": "train", "repo": "sample", "language": "python" });
    assert!(hits(&mut session, python.clone()).is_empty());
    place.write("sample/train.py", "def train():\n    return 1\n");
    let session = std::cell::RefCell::new(session);
    wait_until(|| hits(&mut session.borrow_mut(), python.clone()) == ["train.py"]);
    assert_eq!(hits(&mut Session::initialized(&place), python), ["train.py"]);
}

/// jgravelle/jcodemunch-mcp#358, #275
#[test]
fn a_further_session_parses_nothing_again() {
    let place = place();
    assert!(finds(&mut Session::initialized(&place), "first marker"));
    let manifest = place.folder().join("data/indexes/sample/manifest.json");
    let written = || fs_err::read(&manifest).unwrap();
    let first = written();
    for _ in 0..2 {
        assert!(finds(&mut Session::initialized(&place), "first marker"));
        place.run(["index"]).success();
    }
    assert_eq!(written(), first, "the manifest names its generation, which every build renews");
}
