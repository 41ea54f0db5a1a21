//! How jobs end, and that each ending is told from the others.

use std::time::Duration;

use sandbox::Ending;
use tokio_util::sync::CancellationToken;

use crate::support::{containers_of, engine, eventually, program, run, shell};

#[tokio::test]
async fn engine_reports_exit_codes() {
    let Some(engine) = engine().await else { return };
    for code in [0, 3, 137] {
        let outcome = run(&engine, &shell(&format!("exit {code}"))).await;
        assert_eq!(outcome.ending, Ending::Exited { code }, "{outcome:#?}");
        assert!(outcome.evidence.image_digest.unwrap().starts_with("sha256:"));
    }
}

#[tokio::test]
async fn engine_reports_a_missing_program_as_a_shell_would() {
    let Some(engine) = engine().await else { return };
    let outcome = run(&engine, &program(&["no-such-program"])).await;
    assert_eq!(outcome.ending, Ending::Exited { code: 127 }, "{outcome:#?}");
    assert_eq!(outcome.stdout.text(), "");
    assert!(outcome.stderr.text().starts_with("no-such-program: no such program"), "{outcome:#?}");
}

#[tokio::test]
async fn engine_reports_a_folder_that_cannot_be_entered() {
    let Some(engine) = engine().await else { return };
    let mut job = shell("true");
    job.working_directory = "/no/such/folder".to_owned();
    let outcome = run(&engine, &job).await;
    assert_eq!(outcome.ending, Ending::Exited { code: 126 }, "{outcome:#?}");
    assert_eq!(outcome.stderr.text(), "the working directory /no/such/folder cannot be entered\n");
}

#[tokio::test]
async fn engine_ends_a_stubborn_tree_at_the_time_limit_and_keeps_its_output() {
    let Some(engine) = engine().await else { return };
    let mut job = shell(
        "trap '' TERM INT HUP; echo before; setsid sh -c 'trap \"\" TERM; sleep 60' & sleep 60; sleep 60",
    );
    job.limits.timeout = Duration::from_millis(500);
    let outcome = run(&engine, &job).await;
    assert_eq!((&outcome.ending, outcome.stdout.text().as_str()), (&Ending::TimedOut, "before\n"));
    assert!(outcome.elapsed >= job.limits.timeout);
    // Other tests of this program may run at the same time; theirs end, too.
    eventually("nothing is left", async || containers_of(std::process::id()).await.is_empty()).await;
}

#[tokio::test]
async fn engine_stops_when_the_caller_gives_up() {
    let Some(engine) = engine().await else { return };
    let cancel = CancellationToken::new();
    let job = shell("echo begun; sleep 60");
    let cancelling = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(engine.run(&job, cancel.clone()), cancelling);
    assert_eq!((&outcome.ending, outcome.stdout.text().as_str()), (&Ending::Cancelled, "begun\n"));
}

#[tokio::test]
async fn engine_does_not_wait_for_a_child_in_the_background() {
    let Some(engine) = engine().await else { return };
    let mut job = shell("sleep 50 & echo done; exit 4");
    // The engine by itself would hold the stream for two seconds; a job that hung would run into this limit.
    job.limits.timeout = Duration::from_secs(40);
    let outcome = run(&engine, &job).await;
    assert_eq!((&outcome.ending, outcome.stdout.text().as_str()), (&Ending::Exited { code: 4 }, "done\n"));
}

#[tokio::test]
async fn engine_waits_for_a_program_that_closed_its_output() {
    let Some(engine) = engine().await else { return };
    let outcome = run(&engine, &shell("exec >&- 2>&-; sleep 1; exit 5")).await;
    assert_eq!(outcome.ending, Ending::Exited { code: 5 }, "{outcome:#?}");
    assert!(outcome.elapsed >= Duration::from_secs(1));
}
