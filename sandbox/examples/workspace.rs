//! What a private copy of a folder costs: `cargo run --release -p sandbox --example workspace FOLDER...`
//!
//! Copy, comparison and removal, beside `cp -r` and `rm -rf` on the same folder in the same run.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "an example prints and may panic")]
#![expect(clippy::disallowed_methods, reason = "it takes arguments and runs other programs for comparison")]

use std::path::{Path, PathBuf};
use std::time::Instant;

use sandbox::{CopyLimits, Workspace};

const ROUNDS: usize = 5;

fn main() {
    println!("medians of {ROUNDS} in ms      copy   cp -r    changes   remove  rm -rf");
    for folder in std::env::args().skip(1).map(PathBuf::from) {
        let rounds: Vec<_> = (0..ROUNDS).map(|_| measure(&folder)).collect();
        let [copy, cp, changes, remove, rm] =
            [0, 1, 2, 3, 4].map(|step| median(rounds.iter().map(|round| round[step]).collect()));
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        println!("{name:26} {copy:7.1} {cp:7.1} {changes:10.1} {remove:8.1} {rm:7.1}");
    }
}

fn measure(folder: &Path) -> [f64; 5] {
    let parent = tempfile::tempdir().unwrap();
    let (copy, workspace) =
        timed(|| Workspace::copy_of(folder, parent.path(), CopyLimits::default()).unwrap());
    let (changes, _) = timed(|| workspace.changed_files().unwrap());
    let (remove, ()) = timed(|| drop(workspace));
    let plain = parent.path().join("plain");
    let (cp, ()) = timed(|| program("cp", "-r", &[folder, &plain]));
    let (rm, ()) = timed(|| program("rm", "-rf", &[&plain]));
    [copy, cp, changes, remove, rm]
}

fn program(name: &str, flag: &str, paths: &[&Path]) {
    assert!(std::process::Command::new(name).arg(flag).args(paths).status().unwrap().success());
}

fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let started = Instant::now();
    let result = work();
    (started.elapsed().as_secs_f64() * 1000.0, result)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
