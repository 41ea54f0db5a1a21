//! What makes git or a shell run commands: arguments that look like options, transports that are programs,
//! configurations of a repository. Every attack here would leave a file behind.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::json;

use super::{add, error, git};
use crate::support::{Place, Session, provided};

/// The file that a successful attack leaves.
fn mark(place: &Place) -> PathBuf {
    place.folder().join("attacked")
}

#[track_caller]
fn assert_unharmed(place: &Place, attack: &str) {
    assert!(!mark(place).exists(), "{attack} ran a command");
}

/// CVE-2025-68144
#[test]
fn a_source_that_looks_like_an_option_or_a_program_is_refused() {
    let place = Place::new();
    let touch = format!("touch {}", mark(&place).display());
    for source in [
        format!("--upload-pack={touch}"),
        format!("-oProxyCommand={touch}"),
        format!("-u{touch}"),
        format!("ext::sh -c '{touch}'"),
        "fd::17".to_owned(),
        format!("ssh://-oProxyCommand={touch}/x"),
        format!("-oProxyCommand={touch}@host:x"),
        format!("user@-oProxyCommand={touch}:x"),
        "https://-host/x".to_owned(),
        format!("https://host/$({touch})`{touch}`\n-x"),
        format!("host:x;{touch}"),
        String::new(),
    ] {
        let ran = place.run(["repos", "add", "--name", "evil", "--", &source]);
        let added = !ran.stdout().is_empty();
        if added {
            // A URL with odd characters is one; fetching it must do no more than fail.
            place.run(["repos", "sync", "evil", "--timeout-seconds", "5"]).code(1);
            place.run(["repos", "remove", "evil"]).success();
        } else {
            ran.code(1);
        }
        assert_unharmed(&place, &source);
    }
    place.run(["repos", "add", "ext::sh -c true", "--name", "evil"]).code(1);
}

/// CVE-2025-68143, -68145, and the leading dashes of 2026
#[test]
fn names_that_look_like_options_or_paths_are_refused() {
    let place = Place::new();
    let folder = place.write("sample/a.py", "x = 1\n").parent().unwrap().display().to_string();
    for name in
        ["-x", "--help", "--upload-pack=x", "../x", "/tmp", "a/b", ".", "..", "a;b", "a b", "$(x)", ""]
    {
        for arguments in [
            vec!["repos", "add", &folder, &format!("--name={name}")],
            vec!["repos", "link", "--", name, &folder],
            vec!["repos", "sync", "--timeout-seconds", "5", "--", name],
            vec!["repos", "remove", "--", name],
            vec!["index", "--", name],
        ] {
            place.run(&arguments).code(1);
        }
    }
    assert!(
        !place.folder().join("data/checkouts").exists() && !place.folder().join("data/catalog.toml").exists()
    );
}

/// CVE-2025-68145
#[test]
fn a_folder_that_nobody_added_is_no_repository() {
    let place = Place::new().with_repository("sample", &[("a.py", "x = 1\n")]);
    place.write("private/secret.txt", "canary-9d1e");
    let private = place.folder().join("private").display().to_string();
    let mut session = Session::initialized(&place);
    for repo in [private.as_str(), "../private", "sample/../private", "file://private", "-C"] {
        for (tool, arguments) in [
            ("read_file", json!({ "repo": repo, "path": "secret.txt" })),
            ("search", json!({ "repo": repo, "query": "canary" })),
            ("run_in_sandbox", json!({ "repo": repo, "command": "true" })),
        ] {
            assert!(!error(&session.call(tool, arguments)).contains("canary-9d1e"), "{tool} {repo}");
        }
    }
}

/// CVE-2026-27735
#[test]
fn a_pattern_of_paths_leads_nowhere_outside() {
    let place = Place::new().with_repository("sample", &[("a.py", "x = 1\n")]);
    place.write("outside/secret.txt", "canary-9d1e");
    let mut session = Session::initialized(&place);
    for pattern in ["../**", "../outside/*", "/**", "**/../../**", ":(top)..", ":/", "-x", "--", "[", "{"] {
        let arguments = json!({ "query": "canary-9d1e", "mode": "literal", "path_glob": pattern });
        let result = session.call("search", arguments);
        let hits = result["structuredContent"]["hits"].as_array();
        assert!(result["isError"] == true || hits.is_some_and(Vec::is_empty), "{pattern}: {result}");
    }
}

