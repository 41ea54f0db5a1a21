//! What a job costs: `cargo run --release -p sandbox --example latency [IMAGE]`, after `.ci/test-images`.
//!
//! Measures whole jobs from call to outcome, container made and removed, beside `docker run --rm` with the same
//! limits in the same run; then sixteen at once, with a check that no output was lost.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "an example prints and may panic")]
#![expect(
    clippy::disallowed_methods,
    reason = "it takes arguments and runs the docker command for comparison"
)]

use std::collections::BTreeMap;
use std::future::Future;
use std::process::Stdio;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use sandbox::{Engine, EngineOptions, Job, Limits, Network};
use tokio_util::sync::CancellationToken;

const ROUNDS: usize = 20;
const PAUSE: Duration = Duration::from_millis(500);
const AT_ONCE: usize = 16;

#[tokio::main]
async fn main() {
    let image = std::env::args().nth(1).unwrap_or_else(|| "repolab-test:busybox".to_owned());
    let host = std::env::var("DOCKER_HOST").ok();
    let engine = Engine::connect(&EngineOptions { host }).await.unwrap();
    println!("{}, image {image}, {ROUNDS} rounds each", engine.describe());

    let ours = sample(|| run_ours(&engine, &image, &["true"])).await;
    let ready = engine.clone().with_spares(1);
    let warm = sample(|| run_ours(&ready, &image, &["true"])).await;
    let docker = sample(|| run_docker(&image)).await;
    println!("one job, ours              {}", summary(&ours));
    println!("one job, spare container   {}", summary(&warm));
    println!("one job, docker run --rm   {}", summary(&docker));
    println!("ratio of medians           {:.2}", median(&ours) / median(&docker));

    let started = Instant::now();
    let mut lost = 0;
    for _ in 0..ROUNDS {
        let jobs = (0..AT_ONCE).map(|number| run_numbered(&engine, &image, number));
        lost += join_all(jobs).await.into_iter().filter(|complete| !complete).count();
    }
    let jobs = ROUNDS * AT_ONCE;
    let per_second = jobs as f64 / started.elapsed().as_secs_f64();
    println!("{AT_ONCE} at once: {per_second:.1} jobs/s, {lost} of {jobs} without their output");
}

async fn sample<F: Future<Output = ()>>(mut run: impl FnMut() -> F) -> Vec<Duration> {
    run().await;
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        // An agent thinks between its calls; meanwhile the last container goes and a spare one comes.
        tokio::time::sleep(PAUSE).await;
        let started = Instant::now();
        run().await;
        times.push(started.elapsed());
    }
    times.sort();
    times
}

async fn run_ours(engine: &Engine, image: &str, argv: &[&str]) {
    let outcome = engine.run(&job(image, argv), CancellationToken::new()).await;
    assert_eq!(outcome.ending.exit_code(), Some(0), "{outcome:#?}");
}

async fn run_numbered(engine: &Engine, image: &str, number: usize) -> bool {
    let outcome = engine.run(&job(image, &["echo", &number.to_string()]), CancellationToken::new()).await;
    outcome.ending.exit_code() == Some(0) && outcome.stdout.text() == format!("{number}\n")
}

fn job(image: &str, argv: &[&str]) -> Job {
    Job {
        image: image.to_owned(),
        argv: argv.iter().map(|&argument| argument.to_owned()).collect(),
        mounts: Vec::new(),
        working_directory: "/work".to_owned(),
        environment: BTreeMap::new(),
        stdin: Vec::new(),
        limits: Limits { memory_bytes: 256 << 20, cpus: 1.0, processes: 64, ..Limits::default() },
        network: Network::None,
    }
}

async fn run_docker(image: &str) {
    let flags = "run --rm --network none --read-only --cap-drop ALL --security-opt no-new-privileges --init \
        --user 1000:1000 --pids-limit 64 --memory 256m --memory-swap 256m --cpus 1 --ulimit nofile=4096:4096 \
        --ulimit core=0 --log-driver none --tmpfs /tmp:rw,exec,nosuid,nodev,size=512m,mode=1777";
    let status = tokio::process::Command::new("docker")
        .args(flags.split_whitespace())
        .args([image, "true"])
        .stdin(Stdio::null())
        .status()
        .await
        .unwrap();
    assert!(status.success());
}

fn median(sorted: &[Duration]) -> f64 {
    sorted[sorted.len() / 2].as_secs_f64() * 1000.0
}

fn summary(sorted: &[Duration]) -> String {
    let ninth = sorted[sorted.len() * 9 / 10].as_secs_f64() * 1000.0;
    format!("median {:6.1} ms, nine of ten within {ninth:6.1} ms", median(sorted))
}
