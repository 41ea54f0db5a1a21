//! Trouble that is not the program's: it must be told as such, with the next step.

use bollard::query_parameters::RemoveContainerOptionsBuilder;
use sandbox::{Ending, Error, Outcome, Sandbox};
use tokio_util::sync::CancellationToken;

use crate::support::{containers_of, docker, engine, eventually, program, run, shell};

#[track_caller]
fn why(outcome: &Outcome) -> &str {
    match &outcome.ending {
        Ending::Infrastructure { why } => why,
        _ => panic!("{outcome:#?}"),
    }
}

#[tokio::test]
async fn engine_names_a_missing_image_and_how_to_get_it() {
    let Some(engine) = engine().await else { return };
    let error = engine.image_digest("repolab-test:never-made").await.unwrap_err();
    assert!(matches!(error, Error::ImageMissing { .. }), "{error:?}");
    let mut job = shell("true");
    job.image = "repolab-test:never-made".to_owned();
    let outcome = run(&engine, &job).await;
    assert!(why(&outcome).contains("docker pull repolab-test:never-made"), "{outcome:#?}");
}

#[tokio::test]
async fn engine_refuses_a_job_that_makes_no_sense() {
    let Some(engine) = engine().await else { return };
    let outcome = run(&engine, &program(&[])).await;
    assert_eq!(why(&outcome), "the job cannot run: it names no program");
    let mut job = shell("true");
    job.limits.memory_bytes = 1 << 20;
    let outcome = run(&engine, &job).await;
    assert!(why(&outcome).contains("Minimum memory limit"), "{outcome:#?}");
}

#[tokio::test]
async fn engine_tells_a_removed_container_from_a_killed_program() {
    let Some(engine) = engine().await else { return };
    let job = shell("echo begun; sleep 300");
    let before = containers_of(std::process::id()).await;
    let interfering = async {
        let mut name = String::new();
        eventually("the job runs", async || {
            let found = containers_of(std::process::id()).await;
            name = found.into_iter().find(|name| !before.contains(name)).unwrap_or_default();
            let name = name.trim_start_matches('/');
            let found = docker().inspect_container(name, None).await;
            found.is_ok_and(|found| found.exec_ids.is_some_and(|ids| !ids.is_empty()))
        })
        .await;
        let force = RemoveContainerOptionsBuilder::new().force(true).build();
        docker().remove_container(name.trim_start_matches('/'), Some(force)).await.unwrap();
    };
    let (outcome, ()) = tokio::join!(run(&engine, &job), interfering);
    assert!(why(&outcome).contains("was removed while its job was running"), "{outcome:#?}");
}

#[tokio::test]
async fn engine_describes_itself() {
    let Some(engine) = engine().await else { return };
    let info = engine.info().await.unwrap();
    assert!(info.cpus > 0 && info.memory_bytes > 0 && info.cgroup_version.is_some(), "{info:#?}");
    let sandbox = Sandbox::Engine(engine);
    assert!(sandbox.describe().starts_with(&format!("{} {}", info.name, info.version)));
    let outcome = sandbox.run(&shell("true"), CancellationToken::new()).await;
    assert_eq!(outcome.ending.exit_code(), Some(0), "{outcome:#?}");
}
