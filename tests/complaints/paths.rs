//! Paths that lead out, are spelled in another way, or lie in another work tree; patterns and ranges that surprise.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::{add, error, git, hits, text};
use crate::support::{Place, Session};

const SECRET: &str = "canary-51c0";

/// wonderwhy-er/DesktopCommanderMCP#219, #420, CVE-2025-53109
#[test]
fn a_link_to_the_outside_is_neither_read_nor_written_through() {
    let place = Place::new().with_repository("sample", &[("a.py", "x = 1\n")]);
    let secret = place.write("outside/secret.txt", SECRET);
    let missing = place.folder().join("outside/new.txt");
    let inside = |name: &str| place.folder().join("sample").join(name);
    symlink(&secret, inside("file")).unwrap();
    symlink(place.folder().join("outside"), inside("folder")).unwrap();
    symlink("file", inside("chain")).unwrap();
    symlink(&missing, inside("missing")).unwrap();
    let mut session = Session::initialized(&place);
    for path in ["file", "folder/secret.txt", "chain", "missing"] {
        let answer = session.call("read_file", json!({ "repo": "sample", "path": path }));
        assert!(!error(&answer).contains(SECRET), "{path}: {answer}");
    }
    assert!(hits(&mut session, json!({ "query": SECRET, "mode": "literal" })).is_empty());
    // A private copy may hold such names as files of its own; what they led to stays as it was.
    for path in ["file", "folder/secret.txt", "folder/new.txt", "chain", "missing", "../outside/new.txt"] {
        session.call("write_file", json!({ "repo": "sample", "path": path, "content": "overwritten" }));
    }
    assert_eq!(fs_err::read_to_string(&secret).unwrap(), SECRET);
    assert!(!missing.exists());
}

/// wonderwhy-er/DesktopCommanderMCP#403
#[test]
fn nothing_is_served_before_somebody_says_so() {
    let place = Place::new();
    place.write("a.txt", SECRET);
    let mut session = Session::initialized(&place);
    assert!(
        session.call("list_repositories", json!({}))["structuredContent"]["repositories"]
            .as_array()
            .unwrap()
            .is_empty()
    );
    for repo in ["/", ".", "..", "", place.folder().to_str().unwrap()] {
        let answer = session.call("read_file", json!({ "repo": repo, "path": "a.txt" }));
        assert!(!error(&answer).contains(SECRET), "{repo}: {answer}");
    }
}

/// CVE-2025-53110
#[test]
fn a_neighbour_whose_name_begins_alike_stays_out_of_reach() {
    let place = Place::new().with_repository("repo", &[("a.py", "x = 1\n")]);
    let neighbour = place.write("repo-evil/secret.txt", SECRET);
    let mut session = Session::initialized(&place);
    for path in ["../repo-evil/secret.txt", "-evil/secret.txt", neighbour.to_str().unwrap()] {
        let answer = session.call("read_file", json!({ "repo": "repo", "path": path }));
        assert!(!error(&answer).contains(SECRET), "{path}: {answer}");
    }
    error(&session.call("read_file", json!({ "repo": "repo-evil", "path": "secret.txt" })));
}

/// modelcontextprotocol/servers#194
#[test]
fn names_that_differ_by_case_are_two_files() {
    let files = [("Model.py", "big = 1\n"), ("model.py", "small = 1\n"), ("SRC/A.py", "deep = 1\n")];
    let place = Place::new().with_repository("sample", &files);
    let mut session = Session::initialized(&place);
    for (path, content) in files {
        let answer = text(&session.call("read_file", json!({ "repo": "sample", "path": path })));
        assert!(answer.contains(content.trim()), "{answer}");
        assert_eq!(hits(&mut session, json!({ "query": content.trim(), "mode": "literal" })), [path]);
    }
    error(&session.call("read_file", json!({ "repo": "sample", "path": "src/a.py" })));
}

/// modelcontextprotocol/servers#4162
#[test]
fn a_file_that_never_ends_or_never_answers_holds_up_nobody() {
    let place = Place::new().with_repository("sample", &[("a.py", "def answer():\n    return 42\n")]);
    let mode = rustix::fs::Mode::RUSR;
    let pipe = place.folder().join("sample/pipe.py");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    symlink("/dev/zero", place.folder().join("sample/zero.py")).unwrap();
    symlink(".", place.folder().join("sample/again")).unwrap();
    let mut session = Session::initialized(&place);
    assert_eq!(hits(&mut session, json!({ "query": "answer" })), ["a.py"]);
    for path in ["pipe.py", "zero.py"] {
        error(&session.call("read_file", json!({ "repo": "sample", "path": path })));
    }
}