/// CVE-2026-7811, -7812, -7588
#[test]
fn no_parameter_reaches_a_shell_or_becomes_a_path() {
    let place = Place::new().with_repository("sample", &[("a.py", "x = 1\n")]);
    let mark = mark(&place).display().to_string();
    let mut session = Session::initialized(&place);
    for attack in [
        format!("; touch {mark}"),
        format!("$(touch {mark})"),
        format!("`touch {mark}`"),
        format!("| touch {mark}"),
        format!("x\ntouch {mark}"),
        "../../etc/passwd".to_owned(),
    ] {
        for (tool, arguments) in [
            ("read_file", json!({ "repo": "sample", "path": attack })),
            ("read_file", json!({ "repo": "sample", "path": "a.py", "symbol": attack })),
            ("read_file", json!({ "repo": "sample", "path": "a.py", "workspace": attack })),
            ("read_file", json!({ "repo": attack, "path": "a.py" })),
            ("search", json!({ "query": "x", "language": attack })),
            ("search", json!({ "query": "x", "mode": attack })),
            ("search", json!({ "query": "x", "cursor": attack })),
            ("run_in_sandbox", json!({ "repo": attack, "command": "true" })),
        ] {
            let said = error(&session.call(tool, arguments.clone()));
            assert!(!said.contains("root:x:0"), "{tool} {arguments}: {said}");
        }
        session.call("search", json!({ "query": attack, "mode": "literal" }));
        session.call("search", json!({ "query": attack }));
        assert_unharmed(&place, &attack);
    }
    let said = error(&session.call("search", json!({ "query": "x", "language": "../../etc" })));
    assert!(said.contains("python"), "the languages are named: {said}");
}

/// CVE-2025-68144, and the rule not to run git under a repository's own configuration
#[test]
fn the_configuration_of_a_linked_folder_runs_nothing() {
    let place = hostile_folder();
    add(&place, "sample");
    for arguments in [
        vec!["repos", "status"],
        vec!["repos", "sync", "sample"],
        vec!["index"],
        vec!["search", "answer"],
        vec!["read", "sample", "a.py"],
        vec!["doctor"],
    ] {
        place.run(&arguments);
        assert_unharmed(&place, &arguments.join(" "));
    }
    let image = provided("REPOLAB_TEST_IMAGE");
    let flags: Vec<&str> = image.iter().flat_map(|image| ["--image", image.as_str()]).collect();
    let mut session = Session::initialized_with(&place, &flags);
    for (tool, arguments) in [
        ("list_repositories", json!({})),
        ("list_files", json!({ "repo": "sample" })),
        ("search", json!({ "query": "answer" })),
        ("outline", json!({ "repo": "sample", "path": "a.py" })),
        ("find_references", json!({ "repo": "sample", "symbol": "answer" })),
        ("read_file", json!({ "repo": "sample", "path": "a.py" })),
        ("write_file", json!({ "repo": "sample", "path": "b.py", "content": "x" })),
        ("run_in_sandbox", json!({ "repo": "sample", "command": "ls" })),
    ] {
        session.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert_unharmed(&place, tool);
    }
}

/// A repository whose every setting and hook leaves the mark, and which any careless `git status` would set off.
fn hostile_folder() -> Place {
    let place = Place::new();
    place.write("sample/a.py", "def answer():\n    return 42\n");
    place.write("sample/.gitattributes", "* filter=evil diff=evil\n");
    let folder = place.folder().join("sample");
    git(&folder, &["init", "-q"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-qm", "one"]);
    let program = place.write("attack.sh", format!("#!/bin/sh\ntouch '{}'\ncat\n", mark(&place).display()));
    executable(&program);
    let program = program.display();
    place.write(
        "sample/.git/config",
        format!(
            "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = {program}\n\tpager = {program}\n\
             \teditor = {program}\n\tsshCommand = {program}\n\tgitProxy = {program}\n\
             [filter \"evil\"]\n\tclean = {program}\n\tsmudge = {program}\n\tprocess = {program}\n\
             [diff \"evil\"]\n\ttextconv = {program}\n[diff]\n\texternal = {program}\n\
             [credential]\n\thelper = !{program}\n[uploadpack]\n\tpackObjectsHook = {program}\n"
        ),
    );
    for hook in ["post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman"] {
        let hook = place.write(&format!("sample/.git/hooks/{hook}"), format!("#!/bin/sh\nexec {program}\n"));
        executable(&hook);
    }
    // Its time differs from the index's, so that git would ask the monitor and the filter.
    place.write("sample/a.py", "def answer():\n    return 43\n");
    place
}

fn executable(path: &std::path::Path) {
    fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// The attack works on who is careless, so the test above means something.
#[test]
fn a_careless_git_status_would_run_the_configuration() {
    let place = hostile_folder();
    git(&place.folder().join("sample"), &["status"]);
    assert!(mark(&place).exists());
}
