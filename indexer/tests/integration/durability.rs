//! Builds that die, and builds that meet.

use std::io::Read;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indexer::{BuildProgress, Error, IndexState, IndexStore, Mode};

use crate::fixture::{Fixture, checkout, query};

// How a test process is told to be a builder: where the repository and the indexes are, and what to do.
const REPOSITORY: &str = "INDEXER_TEST_REPOSITORY";
const INDEXES: &str = "INDEXER_TEST_INDEXES";
const WORK: &str = "INDEXER_TEST_WORK";

// What it does: builds and stays in the middle, builds from all files, or updates.
const STOP_MIDWAY: &str = "stop midway";
const BUILD: &str = "build";
const UPDATE: &str = "update";

/// How often each of two writers writes and updates.
const ROUNDS: usize = 20;
/// How many processes are killed.
const KILLS: usize = 50;

/// Says so when the build is under way, and never lets it go on.
struct StopsMidway;

#[expect(clippy::print_stdout, reason = "the parent test listens")]
impl BuildProgress for StopsMidway {
    fn total(&self, _files: u64) {}

    fn advance(&self, _files: u64) {
        println!("under way");
        loop {
            std::thread::sleep(Duration::from_secs(60));
        }
    }
}

/// Not a test: what the child process runs.
#[test]
#[ignore = "runs in a process of its own, started by the tests below"]
#[expect(clippy::disallowed_methods, reason = "the parent passes folders through the environment")]
fn child() {
    let folder = |name| std::path::PathBuf::from(std::env::var_os(name).unwrap());
    let checkout = checkout("sample", &folder(REPOSITORY));
    let store = IndexStore::new(folder(INDEXES));
    let work = std::env::var(WORK).unwrap();
    if work == STOP_MIDWAY {
        let _ = store.build(&checkout, &StopsMidway);
        return;
    }
    println!("under way");
    match work.as_str() {
        BUILD => drop(store.rebuild(&checkout, &()).unwrap()),
        UPDATE => drop(store.build(&checkout, &()).unwrap()),
        // The name under which it writes files of its own.
        name => {
            for round in 0..ROUNDS {
                let text = format!("def {name}_{round}(): return {round}\n");
                fs_err::write(checkout.folder.join(format!("{name}_{}.py", round % 3)), text).unwrap();
                store.build(&checkout, &()).unwrap();
            }
        }
    }
    println!("all done");
}

#[expect(clippy::disallowed_methods, reason = "the test starts its own binary, with an environment it sets")]
fn start(work: &str, fixture: &Fixture) -> Child {
    std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "durability::child", "--ignored", "--nocapture"])
        .env_clear()
        .env(WORK, work)
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
    let mut builder = start(STOP_MIDWAY, &fixture);
    wait_until_under_way(&mut builder);
    builder.kill().unwrap();
    builder.wait().unwrap();
    assert!(matches!(fixture.store.state(&fixture.checkout), IndexState::Stale(_)));
    let old = fixture.store.open(&fixture.checkout).unwrap();
    assert_eq!(old.search(&query(Mode::Symbol, "first")).unwrap().len(), 1);
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

fn module(version: usize) -> String {
    let body = format!("    value = {version}\n").repeat(20);
    format!("\"\"\"Module of version_{version}.\"\"\"\n\n\ndef version_{version}():\n{body}")
}

/// Enough files for every phase of a build to last, some of which speak of others.
fn many_files() -> Fixture {
    let fixture = Fixture::new(&[]);
    for number in 0..300 {
        fixture.write(&format!("package_{}/module_{number}.py", number % 7), module(0));
    }
    for number in 0..20 {
        fixture.write(
            &format!("docs/page_{number}.md"),
            format!("# Page\n\nRun `python module_{number}.py`.\n"),
        );
    }
    fixture
}

fn seconds_of(work: impl FnOnce()) -> f64 {
    let started = Instant::now();
    work();
    started.elapsed().as_secs_f64()
}

