//! A thousand hostile paths through every tool and the resources, with links of every kind in the repository and
//! somebody who swaps them meanwhile: nothing outside is ever shown, listed or written.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::support::{Place, Session};

/// What stands in every file that must not be seen.
const SECRET: &str = "canary-7f3a";
const SWAPS: u32 = 10_000;

/// A repository among neighbours that must stay unseen.
struct Hostile {
    place: Place,
    outside: PathBuf,
}

impl Hostile {
    fn new() -> Self {
        let place = Place::new();
        let outside = place.write("repo-evil/secret.txt", SECRET).parent().unwrap().to_owned();
        place.write("secret.txt", SECRET);
        place.write("repo/.git/config", format!("[core]\n\tfsmonitor = {SECRET}\n"));
        let place = place.with_repository(
            "repo",
            &[
                ("a.py", "def a():\n    return 1\n"),
                ("inner/b.py", "x = 1\n"),
                ("swapped/secret.txt", "harmless\n"),
            ],
        );
        let links = [
            ("absolute", outside.join("secret.txt").display().to_string()),
            ("relative", "../repo-evil/secret.txt".to_owned()),
            ("folder", "../repo-evil".to_owned()),
            ("up", "..".to_owned()),
            ("root", "/".to_owned()),
            ("magic", format!("/proc/self/root{}", outside.join("secret.txt").display())),
            ("chain", "absolute".to_owned()),
            ("inner/chain", "../folder/secret.txt".to_owned()),
            ("loop", "loop".to_owned()),
            ("circle", ".".to_owned()),
            ("missing", outside.join("new.txt").display().to_string()),
            ("git", ".git/config".to_owned()),
        ];
        for (name, target) in links {
            symlink(target, place.folder().join("repo").join(name)).unwrap();
        }
        let pipe = place.folder().join("repo/pipe");
        let fifo = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, pipe, fifo, rustix::fs::Mode::RUSR, 0).unwrap();
        Self { place, outside }
    }

    /// Paths that lead out, each by another trick and in several disguises.
    fn paths(&self) -> Vec<String> {
        let absolute = self.outside.join("secret.txt").display().to_string();
        let goals = [
            "../secret.txt",
            "../repo-evil/secret.txt",
            "../../etc/passwd",
            "absolute",
            "relative",
            "magic",
            "chain",
            "folder/secret.txt",
            "folder/../secret.txt",
            "up/secret.txt",
            "up/repo-evil/secret.txt",
            "root/etc/passwd",
            "root/proc/self/environ",
            "inner/chain",
            "inner/../../secret.txt",
            "circle/up/secret.txt",
            "circle/circle/absolute",
            "loop",
            "missing",
            "git",
            ".git/config",
            ".GIT/config",
            ".git\u{200c}/config",
            "inner/.git/../../.git/config",
            "pipe",
            "/etc/passwd",
            "/proc/self/environ",
            "/dev/zero",
            "/dev/fd/0",
            "~/secret.txt",
            "$HOME/secret.txt",
            "`cat ../secret.txt`",
            "|cat ../secret.txt",
            "-rf",
            "--help",
            "file:///etc/passwd",
            "C:\\secret.txt",
            "..\\secret.txt",
            "\\\\host\\secret.txt",
            "a.py/../../secret.txt",
            "a.py\0.txt",
            "\u{ff0e}\u{ff0e}/secret.txt",
            "\u{2024}\u{2024}/secret.txt",
            "..\u{2215}secret.txt",
            "..%2fsecret.txt",
            "%2e%2e/secret.txt",
            "%252e%252e/secret.txt",
            "..;/secret.txt",
            ".../secret.txt",
            "....//secret.txt",
            "..\u{0}/secret.txt",
            &absolute,
        ];
        let disguises: [fn(&str) -> String; 10] = [
            |path| path.to_owned(),
            |path| format!("./{path}"),
            |path| format!("inner/../{path}"),
            |path| format!("./././inner/./../{path}"),
            |path| format!("{path}/"),
            |path| format!("{path}/."),
            |path| format!(" {path}"),
            |path| path.replace('/', "//"),
            |path| format!("inner/{path}"),
            |path| format!("{}{path}", "circle/".repeat(50)),
        ];
        let mut paths: Vec<String> =
            goals.iter().flat_map(|goal| disguises.iter().map(|disguise| disguise(goal))).collect();
        paths.extend((1..=60).map(|depth| format!("{}secret.txt", "../".repeat(depth))));
        paths.extend((1..=60).map(|depth| format!("inner/{}etc/passwd", "../".repeat(depth))));
        paths.push("x/".repeat(5_000));
        paths.push("x".repeat(70_000));
        paths
    }

    /// What the outside looks like; it must look the same afterwards.
    fn outside_listing(&self) -> Vec<String> {
        let mut names: Vec<String> = [self.place.folder(), &self.outside]
            .iter()
            .flat_map(|folder| fs_err::read_dir(folder).unwrap())
            .map(|entry| entry.unwrap().path().display().to_string())
            .collect();
        names.sort();
        names
    }
}

