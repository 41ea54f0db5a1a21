//! Containers started ahead: used once, never missed, gone with the engine.

use bollard::query_parameters::RemoveContainerOptionsBuilder;
use sandbox::{Engine, Job};

use crate::support::{containers_of, docker, engine, eventually, printed, run, shell};

/// A job whose container is known by its limit on processes, for tests run side by side in one process.
fn marked(mark: u32, script: &str) -> Job {
    let mut job = shell(script);
    job.limits.processes = mark;
    job
}

/// The containers of jobs with this mark.
async fn containers_marked(mark: u32) -> Vec<String> {
    let mut marked = Vec::new();
    for name in containers_of(std::process::id()).await {
        let name = name.trim_start_matches('/').to_owned();
        let found = docker().inspect_container(&name, None).await;
        let limit = found.ok().and_then(|found| found.host_config?.pids_limit);
        if limit == Some(i64::from(mark)) {
            marked.push(name);
        }
    }
    marked
}

/// Runs a job and waits until its container is gone and a spare stands in its place; returns the spare's name.
async fn run_and_wait_for_spare(engine: &Engine, mark: u32, script: &str) -> String {
    printed(&run(engine, &marked(mark, script)).await);
    let (mut name, mut times_seen) = (String::new(), 0);
    eventually("a spare stands ready", async || {
        let found = containers_marked(mark).await;
        let same = found.len() == 1 && found[0] == name;
        times_seen = if same { times_seen + 1 } else { 0 };
        name = found.into_iter().next().unwrap_or_default();
        times_seen == 8
    })
    .await;
    name
}

#[tokio::test]
async fn engine_gives_a_spare_to_one_job_only() {
    let Some(engine) = engine().await else { return };
    let engine = engine.with_spares(1);
    let first = run_and_wait_for_spare(&engine, 77, "echo secret > /tmp/left").await;
    let second =
        run_and_wait_for_spare(&engine, 77, "ls -A /tmp | grep . && exit 1; echo secret > /tmp/left").await;
    assert_ne!(first, second);
    drop(engine);
    eventually("the spare is gone", async || containers_marked(77).await.is_empty()).await;
}

#[tokio::test]
async fn engine_does_without_a_spare_that_vanished() {
    let Some(engine) = engine().await else { return };
    let engine = engine.with_spares(1);
    let spare = run_and_wait_for_spare(&engine, 78, "true").await;
    let force = RemoveContainerOptionsBuilder::new().force(true).build();
    docker().remove_container(&spare, Some(force)).await.unwrap();
    assert_eq!(printed(&run(&engine, &marked(78, "echo fine")).await), "fine\n");
}
