//! The engine, the image and the jobs of these tests.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::Duration;

use bollard::Docker;
use bollard::query_parameters::ListContainersOptionsBuilder;
use sandbox::{Access, Engine, EngineOptions, Job, Limits, Mount, Network, Outcome};
use tokio_util::sync::CancellationToken;

/// A skeleton whose programs are those of this machine, so that it costs half a second to make.
const DEFAULT_IMAGE: &str = "repolab-test:hostusr";

#[expect(clippy::disallowed_methods, reason = "how a test run is told about its engine")]
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

pub(crate) fn image() -> String {
    variable("REPOLAB_TEST_IMAGE").unwrap_or_else(|| DEFAULT_IMAGE.to_owned())
}

/// The engine, or nothing with the reason on standard error.
pub(crate) async fn engine() -> Option<Engine> {
    let found = async {
        let engine = Engine::connect(&EngineOptions { host: variable("DOCKER_HOST") }).await?;
        engine.image_digest(&image()).await?;
        Ok::<_, sandbox::Error>(engine)
    };
    match found.await {
        Ok(engine) => Some(engine),
        Err(error) => {
            let reason = format!("{}; test images are made by .ci/test-images", error.explanation());
            assert!(variable("CI").is_none(), "{reason}");
            eprintln!("SKIPPED: {reason}");
            None
        }
    }
}

/// The client library itself, for looking behind the engine's back.
pub(crate) fn docker() -> Docker {
    Docker::connect_with_defaults().unwrap()
}

/// A job that runs a shell script under small limits.
pub(crate) fn shell(script: &str) -> Job {
    program(&["sh", "-c", script])
}

pub(crate) fn program(argv: &[&str]) -> Job {
    let usr = Mount { source: "/usr".into(), target: "/usr".to_owned(), access: Access::ReadOnly };
    Job {
        image: image(),
        argv: argv.iter().map(|&argument| argument.to_owned()).collect(),
        mounts: if image().ends_with(":hostusr") { vec![usr] } else { Vec::new() },
        working_directory: "/tmp".to_owned(),
        environment: BTreeMap::new(),
        stdin: Vec::new(),
        limits: Limits {
            timeout: Duration::from_secs(60),
            memory_bytes: 256 << 20,
            cpus: 1.0,
            processes: 64,
            disk_bytes: 64 << 20,
            temporary_bytes: 16 << 20,
            ..Limits::default()
        },
        network: Network::None,
    }
}

/// Shows a folder of this machine at `/work`, open for the job's user.
pub(crate) fn with_work(mut job: Job, folder: &Path) -> Job {
    let user = sandbox::payload_user();
    std::os::unix::fs::chown(folder, Some(user.uid), Some(user.gid)).unwrap();
    let target = "/work".to_owned();
    job.working_directory.clone_from(&target);
    job.mounts.push(Mount { source: folder.to_owned(), target, access: Access::ReadWrite });
    job
}

pub(crate) async fn run(engine: &Engine, job: &Job) -> Outcome {
    engine.run(job, CancellationToken::new()).await
}

/// What a job printed, or all that is known if it failed.
#[track_caller]
pub(crate) fn printed(outcome: &Outcome) -> String {
    assert_eq!(outcome.ending.exit_code(), Some(0), "{outcome:#?}");
    outcome.stdout.text()
}

/// The names of the containers that process `owner` made.
pub(crate) async fn containers_of(owner: u32) -> Vec<String> {
    let label = HashMap::from([("label", vec![format!("repolab.owner={owner}")])]);
    let options = ListContainersOptionsBuilder::new().all(true).filters(&label).build();
    let found = docker().list_containers(Some(options)).await.unwrap();
    found.into_iter().filter_map(|container| container.names?.pop()).collect()
}

/// Waits until `check` holds; a failing wait ends the test after half a minute.
pub(crate) async fn eventually(what: &str, mut check: impl AsyncFnMut() -> bool) {
    for _ in 0..300 {
        if check().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("never happened: {what}");
}