/// modelcontextprotocol/servers#1067
#[test]
fn patterns_find_what_people_expect_of_them() {
    let line = "wanted = 1\n";
    let place = Place::new().with_repository(
        "sample",
        &[("top.py", line), ("src/one.py", line), ("src/deep/two.py", line), ("notes.md", line)],
    );
    let mut session = Session::initialized(&place);
    for (pattern, expected) in [
        ("*.py", vec!["src/deep/two.py", "src/one.py", "top.py"]),
        ("**/*.py", vec!["src/deep/two.py", "src/one.py", "top.py"]),
        ("src/**/*.py", vec!["src/deep/two.py", "src/one.py"]),
        ("src/*.py", vec!["src/one.py"]),
        ("src/", vec!["src/deep/two.py", "src/one.py"]),
        ("src", vec!["src/deep/two.py", "src/one.py"]),
        ("two*", vec!["src/deep/two.py"]),
        ("*.{md,py}", vec!["notes.md", "src/deep/two.py", "src/one.py", "top.py"]),
    ] {
        let mut found =
            hits(&mut session, json!({ "query": "wanted", "mode": "literal", "path_glob": pattern }));
        found.extend(also_at(&mut session, pattern));
        found.sort();
        found.dedup();
        assert_eq!(found, expected, "{pattern}");
    }
    let nothing = session.call("search", json!({ "query": "wanted", "path_glob": "*.rs" }));
    assert!(text(&nothing).contains("path_glob"), "an empty answer says what to drop: {nothing}");
}

/// Copies are shown once, with the further places.
fn also_at(session: &mut Session, pattern: &str) -> Vec<String> {
    let answer =
        session.call("search", json!({ "query": "wanted", "mode": "literal", "path_glob": pattern }));
    let hits = answer["structuredContent"]["hits"].as_array().unwrap();
    let further = hits.iter().flat_map(|hit| hit["also_at"].as_array().cloned().unwrap_or_default());
    further.map(|path| path.as_str().unwrap().to_owned()).collect()
}

/// modelcontextprotocol/servers#4025, rust-mcp-filesystem#35
#[test]
fn pages_of_a_file_join_to_the_whole_file() {
    let lines: Vec<String> = (1..=3_000).map(|number| format!("value_{number} = {number}\n")).collect();
    let lines = lines.concat();
    let place = Place::new().with_repository("sample", &[("a.py", lines.as_str())]);
    let mut session = Session::initialized(&place);
    let (mut next, mut joined, mut pages) = (json!(1), String::new(), 0);
    while !next.is_null() {
        let arguments = json!({ "repo": "sample", "path": "a.py", "start_line": next });
        let page = session.call("read_file", arguments)["structuredContent"].take();
        for row in page["text"].as_str().unwrap().lines() {
            joined += row.split_once('\t').unwrap().1;
            joined.push('\n');
        }
        next = page["next_line"].clone();
        pages += 1;
    }
    assert!(joined == lines && pages > 1, "{pages} pages of {} bytes", joined.len());
    let middle = json!({ "repo": "sample", "path": "a.py", "start_line": 2_999, "end_line": 9_999 });
    let middle = session.call("read_file", middle)["structuredContent"].take();
    assert_eq!((&middle["start_line"], &middle["end_line"]), (&json!(2_999), &json!(3_000)));
}

/// abhigyanpatwari/GitNexus#1662, MrLesk/Backlog.md#1034, Dave-London/Pare#876
#[test]
fn each_work_tree_answers_for_itself_wherever_the_server_was_started() {
    let place = Place::new();
    place.write("main/a.py", "branch = 'main'\n");
    let main = place.folder().join("main");
    git(&main, &["init", "-q", "-b", "main"]);
    git(&main, &["add", "."]);
    git(&main, &["commit", "-qm", "one"]);
    git(&main, &["worktree", "add", "-q", "-b", "other", "../other"]);
    place.write("other/a.py", "branch = 'other'\n");
    git(&place.folder().join("other"), &["commit", "-qam", "two"]);
    add(&place, "main");
    add(&place, "other");
    let mut session = Session::initialized(&place);
    let mut read = |repo: &str| -> Value {
        session.call("read_file", json!({ "repo": repo, "path": "a.py" }))["structuredContent"].take()
    };
    let (one, two) = (read("main"), read("other"));
    assert!(one["text"].as_str().unwrap().contains("'main'"), "{one}");
    assert!(two["text"].as_str().unwrap().contains("'other'"), "{two}");
    assert!(one["commit"].is_string() && two["commit"].is_string() && one["commit"] != two["commit"]);
}
