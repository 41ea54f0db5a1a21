//! What is left in the engine when things go wrong on our side: nothing.

use std::collections::HashMap;
use std::process::Stdio;

use bollard::models::ContainerCreateBody;
use bollard::query_parameters::{CreateContainerOptionsBuilder, RemoveContainerOptionsBuilder};
use tokio_util::sync::CancellationToken;

use crate::support::{containers_of, docker, engine, eventually, image, program, run, shell, variable};

/// Set for the process that a test starts from this same program in order to kill it.
const VICTIM: &str = "REPOLAB_TEST_VICTIM";

#[tokio::test]
async fn engine_victim_runs_until_it_is_killed() {
    if variable(VICTIM).is_some() {
        run(&engine().await.unwrap(), &shell("sleep 300")).await;
    }
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "starts this test program itself")]
async fn engine_removes_the_container_of_a_client_that_was_killed() {
    let Some(_engine) = engine().await else { return };
    let mut victim = tokio::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "leftovers::engine_victim_runs_until_it_is_killed"])
        .env(VICTIM, "1")
        .stdout(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let owner = victim.id().unwrap();
    eventually("the victim's job runs", async || is_running(owner).await).await;
    victim.kill().await.unwrap();
    eventually("its container is gone", async || containers_of(owner).await.is_empty()).await;
}

async fn is_running(owner: u32) -> bool {
    let Some(name) = containers_of(owner).await.pop() else { return false };
    let found = docker().inspect_container(name.trim_start_matches('/'), None).await;
    found.is_ok_and(|found| found.exec_ids.is_some_and(|ids| !ids.is_empty()))
}

#[tokio::test]
async fn engine_cleans_up_after_a_future_that_was_dropped() {
    let Some(engine) = engine().await else { return };
    let job = shell("sleep 300");
    let own = std::process::id();
    let running = tokio::spawn(async move { engine.run(&job, CancellationToken::new()).await });
    eventually("the job runs", async || is_running(own).await).await;
    running.abort();
    eventually("its container is gone", async || containers_of(own).await.is_empty()).await;
}

/// A container that was made and never started, with the labels of an owner.
async fn abandoned(changes: &[(&str, &str)]) -> String {
    let name = format!("repolab-test-{}", uuid::Uuid::new_v4().simple());
    let text = |path: &str| fs_err::read_to_string(path).unwrap().trim().to_owned();
    let namespace = fs_err::read_link("/proc/self/ns/pid").unwrap().display().to_string();
    let stat = text("/proc/self/stat");
    let ticks = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap().to_owned();
    let mut labels = HashMap::from([
        ("repolab.owner".to_owned(), std::process::id().to_string()),
        ("repolab.boot".to_owned(), text("/proc/sys/kernel/random/boot_id")),
        ("repolab.namespace".to_owned(), namespace),
        ("repolab.process-start".to_owned(), ticks),
        ("repolab.started".to_owned(), "0".to_owned()),
    ]);
    labels.extend(changes.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    let body = ContainerCreateBody {
        image: Some(image()),
        cmd: Some(vec!["true".to_owned()]),
        labels: Some(labels),
        ..ContainerCreateBody::default()
    };
    let options = CreateContainerOptionsBuilder::new().name(&name).build();
    docker().create_container(Some(options), body).await.unwrap();
    name
}

#[tokio::test]
async fn engine_reaps_orphans_and_spares_the_living() {
    let Some(engine) = engine().await else { return };
    let dead = abandoned(&[("repolab.owner", "999999999")]).await;
    let reused = abandoned(&[("repolab.process-start", "1")]).await;
    let elsewhere = abandoned(&[("repolab.boot", "another")]).await;
    let living = abandoned(&[]).await;
    let elsewhere_lately =
        abandoned(&[("repolab.boot", "another"), ("repolab.started", "99999999999")]).await;
    let reaped = engine.reap_orphans().await.unwrap();
    for (name, expected) in
        [(&dead, true), (&reused, true), (&elsewhere, true), (&living, false), (&elsewhere_lately, false)]
    {
        assert_eq!(reaped.contains(name), expected, "{name}: {reaped:?}");
    }
    for name in [living, elsewhere_lately] {
        let options = RemoveContainerOptionsBuilder::new().force(true).build();
        docker().remove_container(&name, Some(options)).await.unwrap();
    }
}

#[tokio::test]
async fn engine_runs_sixteen_jobs_at_once_and_leaves_nothing() {
    let Some(engine) = engine().await else { return };
    let jobs = (0..16).map(|number| {
        let engine = engine.clone();
        tokio::spawn(async move { run(&engine, &program(&["echo", &number.to_string()])).await })
    });
    for (number, outcome) in futures_util::future::join_all(jobs).await.into_iter().enumerate() {
        let outcome = outcome.unwrap();
        assert_eq!(outcome.ending.exit_code(), Some(0), "{outcome:#?}");
        assert_eq!(outcome.stdout.text(), format!("{number}\n"));
    }
    // Other tests of this program may run at the same time; theirs end, too.
    eventually("nothing is left", async || containers_of(std::process::id()).await.is_empty()).await;
}
