//! Every limit, reached in the ways in which programs reach it.

use std::time::Duration;

use sandbox::{CopyLimits, Ending, Workspace};

use crate::support::{engine, printed, run, shell, with_work};

/// Grows without end.
const HUNGRY: &str = "tail /dev/zero";

#[tokio::test]
async fn engine_names_memory_as_the_cause() {
    let Some(engine) = engine().await else { return };
    for script in [format!("exec {HUNGRY}"), format!("{HUNGRY}; exit 9")] {
        let mut job = shell(&script);
        job.limits.memory_bytes = 64 << 20;
        let outcome = run(&engine, &job).await;
        assert_eq!(outcome.ending, Ending::OutOfMemory, "{outcome:#?}");
        assert_eq!(outcome.evidence.out_of_memory_kills, Some(1));
    }
}

#[tokio::test]
async fn engine_lets_a_program_survive_the_loss_of_a_child() {
    let Some(engine) = engine().await else { return };
    let mut job = shell(&format!("{HUNGRY}; echo went on; exit 0"));
    job.limits.memory_bytes = 64 << 20;
    let outcome = run(&engine, &job).await;
    assert_eq!(printed(&outcome), "went on\n");
    assert_eq!(outcome.evidence.out_of_memory_kills, Some(1));
}

#[tokio::test]
async fn engine_contains_a_fork_bomb() {
    let Some(engine) = engine().await else { return };
    let mut job = shell("bomb() { bomb | bomb & }; bomb; while :; do sleep 1; done");
    job.limits.timeout = Duration::from_secs(2);
    let outcome = run(&engine, &job).await;
    assert!(matches!(outcome.ending, Ending::TimedOut | Ending::TooManyProcesses), "{outcome:#?}");
    assert!(outcome.evidence.refused_forks > Some(0), "{outcome:#?}");
    assert_eq!(printed(&run(&engine, &shell("echo alive")).await), "alive\n");
}

#[tokio::test]
async fn engine_names_processes_as_the_cause() {
    let Some(engine) = engine().await else { return };
    let mut job = shell("for i in $(seq 100); do sleep 30 & done; exit 1");
    job.limits.timeout = Duration::from_secs(20);
    let outcome = run(&engine, &job).await;
    assert_eq!(outcome.ending, Ending::TooManyProcesses, "{outcome:#?}");
}

#[tokio::test]
async fn engine_bounds_the_temporary_folder() {
    let Some(engine) = engine().await else { return };
    for script in
        ["head -c 100000000 /dev/zero > /tmp/x", "i=0; while : > /tmp/$i; do i=$((i+1)); done; exit 1"]
    {
        let outcome = run(&engine, &shell(script)).await;
        assert_eq!(outcome.ending, Ending::DiskFull, "{outcome:#?}");
    }
}

#[tokio::test]
async fn engine_ends_a_job_that_fills_the_disk() {
    let Some(engine) = engine().await else { return };
    let folder = tempfile::tempdir().unwrap();
    // Many files, so that no single one reaches the limit on file size.
    let script = "i=0; while :; do head -c 4000000 /dev/zero > $i; i=$((i+1)); done";
    let outcome = run(&engine, &with_work(shell(script), folder.path())).await;
    assert_eq!(outcome.ending, Ending::DiskFull, "{outcome:#?}");
    assert!(outcome.evidence.written_bytes > Some(64 << 20));
}

#[tokio::test]
async fn engine_bounds_a_single_file_exactly() {
    let Some(engine) = engine().await else { return };
    let folder = tempfile::tempdir().unwrap();
    let outcome = run(&engine, &with_work(shell("head -c 100000000 /dev/zero > big"), folder.path())).await;
    assert_eq!(outcome.ending, Ending::DiskFull, "{outcome:#?}");
    assert_eq!(fs_err::metadata(folder.path().join("big")).unwrap().len(), 64 << 20);
}

#[tokio::test]
async fn engine_shows_what_a_job_changed_in_its_workspace() {
    let Some(engine) = engine().await else { return };
    let folder = tempfile::tempdir().unwrap();
    fs_err::create_dir(folder.path().join("source")).unwrap();
    fs_err::write(folder.path().join("source/old"), "old").unwrap();
    let parent = folder.path().join("workspaces");
    let workspace =
        Workspace::copy_of(&folder.path().join("source"), &parent, CopyLimits::default()).unwrap();
    let script =
        "mkdir -p a/b && echo new > a/b/new && rm old && mkdir locked && touch locked/x && chmod 0 locked";
    let outcome = run(&engine, &with_work(shell(script), workspace.folder())).await;
    printed(&outcome);
    let changed: Vec<_> = workspace.changed_files().unwrap().into_iter().map(|change| change.path).collect();
    let expected = if rustix::process::geteuid().is_root() {
        vec!["a/b/new", "locked/x", "old"]
    } else {
        vec!["a/b/new", "old"]
    };
    assert_eq!(changed.iter().map(|path| path.to_str().unwrap()).collect::<Vec<_>>(), expected);
    drop(workspace);
    assert_eq!(fs_err::read_dir(&parent).unwrap().count(), 0);
}
