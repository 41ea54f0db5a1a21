//! Jobs as plain processes of this machine, for the demonstration: its sample scripts are our own, and it must
//! work where there is no container engine. **Nothing here isolates**: a job sees every file and the network,
//! memory and process limits do not hold, and a child that leaves the process group outlives the job. Time,
//! output and disk limits are kept.

mod pipes;

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, Command};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use self::pipes::Pipes;
use crate::capture::{Capture, Stream};
use crate::disk::{self, DiskWatch};
use crate::start_failure::StartFailure;
use crate::verdict::{TemporaryFolder, judge};
use crate::{Ending, Error, Evidence, Job, Limits, Outcome, Result};

/// Where programs are looked for; the caller's own search path is not inherited.
const SEARCH_PATH: &str = "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin";

/// Runs jobs as processes of this machine, without isolation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostProcesses;

impl HostProcesses {
    /// Runs a job to its end and kills its process group.
    ///
    /// The image is ignored. A working directory beneath a mount's target becomes the same place beneath the
    /// mount's source; arguments are left as they are.
    pub async fn run(self, job: &Job, cancel: CancellationToken) -> Outcome {
        match run(job, cancel).await {
            Ok(outcome) => outcome,
            Err(error) => Outcome::never_started(&error),
        }
    }

    /// What it is, in a few words for people.
    pub fn describe(self) -> String {
        "processes of this machine, without isolation".to_owned()
    }
}

/// What ended the wait for a process.
enum Stop {
    Ended(ExitStatus),
    Limit(Ending),
}

/// What is watched while a process runs.
struct Watched<'a> {
    limits: &'a Limits,
    cancel: &'a CancellationToken,
    disk: Option<&'a mut DiskWatch>,
}

async fn run(job: &Job, cancel: CancellationToken) -> Result<Outcome> {
    job.check()?;
    let program = job.argv.first().map_or("", String::as_str);
    let explain = |attempt| move |source| Error::HostProcess { attempt, program: program.to_owned(), source };
    let home = tempfile::tempdir().map_err(explain("make a temporary folder for"))?;
    if !working_directory(job).is_dir() {
        return Ok(never_started(job, StartFailure::working_directory(&job.working_directory)));
    }
    let mut disk = DiskWatch::start(job).await;
    let mut child = match command(job, home.path()).spawn() {
        Ok(child) => child,
        Err(error) => return Ok(never_started(job, StartFailure::from_host(&error, program))),
    };
    let group = ProcessGroup::of(&child);
    let mut pipes = Pipes::take(&mut child, job);
    let started = Instant::now();
    let watched = Watched { limits: &job.limits, cancel: &cancel, disk: disk.as_mut() };
    let stop = follow(&mut child, &mut pipes, watched).await;
    let elapsed = started.elapsed();
    if !matches!(stop, Ok(Stop::Ended(_))) {
        group.kill();
        child.wait().await.ok();
    }
    pipes.drain().await;
    group.kill();
    let evidence = Evidence { written_bytes: disk::finish(disk).await, ..Evidence::default() };
    let ending = conclude(stop.map_err(explain("await"))?, job, &evidence);
    let capture = pipes.capture;
    Ok(Outcome { ending, stdout: capture.stdout, stderr: capture.stderr, elapsed, evidence })
}

async fn follow(child: &mut Child, pipes: &mut Pipes, watched: Watched<'_>) -> std::io::Result<Stop> {
    let Watched { limits, cancel, mut disk } = watched;
    let timer = tokio::time::sleep(limits.timeout);
    tokio::pin!(timer);
    loop {
        tokio::select! {
            biased;
            () = cancel.cancelled() => return Ok(Stop::Limit(Ending::Cancelled)),
            status = child.wait() => return status.map(Stop::Ended),
            () = &mut timer => return Ok(Stop::Limit(Ending::TimedOut)),
            () = disk::wait_until_full(disk.as_deref_mut()) => return Ok(Stop::Limit(Ending::DiskFull)),
            () = pipes.read_some() => {}
        }
        if pipes.capture.is_over_ceiling() {
            return Ok(Stop::Limit(Ending::OutputCapped));
        }
    }
}

fn conclude(stop: Stop, job: &Job, evidence: &Evidence) -> Ending {
    match stop {
        Stop::Limit(ending) => ending,
        Stop::Ended(status) => match (status.code(), status.signal()) {
            (Some(code), _) => judge(code, &job.limits, evidence, TemporaryFolder::Spacious),
            (None, signal) => Ending::Signaled { signal: signal.unwrap_or(0) },
        },
    }
}

fn never_started(job: &Job, failure: StartFailure) -> Outcome {
    let mut capture = Capture::new(&job.limits);
    let ending = match failure {
        StartFailure::OfProgram { code, line } => {
            capture.push(Stream::Stderr, line.as_bytes());
            Ending::Exited { code }
        }
        StartFailure::OfEngine { said } => {
            Ending::Infrastructure { why: Error::StartProgram { said }.explanation() }
        }
    };
    let Capture { stdout, stderr, .. } = capture;
    Outcome { ending, stdout, stderr, elapsed: Duration::ZERO, evidence: Evidence::default() }
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that runs the demonstration's scripts")]
fn command(job: &Job, home: &Path) -> Command {
    let mut command = Command::new(job.argv.first().map_or("", String::as_str));
    command
        .args(job.argv.iter().skip(1))
        .current_dir(working_directory(job))
        .env_clear()
        .envs([("PATH", SEARCH_PATH), ("LANG", "C.UTF-8"), ("TZ", "UTC")])
        .env("HOME", home)
        .env("TMPDIR", home)
        .envs(&job.environment)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true);
    command
}