#[test]
fn a_process_killed_at_any_moment_leaves_a_good_index() {
    let fixture = many_files();
    let whole = seconds_of(|| drop(fixture.store.build(&fixture.checkout, &()).unwrap()));
    change(&fixture, 1);
    let part = seconds_of(|| drop(fixture.store.build(&fixture.checkout, &()).unwrap()));
    let mut midway = 0;
    for kill in 0..KILLS {
        let (work, seconds) = if kill % 2 == 0 { (BUILD, whole) } else { (UPDATE, part) };
        // Now and then nothing is there yet.
        let published = kill % 10 != 4;
        if !published {
            fs_err::remove_dir_all(fixture.index_folder()).unwrap();
        }
        change(&fixture, kill + 2);
        let mut child = start(work, &fixture);
        wait_until_under_way(&mut child);
        std::thread::sleep(Duration::from_secs_f64(1.2 * seconds * kill as f64 / KILLS as f64));
        child.kill().unwrap();
        child.wait().unwrap();
        midway += usize::from(!said_all_done(&mut child));

        match fixture.store.open(&fixture.checkout) {
            Ok(index) => assert_eq!(index.paths().count(), 320, "after {kill} kills"),
            Err(error) => assert!(!published && matches!(error, Error::NotBuilt { .. }), "{kill}: {error}"),
        }
        assert!(!is_locked(&fixture), "after {kill} kills");
        let report = fixture.store.build(&fixture.checkout, &()).unwrap();
        assert_eq!(report.files, 320, "after {kill} kills");
        let index = fixture.store.open(&fixture.checkout).unwrap();
        let hits = index.search(&query(Mode::Symbol, &format!("version_{}", kill + 2))).unwrap();
        assert_eq!(hits.iter().map(|hit| 1 + hit.also_at.len()).sum::<usize>(), 40, "after {kill} kills");
        assert_clean(&fixture);
    }
    assert!(midway > 0, "no process was killed before its end");
}

fn change(fixture: &Fixture, version: usize) {
    for number in 0..40 {
        fixture.write(&format!("package_{}/module_{number}.py", number % 7), module(version));
    }
}

fn said_all_done(child: &mut Child) -> bool {
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    said.contains("all done")
}

fn is_locked(fixture: &Fixture) -> bool {
    let lock = fs_err::File::options().write(true).open(fixture.index_folder().join("lock"));
    lock.is_ok_and(|lock| lock.try_lock().is_err())
}

/// Nothing is there but what the manifest names.
#[track_caller]
fn assert_clean(fixture: &Fixture) {
    let entries = fixture.index_entries();
    let count = |kind: &str| entries.iter().filter(|entry| *entry == kind).count();
    assert_eq!((count("files"), count("lock"), count("manifest.json")), (1, 1, 1), "{entries:?}");
    let manifest = fs_err::read(fixture.index_folder().join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
    assert_eq!(count("layer"), manifest["layers"].as_array().unwrap().len(), "{entries:?}");
    assert_eq!(entries.len(), count("layer") + 3, "{entries:?}");
}

#[test]
fn two_writers_and_a_reader_do_not_harm_each_other() {
    let fixture = many_files();
    fixture.store.build(&fixture.checkout, &()).unwrap();
    let mut writers = ["left", "right"].map(|name| start(name, &fixture));
    let mut read = 0;
    while writers.iter_mut().any(|writer| writer.try_wait().unwrap().is_none()) {
        let index = fixture.store.open(&fixture.checkout).unwrap();
        assert_eq!(index.search(&query(Mode::Symbol, "version_0")).unwrap().len(), 1, "copies collapse");
        assert!(index.paths().count() >= 320);
        read += 1;
    }
    assert!(read > 0);
    for writer in &mut writers {
        assert!(writer.wait().unwrap().success() && said_all_done(writer));
    }
    let report = fixture.store.build(&fixture.checkout, &()).unwrap();
    assert_eq!(report.files, 326);
    crate::updates::check(&fixture);
    assert_clean(&fixture);
}
