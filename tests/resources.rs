//! Files of repositories as MCP resources, which a person attaches to a conversation from a menu.

use serde_json::{Value, json};

use crate::support::{Place, Session, modern};

const PIXEL: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

fn place() -> Place {
    let place = Place::new();
    place.write("sample/assets/pixel.png", PIXEL);
    place.with_repository(
        "sample",
        &[
            ("README.md", "# Sample\n\nHello.\n"),
            ("src/train me.py", "one = 1\ntwo = 2\nthree = 3\n"),
            ("src/traffic.py", "x = 1\n"),
            ("src/inner/deep.py", "y = 1\n"),
            ("notes.txt", "a\u{202e}b\n"),
        ],
    )
}

fn read(session: &mut Session, uri: &str) -> Value {
    session.request("resources/read", json!({ "uri": uri }))
}

#[test]
fn each_repository_is_listed_with_where_to_begin() {
    let place = place();
    let mut session = Session::initialized(&place);
    let listed = session.request("resources/list", json!({}))["result"].take();
    let resource = &listed["resources"][0];
    assert_eq!(resource["uri"], "repo://sample/README.md");
    assert_eq!((&resource["mimeType"], &resource["size"]), (&json!("text/markdown"), &json!(17)));
    let templates = session.request("resources/templates/list", json!({}))["result"].take();
    assert_eq!(templates["resourceTemplates"][0]["uriTemplate"], "repo://{repo}/{+path}");
}

#[test]
fn many_repositories_come_in_pages_that_hold_each_once() {
    let place = Place::new();
    for number in 0..120 {
        let folder = place.write(&format!("all/r{number}/README.md"), "# R\n");
        let folder = folder.parent().unwrap().display().to_string();
        place.run(["repos", "add", &folder]).success();
    }
    let mut session = Session::initialized(&place);
    let first = session.request("resources/list", json!({}))["result"].take();
    let cursor = first["nextCursor"].as_str().unwrap();
    let second = session.request("resources/list", json!({ "cursor": cursor }))["result"].take();
    let uris = [&first, &second].map(|page| page["resources"].as_array().unwrap().len());
    assert_eq!(uris, [100, 20]);
    assert!(second["nextCursor"].is_null());
    let wrong = session.request("resources/list", json!({ "cursor": "nonsense" }));
    assert_eq!(wrong["error"]["code"], -32602);
}

#[test]
fn a_file_is_read_whole_or_by_lines() {
    let place = place();
    let mut session = Session::initialized(&place);
    for (uri, expected) in [
        ("repo://sample/README.md", "# Sample\n\nHello.\n"),
        ("repo://sample/src/train%20me.py", "one = 1\ntwo = 2\nthree = 3\n"),
        ("repo://sample/src%2Ftrain%20me.py", "one = 1\ntwo = 2\nthree = 3\n"),
        ("repo://sample/src/train%20me.py#L2-L2", "two = 2\n"),
        ("repo://sample/notes.txt", "a\\u{202e}b\n"),
    ] {
        let contents = read(&mut session, uri)["result"]["contents"][0].take();
        assert_eq!((&contents["uri"], &contents["text"]), (&json!(uri), &json!(expected)));
    }
    let picture = read(&mut session, "repo://sample/assets/pixel.png")["result"]["contents"][0].take();
    assert_eq!(
        (&picture["mimeType"], &picture["blob"]),
        (&json!("image/png"), &json!("iVBORw0KGgoAAAANSUhEUg=="))
    );
}

#[test]
fn what_is_not_there_or_leads_out_is_refused_with_the_next_step() {
    let place = place();
    std::os::unix::fs::symlink("/etc/passwd", place.folder().join("sample/leak")).unwrap();
    let mut session = Session::initialized(&place);
    for (uri, code, expected) in [
        ("repo://sample/src/trafic.py", -32002, "did you mean `src/traffic.py`"),
        ("repo://sampel/README.md", -32002, "did you mean `sample`"),
        ("file:///etc/passwd", -32002, "repo://"),
        ("repo://sample/../../etc/passwd", -32602, "`..`"),
        ("repo://sample/%2e%2e/%2e%2e/etc/passwd", -32602, "`..`"),
        ("repo://sample//etc/passwd", -32602, "absolute"),
        ("repo://sample/leak", -32602, "leads out"),
        ("repo://sample/src", -32602, "folder"),
        ("repo://sample/.git/config", -32602, "git"),
    ] {
        let error = read(&mut session, uri)["error"].take();
        assert_eq!(error["code"], code, "{uri}: {error}");
        assert!(error["message"].as_str().unwrap().contains(expected), "{uri}: {error}");
    }
    let of_today = session.request("resources/read", modern(json!({ "uri": "repo://sample/nothing" })));
    assert_eq!(of_today["error"]["code"], -32602, "the stateless era has one code for both");
}

#[test]
fn a_file_that_would_fill_a_context_is_refused_with_the_way_to_read_it() {
    let place = Place::new().with_repository("sample", &[("big.txt", &"line\n".repeat(20_000))]);
    let mut session = Session::initialized(&place);
    let error = read(&mut session, "repo://sample/big.txt")["error"].take();
    assert!(error["message"].as_str().unwrap().contains("#L1-L400"), "{error}");
    let lines = read(&mut session, "repo://sample/big.txt#L1-L400");
    assert_eq!(lines["result"]["contents"][0]["text"], "line\n".repeat(400));
}

#[test]
fn repositories_and_paths_are_completed() {
    let place = place();
    let mut session = Session::initialized(&place);
    let template = json!({ "type": "ref/resource", "uri": "repo://{repo}/{+path}" });
    let mut complete = |name: &str, value: &str| {
        let parameters = json!({
            "ref": template, "argument": { "name": name, "value": value },
            "context": { "arguments": { "repo": "sample" } },
        });
        session.request("completion/complete", parameters)["result"]["completion"]["values"].take()
    };
    assert_eq!(complete("repo", "SAM"), json!(["sample"]));
    assert_eq!(complete("repo", "zzz"), json!([]));
    assert_eq!(complete("path", ""), json!(["assets/", "src/", "README.md", "notes.txt"]));
    assert_eq!(complete("path", "src/tra"), json!(["src/traffic.py", "src/train me.py"]));
    assert_eq!(complete("path", "src/inner/"), json!(["src/inner/deep.py"]));
    assert_eq!(complete("path", "../"), json!([]));
}
