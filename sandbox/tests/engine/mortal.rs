//! An engine of our own, in namespaces of its own, that may be killed. Seen from here it is like an engine on
//! another machine, too: its processes have other numbers, so everything must be learned from inside.
//!
//! Needs root, `dockerd` and `unshare`: `cargo test -p sandbox --test engine -- --ignored`

use std::process::Stdio;
use std::time::Duration;

use sandbox::{Ending, Engine, EngineOptions, Outcome};
use tokio::process::{Child, Command};

use crate::support::{eventually, image, printed, run, shell};

struct Mortal {
    engine: Engine,
    process: Child,
    group: String,
    _folder: tempfile::TempDir,
}

impl Mortal {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let group = format!("/repolab-test-{}", uuid::Uuid::new_v4().simple());
        // Without a network of its own, `--bridge=none` would delete the bridge of the machine's engine. As the
        // first process of its namespace, it takes all its containers along when it is killed.
        let script = format!(
            "ip link set lo up; exec dockerd --data-root $1/data --exec-root $1/exec --pidfile $1/pid \
             --bridge=none --iptables=false --ip-masq=false --cgroup-parent {group} -H unix://$1/socket"
        );
        let process = command("unshare")
            .args([
                "--net",
                "--pid",
                "--mount",
                "--fork",
                "--kill-child",
                "--mount-proc",
                "sh",
                "-c",
                &script,
                "sh",
            ])
            .arg(folder.path())
            .spawn()
            .unwrap();
        let host = format!("unix://{}/socket", folder.path().display());
        let mut engine = None;
        eventually("the private engine answers", async || {
            engine = Engine::connect(&EngineOptions { host: Some(host.clone()) }).await.ok();
            engine.is_some()
        })
        .await;
        let load = r#"docker save "$1" | docker -H "$2" load"#;
        let loaded = command("sh").args(["-c", load, "sh", &image(), &host]).status().await.unwrap();
        assert!(loaded.success());
        Self { engine: engine.unwrap(), process, group, _folder: folder }
    }

    async fn kill(&mut self) {
        self.process.kill().await.unwrap();
    }
}

impl Drop for Mortal {
    fn drop(&mut self) {
        self.process.start_kill().ok();
        std::thread::sleep(Duration::from_millis(500));
        for controller in fs_err::read_dir("/sys/fs/cgroup").unwrap() {
            let group = controller.unwrap().path().join(&self.group[1..]);
            let folders = walkdir::WalkDir::new(group).contents_first(true);
            for folder in
                folders.into_iter().filter_map(Result::ok).filter(|entry| entry.file_type().is_dir())
            {
                fs_err::remove_dir(folder.path()).ok();
            }
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "starts an engine, not a job")]
fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    command
}

#[tokio::test]
#[ignore = "starts a private engine, which needs root"]
async fn engine_death_is_no_verdict_on_the_program() {
    let mut mortal = Mortal::start().await;
    let engine = mortal.engine.clone();
    let running = tokio::spawn(async move { run(&engine, &shell("echo begun; sleep 300")).await });
    tokio::time::sleep(Duration::from_secs(3)).await;
    mortal.kill().await;
    let outcome = running.await.unwrap();
    let Ending::Infrastructure { why } = &outcome.ending else { panic!("{outcome:#?}") };
    assert!(why.starts_with("the container engine stopped answering while the job was running"), "{why}");
    assert_eq!(outcome.stdout.text(), "begun\n");
}

#[tokio::test]
#[ignore = "starts a private engine, which needs root"]
async fn engine_elsewhere_is_looked_into_from_inside() {
    let mortal = Mortal::start().await;
    let ended = async |script: &str| -> Outcome {
        let mut job = shell(script);
        job.limits.memory_bytes = 64 << 20;
        job.limits.timeout = Duration::from_secs(20);
        run(&mortal.engine, &job).await
    };
    assert_eq!(printed(&ended("echo fine").await), "fine\n");
    assert_eq!(ended("exit 3").await.ending, Ending::Exited { code: 3 });
    assert_eq!(ended("tail /dev/zero").await.ending, Ending::OutOfMemory);
    assert_eq!(ended("head -c 100000000 /dev/zero > /tmp/x").await.ending, Ending::DiskFull);
    assert_eq!(
        ended("for i in $(seq 100); do sleep 30 & done; exit 1").await.ending,
        Ending::TooManyProcesses
    );
    assert_eq!(ended("sleep 50 & echo done; exit 4").await.ending, Ending::Exited { code: 4 });
    let bomb = ended("bomb() { bomb | bomb & }; bomb; while :; do sleep 1; done").await;
    assert!(matches!(bomb.ending, Ending::TimedOut | Ending::TooManyProcesses), "{bomb:#?}");
}
