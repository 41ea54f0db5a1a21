//! Builds that die, and builds that meet.

use std::io::Read;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use indexer::{BuildProgress, IndexState, IndexStore, Mode};

use crate::fixture::{Fixture, checkout};

// How a test process is told to be the builder that dies: where the repository and the indexes are.
const REPOSITORY: &str = "INDEXER_TEST_REPOSITORY";
const INDEXES: &str = "INDEXER_TEST_INDEXES";

/// Says so when the build is under way, and never lets it go on.
struct StopsMidway;

#[expect(clippy::print_stdout, reason = "the parent test listens")]
impl BuildProgress for StopsMidway {
    fn total(&self, _files: u64) {}

    fn advance(&self, _files: u64) {
        println!("under way");
        loop {
            std::thread::sleep(std::time::Duration::from_secs(60));
        }
    }
}

/// Not a test: what the child process runs.
#[test]
#[ignore = "runs in a process of its own, started by the test below"]
#[expect(clippy::disallowed_methods, reason = "the parent passes folders through the environment")]
fn builder_that_dies() {
    let folder = |name| std::path::PathBuf::from(std::env::var_os(name).unwrap());
    let checkout = checkout("sample", &folder(REPOSITORY));
    let _ = IndexStore::new(folder(INDEXES)).build(&checkout, &StopsMidway);
}

#[expect(clippy::disallowed_methods, reason = "the test starts its own binary, with an environment it sets")]
fn start_builder(fixture: &Fixture) -> Child {
    std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "durability::builder_that_dies", "--ignored", "--nocapture"])
        .env_clear()
        .env(REPOSITORY, &fixture.checkout.folder)
        .env(INDEXES, fixture.index_folder().parent().unwrap())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn wait_until_under_way(builder: &mut Child) {
    let mut heard = Vec::new();
    let mut byte = [0];
    let output = builder.stdout.as_mut().unwrap();
    while !heard.ends_with(b"under way") {
        assert_eq!(
            output.read(&mut byte).unwrap(),
            1,
            "the builder ended: {}",
            String::from_utf8_lossy(&heard)
        );
        heard.push(byte[0]);
    }
}

#[test]
fn a_killed_build_leaves_the_old_index_and_debris_that_the_next_removes() {
    let fixture = Fixture::new(&[("a.py", "def first(): pass\n")]);
    fixture.store.build(&fixture.checkout, &()).unwrap();
    fixture.write("b.py", "def second(): pass\n");
    let mut builder = start_builder(&fixture);
    wait_until_under_way(&mut builder);
    builder.kill().unwrap();
    builder.wait().unwrap();
    assert!(matches!(fixture.store.state(&fixture.checkout), IndexState::Stale(_)));
    let old = fixture.store.open(&fixture.checkout).unwrap();
    assert_eq!(old.search(&crate::fixture::query(Mode::Symbol, "first")).unwrap().len(), 1);
    assert_eq!(fixture.search(Mode::Symbol, "second").len(), 1);
    assert_eq!(fixture.index_entries(), ["files", "layer", "layer", "lock", "manifest.json"]);
}

/// Counts the files that were read.
#[derive(Default)]
struct Counts(AtomicU64);

impl BuildProgress for Counts {
    fn total(&self, _files: u64) {}

    fn advance(&self, files: u64) {
        self.0.fetch_add(files, Ordering::Relaxed);
    }
}

#[test]
fn a_build_that_waits_for_another_takes_over_its_index() {
    let fixture = Fixture::new(&[("a.py", "def first(): pass\n")]);
    let lock = fixture.index_folder().join("lock");
    fs_err::create_dir_all(fixture.index_folder()).unwrap();
    let held = fs_err::File::create(lock).unwrap();
    held.lock().unwrap();
    let counts = Counts::default();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| fixture.store.build(&fixture.checkout, &counts).unwrap());
        // Another store in the same place is what another process would be, but for the lock that is held here.
        let elsewhere = Fixture::new(&[]);
        let built = elsewhere.store.build(&fixture.checkout, &()).unwrap();
        copy(&elsewhere.index_folder(), &fixture.index_folder());
        while !is_waited_for(&fixture) {
            std::thread::yield_now();
        }
        drop(held);
        assert_eq!(waiting.join().unwrap(), built);
    });
    assert_eq!(counts.0.into_inner(), 0, "the waiting build read files");
}

/// Whether some thread of this process waits for the lock, as the kernel tells.
fn is_waited_for(fixture: &Fixture) -> bool {
    use std::os::unix::fs::MetadataExt;
    let inode = fs_err::metadata(fixture.index_folder().join("lock")).unwrap().ino();
    let locks = fs_err::read_to_string("/proc/locks").unwrap();
    locks.lines().any(|line| line.contains("->") && line.contains(&format!(":{inode} ")))
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    fs_err::create_dir_all(to).unwrap();
    for entry in fs_err::read_dir(from).unwrap() {
        let (path, name) = (entry.as_ref().unwrap().path(), entry.unwrap().file_name());
        if path.is_dir() {
            copy(&path, &to.join(name));
        } else if name != "lock" {
            fs_err::copy(&path, to.join(name)).unwrap();
        }
    }
}

#[test]
fn a_build_reads_nothing_when_nothing_changed_and_all_when_it_must() {
    let fixture = Fixture::new(&[("a.py", "x = 1\n")]);
    fixture.store.build(&fixture.checkout, &()).unwrap();
    let counts = Counts::default();
    let report = fixture.store.build(&fixture.checkout, &counts).unwrap();
    assert_eq!((counts.0.into_inner(), report.files_read, report.files), (0, 0, 1));
    let counts = Counts::default();
    let report = fixture.store.rebuild(&fixture.checkout, &counts).unwrap();
    assert_eq!((counts.0.into_inner(), report.files_read, report.files), (1, 1, 1));
}
