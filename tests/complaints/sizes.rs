//! Answers, errors and definitions that fit into a context, whatever the sources hold.

use serde_json::json;

use super::{error, finds, text};
use crate::support::{Place, Session};

// The hard stop of Claude Code is 25,000 tokens; three bytes a token is a low estimate for code.
const MOST_BYTES: usize = 75_000;
// About 8,000 tokens at up to five bytes each, as in prose, and some for what stands around them.
const DEFAULT_BYTES: usize = 42_000;

/// modelcontextprotocol/servers#1077
#[test]
fn a_tree_of_thousands_of_files_comes_in_parts() {
    let place = large_tree();
    let mut session = Session::initialized(&place);
    let result = session.call("list_files", json!({ "repo": "sample" }));
    assert!(text(&result).len() < DEFAULT_BYTES, "{} bytes", text(&result).len());
    let all = session.call("list_files", json!({ "repo": "sample", "depth": 30 }));
    assert!(text(&all).len() < DEFAULT_BYTES, "{} bytes", text(&all).len());
    assert!(all["structuredContent"]["next_cursor"].is_string(), "{all}");
}

/// jgravelle/jcodemunch-mcp#178
#[test]
fn what_is_said_of_an_oversized_tree_names_a_small_next_call() {
    let place = large_tree();
    let mut session = Session::initialized(&place);
    let result = session.call("list_files", json!({ "repo": "sample", "depth": 30 }));
    let said = text(&result);
    let advice = said.lines().rfind(|line| line.contains("list_files")).expect("the next call is named");
    let cursor = result["structuredContent"]["next_cursor"].as_str().unwrap();
    assert!(advice.contains(cursor) && advice.len() < 500, "{advice}");
    let next = session.call("list_files", json!({ "repo": "sample", "depth": 30, "cursor": cursor }));
    assert!(text(&next).len() < DEFAULT_BYTES);
}

fn large_tree() -> Place {
    let place = Place::new().with_repository("sample", &[("a.py", "x = 1\n")]);
    for folder in 0..60 {
        for file in 0..50 {
            place.write(&format!("sample/folder_{folder}/inner/deeper/file_with_a_name_{file}.py"), "");
        }
    }
    place
}

/// MarcusJellinghaus/mcp-workspace#42
#[test]
fn fifty_long_lines_keep_to_the_limit_and_say_what_was_cut() {
    let line = format!("x = '{}'\n", "minified ".repeat(2_000));
    let place = Place::new().with_repository("sample", &[("a.js", line.repeat(50).as_str())]);
    let mut session = Session::initialized(&place);
    let answer = session.call("read_file", json!({ "repo": "sample", "path": "a.js", "end_line": 50 }));
    let said = text(&answer);
    assert!(said.len() < DEFAULT_BYTES, "{} bytes", said.len());
    assert!(said.contains("long lines were cut") && said.contains("start_line="), "{said}");
    assert!(answer["structuredContent"].to_string().len() < DEFAULT_BYTES);
}

/// probelabs/probe#585
#[test]
fn a_limit_that_is_asked_for_is_kept() {
    let lines = "value = compute(1, 2, 3)\n".repeat(5_000);
    let place = Place::new().with_repository("sample", &[("a.py", lines.as_str())]);
    let mut session = Session::initialized(&place);
    for tokens in [100, 500, 2_000] {
        let arguments = json!({ "repo": "sample", "path": "a.py", "max_tokens": tokens });
        let said = text(&session.call("read_file", arguments));
        assert!(said.len() < tokens * 4 + 400, "{} bytes for {tokens} tokens", said.len());
    }
    for limit in [1, 3] {
        let answer = session.call("search", json!({ "query": "compute", "mode": "literal", "limit": limit }));
        assert_eq!(answer["structuredContent"]["hits"].as_array().unwrap().len(), limit);
    }
    for (tool, arguments) in [
        ("read_file", json!({ "repo": "sample", "path": "a.py", "max_tokens": 1_000_000 })),
        ("search", json!({ "query": "compute", "limit": 1_000_000 })),
    ] {
        assert!(error(&session.call(tool, arguments)).contains("use "), "a limit beyond all is refused");
    }
}

/// github/github-mcp-server#181, #425, #625
#[test]
fn an_answer_without_a_limit_is_small_and_its_pages_go_on() {
    let files: Vec<(String, String)> = (0..120)
        .map(|number| {
            (format!("m{number}.py"), format!("# {number}\n{}", "value = compute(1)\n".repeat(200)))
        })
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let place = Place::new().with_repository("sample", &files);
    let mut session = Session::initialized(&place);
    let first = session.call("search", json!({ "query": "compute" }));
    assert!(text(&first).len() < DEFAULT_BYTES, "{} bytes", text(&first).len());
    let most = session.call("search", json!({ "query": "compute", "limit": 50 }));
    assert!(text(&most).len() < MOST_BYTES && most["structuredContent"].to_string().len() < MOST_BYTES);
    let cursor = first["structuredContent"]["next_cursor"].as_str().unwrap();
    assert!(text(&first).contains(cursor), "the text names the call that continues");
    let second = session.call("search", json!({ "query": "compute", "cursor": cursor }));
    assert_ne!(second["structuredContent"]["hits"][0], first["structuredContent"]["hits"][0]);
}

/// DesktopCommanderMCP#266, Dokploy/mcp#52, openchrome#1524
#[test]
fn what_every_session_pays_for_the_tools_is_small() {
    let place = Place::new();
    let mut session = Session::start(&place);
    let client = json!({ "name": "test", "version": "1" });
    let parameters = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    let initialized = session.request("initialize", parameters)["result"].to_string();
    session.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    let listed = session.request("tools/list", json!({}))["result"]["tools"].take();
    assert!(listed.to_string().len() < 10_000 && initialized.len() < 4_000, "{}", listed.to_string().len());
    assert!(listed.as_array().unwrap().len() <= 10);
}

/// yamadashy/repomix#868, #846, #739
#[test]
fn no_source_breaks_the_measure_of_an_answer() {
    let nested = "(".repeat(200_000);
    let place = Place::new().with_repository(
        "sample",
        &[
            ("special.py", "TOKEN = '<|endoftext|><|fim_prefix|>' # an unusual marker\n"),
            ("nested.py", nested.as_str()),
            ("lines.py", &"\n".repeat(500_000)),
        ],
    );
    let mut session = Session::initialized(&place);
    assert!(finds(&mut session, "unusual marker"));
    let special = session.call("read_file", json!({ "repo": "sample", "path": "special.py" }));
    assert!(text(&special).contains("<|endoftext|><|fim_prefix|>"), "{special}");
    for path in ["nested.py", "lines.py"] {
        let answer =
            session.call("read_file", json!({ "repo": "sample", "path": path, "max_tokens": 20_000 }));
        assert!(text(&answer).len() < MOST_BYTES, "{path}: {} bytes", text(&answer).len());
    }
}

/// MarcusJellinghaus/mcp-workspace#42: a limit that counts characters lets four times as many bytes through
#[test]
fn one_line_of_wide_characters_is_cut_like_any_other() {
    let place = Place::new().with_repository("sample", &[("wide.py", &"\u{1f600}".repeat(50_000))]);
    let mut session = Session::initialized(&place);
    for tokens in [100, 8_000, 20_000] {
        let arguments = json!({ "repo": "sample", "path": "wide.py", "max_tokens": tokens });
        let said = text(&session.call("read_file", arguments));
        assert!(said.len() < tokens * 4 + 400, "{} bytes for {tokens} tokens", said.len());
    }
}