/// The job's working directory on this machine.
fn working_directory(job: &Job) -> PathBuf {
    let inside = Path::new(&job.working_directory);
    job.mounts
        .iter()
        .filter_map(|mount| Some((mount, inside.strip_prefix(&mount.target).ok()?)))
        // Of nested mounts the innermost is the one that the job would see.
        .max_by_key(|(mount, _)| mount.target.len())
        .map_or_else(|| inside.to_owned(), |(mount, rest)| mount.source.join(rest))
}

/// A process and its descendants, as far as they stay in its group. Killed when dropped.
struct ProcessGroup(Option<Pid>);

impl ProcessGroup {
    fn of(child: &Child) -> Self {
        Self(child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)))
    }

    fn kill(&self) {
        if let Some(group) = self.0 {
            // An error means that none is left.
            kill_process_group(group, Signal::KILL).ok();
        }
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.kill();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{Access, Mount, Network};

    fn shell(script: &str) -> Job {
        Job {
            image: String::new(),
            argv: ["sh", "-c", script].map(str::to_owned).to_vec(),
            mounts: Vec::new(),
            working_directory: "/".to_owned(),
            environment: BTreeMap::new(),
            stdin: Vec::new(),
            limits: Limits { timeout: Duration::from_secs(30), ..Limits::default() },
            network: Network::None,
        }
    }

    async fn run(job: &Job) -> Outcome {
        HostProcesses.run(job, CancellationToken::new()).await
    }

    #[tokio::test]
    async fn reports_codes_signals_and_both_streams() {
        let outcome = run(&shell("echo out; echo err >&2; exit 3")).await;
        assert_eq!(outcome.ending, Ending::Exited { code: 3 });
        assert_eq!((outcome.stdout.text().as_str(), outcome.stderr.text().as_str()), ("out\n", "err\n"));
        assert_eq!(run(&shell("kill -9 $$")).await.ending, Ending::Signaled { signal: 9 });
    }

    #[tokio::test]
    async fn reports_a_missing_program_and_folder_as_a_shell_would() {
        let mut job = shell("true");
        job.argv = vec!["no-such-program".to_owned()];
        let outcome = run(&job).await;
        assert_eq!(outcome.ending, Ending::Exited { code: 127 });
        assert!(outcome.stderr.text().starts_with("no-such-program: no such program"));
        job.working_directory = "/no/such".to_owned();
        assert_eq!(run(&job).await.ending, Ending::Exited { code: 126 });
    }

    #[tokio::test]
    async fn ends_the_whole_group_at_the_time_limit_and_keeps_the_output() {
        let folder = tempfile::tempdir().unwrap();
        let mut job = in_folder(folder.path(), "trap '' TERM; echo before; (sleep 2; touch late) & sleep 60");
        job.limits.timeout = Duration::from_millis(200);
        let outcome = run(&job).await;
        assert_eq!((&outcome.ending, outcome.stdout.text().as_str()), (&Ending::TimedOut, "before\n"));
        tokio::time::sleep(Duration::from_secs(3)).await;
        assert!(!folder.path().join("late").exists());
    }

    #[tokio::test]
    async fn does_not_wait_for_a_child_in_the_background() {
        let outcome = run(&shell("sleep 29 & echo done")).await;
        assert_eq!((outcome.ending.exit_code(), outcome.stdout.text().as_str()), (Some(0), "done\n"));
    }

    fn in_folder(folder: &Path, script: &str) -> Job {
        let mut job = shell(script);
        let target = "/work".to_owned();
        job.mounts = vec![Mount { source: folder.to_owned(), target, access: Access::ReadWrite }];
        job.working_directory = "/work/inner".to_owned();
        fs_err::create_dir_all(folder.join("inner")).unwrap();
        job
    }

    #[tokio::test]
    async fn works_where_the_job_sees_its_mount() {
        let folder = tempfile::tempdir().unwrap();
        let outcome = run(&in_folder(folder.path(), "pwd; echo new > file")).await;
        let inner = fs_err::canonicalize(folder.path().join("inner")).unwrap();
        assert_eq!(outcome.stdout.text(), format!("{}\n", inner.display()));
        assert!(inner.join("file").exists() && outcome.evidence.written_bytes > Some(0));
    }

    #[tokio::test]
    async fn inherits_nothing_but_passes_what_is_asked() {
        let mut job = shell("env | cut -d= -f1 | sort | tr '\\n' ' '; cat");
        job.environment.insert("ASKED".to_owned(), "1".to_owned());
        job.stdin = b"input".to_vec();
        let seen = run(&job).await.stdout.text();
        let ours: Vec<_> =
            seen.split(' ').filter(|name| !["PWD", "SHLVL", "_", "OLDPWD"].contains(name)).collect();
        assert_eq!(ours, ["ASKED", "HOME", "LANG", "PATH", "TMPDIR", "TZ", "input"]);
    }

    #[tokio::test]
    async fn ends_a_flood_of_output_and_of_disk() {
        let mut job = shell("yes");
        job.limits.output_ceiling_bytes = 1 << 20;
        assert_eq!(run(&job).await.ending, Ending::OutputCapped);
        let folder = tempfile::tempdir().unwrap();
        let mut job = in_folder(folder.path(), "while :; do head -c 1000000 /dev/zero >> file; done");
        job.limits.disk_bytes = 8 << 20;
        assert_eq!(run(&job).await.ending, Ending::DiskFull);
    }

    #[tokio::test]
    async fn stops_when_the_caller_gives_up() {
        let cancel = CancellationToken::new();
        cancel.cancel();
        assert_eq!(HostProcesses.run(&shell("sleep 60"), cancel).await.ending, Ending::Cancelled);
    }
}
