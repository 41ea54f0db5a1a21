//! `repolab index --watch`, beside an editor.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Stdio};

use serde_json::Value;

use crate::support::{Place, wait_until};

/// A process that follows the disk.
struct Watching {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Watching {
    /// Starts it and waits until it watches.
    fn start(place: &Place) -> Self {
        let mut command = place.command(["--json", "index", "--watch"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut notices = BufReader::new(child.stderr.take().unwrap()).lines();
        assert!(notices.any(|line| line.unwrap().contains("watching")), "it never watched");
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut summary = String::new();
        while !summary.ends_with("\n}\n") {
            assert!(output.read_line(&mut summary).unwrap() > 0, "{summary}");
        }
        Self { child, output }
    }

    /// The next update that it tells of.
    fn update(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("no JSON ({error}): {line:?}"))
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn finds(place: &Place, query: &str) -> bool {
    let hits = place.json(["search", query, "--mode", "symbol"]);
    hits["hits"].as_array().is_some_and(|hits| !hits.is_empty())
}

#[test]
fn every_change_is_indexed_as_it_happens() {
    let place = Place::new()
        .with_repository(
            "sample",
            &[("a.py", "def before(): pass\n"), (".git/HEAD", "ref: refs/heads/main\n")],
        )
        .with_repository("other", &[("a.py", "def elsewhere(): pass\n")]);
    let mut watching = Watching::start(&place);
    // Git's own files change all the time and are no news.
    place.write("sample/.git/index", "1");
    place.write("sample/a.py", "def afterwards(): pass\n");
    let update = watching.update();
    assert_eq!((&update["repository"], &update["files_changed"]), (&"sample".into(), &1.into()), "{update}");
    assert!(finds(&place, "afterwards") && !finds(&place, "before"));
    // In a folder that was not there when the watch began.
    place.write("other/deep/er/b.py", "def deep(): pass\n");
    let update = watching.update();
    assert_eq!((&update["repository"], &update["files_changed"]), (&"other".into(), &1.into()), "{update}");
    place.write("other/deep/er/b.py", "def deeper(): pass\n");
    watching.update();
    assert!(finds(&place, "deeper"));
    fs_err::remove_dir_all(place.folder().join("other/deep")).unwrap();
    assert_eq!(watching.update()["files_changed"], 1);
}

#[test]
fn a_signal_ends_it_cleanly() {
    let place = Place::new().with_repository("sample", &[("a.py", "x = 1\n")]);
    let watching = std::cell::RefCell::new(Watching::start(&place));
    let process = rustix::process::Pid::from_child(&watching.borrow().child);
    rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
    wait_until(|| watching.borrow_mut().child.try_wait().unwrap().is_some());
    assert!(watching.borrow_mut().child.wait().unwrap().success());
}