#[test]
fn a_thousand_hostile_paths_show_and_change_nothing_outside() {
    let hostile = Hostile::new();
    let before = hostile.outside_listing();
    let mut session = Session::initialized(&hostile.place);
    let mut asked = 0;
    for path in hostile.paths() {
        for (tool, arguments) in calls(&path) {
            let response = session.request("tools/call", json!({ "name": tool, "arguments": arguments }));
            assert_keeps_the_secret(&response, tool, &path);
            asked += 1;
        }
        let encoded = format!("repo://repo/{}", path.replace('%', "%25").replace(' ', "%20"));
        for uri in [format!("repo://repo/{path}"), encoded] {
            let response = session.request("resources/read", json!({ "uri": uri }));
            assert_keeps_the_secret(&response, "resources/read", &path);
            asked += 1;
        }
    }
    assert!(asked > 3_000, "only {asked} questions were asked");
    assert_eq!(hostile.outside_listing(), before);
    let secret = fs_err::read_to_string(hostile.outside.join("secret.txt")).unwrap();
    assert_eq!(secret, SECRET);
}

#[test]
fn a_link_that_is_swapped_while_it_is_read_leaks_nothing() {
    let hostile = Hostile::new();
    let folder = hostile.place.folder().join("repo");
    let mut session = Session::initialized(&hostile.place);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| swap_until(&done, &folder));
        let (mut harmless, mut refused) = (0, 0);
        for number in 0..SWAPS {
            let (tool, arguments) = match number % 4 {
                0 => ("list_files", json!({ "repo": "repo", "path": "swapped" })),
                _ => ("read_file", json!({ "repo": "repo", "path": "swapped/secret.txt" })),
            };
            let response = session.request("tools/call", json!({ "name": tool, "arguments": arguments }));
            assert_keeps_the_secret(&response, tool, "swapped");
            if response["result"]["isError"] == true { refused += 1 } else { harmless += 1 }
        }
        done.store(true, Ordering::Relaxed);
        assert!(harmless > 0 && refused > 0, "{harmless} read and {refused} refused: no race took place");
    });
}

/// Exchanges a folder and a link to the outside, again and again.
fn swap_until(done: &AtomicBool, folder: &Path) {
    symlink("../repo-evil", folder.join("waiting")).unwrap();
    while !done.load(Ordering::Relaxed) {
        let (one, other) = (folder.join("swapped"), folder.join("waiting"));
        let exchange = rustix::fs::RenameFlags::EXCHANGE;
        rustix::fs::renameat_with(rustix::fs::CWD, &one, rustix::fs::CWD, &other, exchange).unwrap();
    }
}

/// Every way to name a path.
fn calls(path: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("read_file", json!({ "repo": "repo", "path": path })),
        ("list_files", json!({ "repo": "repo", "path": path })),
        ("outline", json!({ "repo": "repo", "path": path })),
        ("find_references", json!({ "repo": "repo", "symbol": "a", "path": path })),
        ("search", json!({ "repo": "repo", "query": SECRET, "mode": "literal", "path_glob": path })),
        ("read_file", json!({ "repo": path, "path": "secret.txt" })),
        ("read_file", json!({ "repo": "repo", "path": "a.py", "workspace": path })),
        ("write_file", json!({ "repo": "repo", "path": "a.py", "workspace": path, "content": "x" })),
    ]
}

#[track_caller]
fn assert_keeps_the_secret(response: &Value, tool: &str, path: &str) {
    let text = response.to_string();
    // A question may be repeated in its answer; the content of a file must not be.
    let shown = text.replace(&format!("`{SECRET}`"), "");
    assert!(!shown.contains(SECRET) && !shown.contains("root:x:0"), "{tool} {path:?}: {text}");
    assert!(response["result"].is_object() || response["error"].is_object(), "{tool} {path:?}: {text}");
}
