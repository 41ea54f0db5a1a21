//! What users complained of in servers like this one, and the attacks that succeeded on them: one named test each.
//!
//! Complaints, numbered as in the survey that this list comes from:
//!
//! | complaint | where it is tested, or why it does not apply |
//! | --- | --- |
//! | 1 links and roots that lead out | [`paths`], `hostile_paths` |
//! | 2 Windows drive letters and case | not served: paths are POSIX; backslashes are refused in `hostile_paths` |
//! | 3 paths in lower case | [`paths`] |
//! | 4 trees without a depth limit | [`sizes`] |
//! | 5 a search that hangs on a mount | [`paths`] (a pipe), [`protocol`] (an index that never comes) |
//! | 6 wildcards that find nothing | [`paths`] |
//! | 7 ranges of lines | [`paths`] |
//! | 8 two shapes of an answer, errors without a reason | [`protocol`] |
//! | 9 fifty long lines beyond the limit | [`sizes`] |
//! | 10 answers of 100,000 tokens | [`sizes`], `wire::no_answer_is_larger_than_a_client_takes` |
//! | 11 limits and flags that are ignored; no answer to `initialize` | [`sizes`], [`indexes`], [`protocol`] |
//! | 12 indexes that are lost, bury sources or are locked for ever | [`indexes`] |
//! | 13 a second start without tools, a probe before `initialize` | [`protocol`], [`indexes`] |
//! | 14 stale indexes that nobody notices | [`indexes`] |
//! | 15 a child that inherits the protocol's stream | [`sandbox`] |
//! | 16 activation beyond the client's patience, an empty language list for ever | [`protocol`], [`indexes`] |
//! | 17 recovery text that asks for the whole dump, parsing in every session | [`sizes`], [`indexes`] |
//! | 18 slow lists of many repositories, the wrong work tree | [`indexes`], [`paths`] |
//! | 19 definitions of tools that fill the context | [`sizes`] |
//! | 20 sources that break a token counter | [`sizes`] |
//! | 21 sandboxes that time out, hang and leave containers | [`sandbox`], `pitfalls`, `sandbox/tests/engine` |
//! | 22 content and structure that differ | [`protocol`], `wire::both_forms_of_an_answer_are_whole` |
//! | 23 `GET` on a server without a stream | [`http`] |
//! | 24 a panic that ends the server | [`protocol`]; the catch itself in `server/src/mcp/guard.rs` |
//! | 25 number formats that a client warns of | [`protocol`] |
//!
//! Incidents:
//!
//! | incident | where it is tested, or why it does not apply |
//! | --- | --- |
//! | CVE-2025-53109, -53110: links, prefix siblings | [`paths`], `hostile_paths` (with a race) |
//! | CVE-2025-68143, -68144, -68145: git's arguments, any folder | [`git`], `repos/tests/integration/hostile.rs` |
//! | CVE-2026-27735: path patterns that lead out | [`git`] |
//! | leading dashes in further git tools | [`git`]; no tool takes a revision |
//! | CVE-2026-7811, -7812, -7588: shell, language as a path | [`git`] |
//! | CVE-2025-49596: an open port that a web page can use | [`http`] |
//! | CVE-2025-66414, -66416, CVE-2026-42559: DNS rebinding | [`http`] |
//! | CVE-2025-6514: addresses for authorization | does not apply: a flaw of clients; this server sends none |
//! | CVE-2026-25536: one client reads another's answer | [`http`], `pitfalls::calls_at_one_time_each_get_their_own_answer` |
//! | CVE-2026-0621: patterns that take for ever | [`protocol`] |
//! | CVE-2026-30623: a configuration that starts commands | [`git`]: no tool writes outside a workspace |

/// Arguments, transports and configurations that make git or a shell run commands.
mod git;
/// What a web page or another machine can reach.
mod http;
/// Indexes: complete, current, shared, never locked for ever.
mod indexes;
/// Paths, patterns and ranges.
mod paths;
/// Handshakes, shapes of answers, and what must not end a server.
mod protocol;
/// Commands that hang, fail, flood and stay.
mod sandbox;
/// Answers and definitions that fit.
mod sizes;

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Place, Ran, Session};

/// The text of an answer that is no error.
#[track_caller]
fn text(result: &Value) -> String {
    assert_ne!(result["isError"], true, "{result}");
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

/// The text of an answer that is an error.
#[track_caller]
fn error(result: &Value) -> String {
    assert_eq!(result["isError"], true, "{result}");
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

/// The paths of a search's hits.
#[track_caller]
fn hits(session: &mut Session, arguments: Value) -> Vec<String> {
    let result = session.call("search", arguments);
    assert_ne!(result["isError"], true, "{result}");
    let hits = result["structuredContent"]["hits"].as_array().unwrap();
    hits.iter().map(|hit| hit["path"].as_str().unwrap().to_owned()).collect()
}

/// Whether a literal text is found in the repository `sample`.
#[track_caller]
fn finds(session: &mut Session, words: &str) -> bool {
    !hits(session, json!({ "query": words, "repo": "sample", "mode": "text" })).is_empty()
}

/// Serves a folder that is below the place already.
fn add(place: &Place, folder: &str) {
    let path = place.folder().join(folder);
    place.run(["repos", "add", path.to_str().unwrap(), "--name", folder]).success();
}

/// The machine's own git, as an attacker or a user uses it.
#[expect(clippy::disallowed_methods, reason = "tests make repositories as people do")]
fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(folder)
        .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
        .args(arguments);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null");
    Ran::of(command).success();
}

/// The state of the index of `sample`, as a client sees it.
fn index_state(session: &mut Session) -> String {
    let listed = session.call("list_repositories", json!({}));
    listed["structuredContent"]["repositories"][0]["index"].as_str().unwrap().to_owned()
}
