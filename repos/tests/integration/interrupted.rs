//! A process that dies in the middle of a sync, without any chance to clean up, and the run after it.
//! The test starts its own binary as that process; it aborts at a step that the parent names.

use std::process::{Child, Command, Stdio};

use repos::{Catalog, RepositoryName, SyncProgress, SyncStep};

use crate::origin::Origin;
use crate::place::{Place, Steps, options, sync, text, word};

const DATA: &str = "REPOLAB_TEST_DIE_IN";
const STEP: &str = "REPOLAB_TEST_DIE_AT";

struct Dies {
    step: String,
}

impl SyncProgress for Dies {
    fn update(&self, _name: &RepositoryName, step: SyncStep) {
        if word(step) == self.step {
            // As sudden as `kill -9`: nothing is dropped, and a git that runs is left behind.
            std::process::abort();
        }
    }
}

/// Does nothing unless it is started by `check`.
#[test]
#[expect(clippy::disallowed_methods, reason = "the parent test tells its child what to do")]
fn child_that_dies() {
    let (Some(data), Ok(step)) = (std::env::var_os(DATA), std::env::var(STEP)) else { return };
    let catalog = Catalog::open(data.as_ref()).unwrap();
    let _ = sync(&catalog, &options(), &Dies { step });
    panic!("the sync ended before the step");
}

#[track_caller]
fn check(step: &str, next_steps: &[&str]) {
    let place = Place::new();
    let origin = Origin::with_files(place.path("o"));
    for number in 0..300 {
        origin.write(&format!("many/{number}.py"), &format!("x = {number}\n"));
    }
    let pinned = origin.commit();
    place.pin(&origin.url(), &pinned);
    let status = start_child(&place, step).wait().unwrap();
    assert_eq!(status.code(), None, "it was to die by a signal");
    assert!(!place.checkout().exists(), "half a checkout is visible");
    assert!(place.catalog().checkouts().unwrap().is_empty());

    if step == "CheckingOut" {
        // What a git that was killed leaves: its lock, and a file of which half was written.
        fs_err::write(place.data().join("checkouts/.partial-origin/.git/index.lock"), "").unwrap();
        fs_err::write(place.data().join("checkouts/.partial-origin/a.py"), "x =").unwrap();
    }
    let steps = Steps::default();
    assert_eq!(sync(&place.catalog(), &options(), &steps).unwrap().commit, pinned);
    assert_eq!(steps.names(), next_steps);
    assert_eq!(text(place.checkout().join("a.py")), "x = 1\n");
    assert_eq!(fs_err::read_dir(place.checkout().join("many")).unwrap().count(), 300);
    assert_eq!(place.checkouts(), ["origin"]);
}

#[test]
fn a_sync_killed_while_it_fetches_starts_anew() {
    check("Fetching", &["Started", "Fetching", "CheckingOut", "Verified"]);
}

#[test]
fn a_sync_killed_while_it_checks_out_goes_on_without_the_server() {
    check("CheckingOut", &["Started", "CheckingOut", "Verified"]);
}

#[test]
fn a_git_that_outlives_its_parent_keeps_the_repository_locked() {
    let place = Place::new();
    // A server that never answers keeps git alive.
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/x", server.local_addr().unwrap());
    place.pin(&url, &"1".repeat(40).parse().unwrap());
    let mut child = start_child(&place, "never");
    let (connection, _) = server.accept().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let lock = fs_err::File::open(place.data().join("checkouts/.lock-origin")).unwrap();
    assert!(lock.try_lock().is_err(), "git is at work and its folder is free to others");
    // The end of the connection ends git, and with it the lock.
    drop(connection);
    lock.lock().unwrap();
}

#[expect(clippy::disallowed_methods, reason = "the test needs a process that it may kill")]
fn start_child(place: &Place, step: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "interrupted::child_that_dies", "--nocapture"])
        .env(DATA, place.data())
        .env(STEP, step)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}
