//! Processes beside a container's keeper. The engine cannot end one and does not say when one ended; what it
//! can do is start one, carry its streams, and tell on request whether it still runs.

use std::pin::Pin;
use std::time::Duration;

use bollard::container::LogOutput;
use bollard::exec::{StartExecOptions, StartExecResults};
use bollard::models::ExecConfig;
use futures_util::{Stream, StreamExt};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio_util::task::AbortOnDropHandle;

use super::Engine;
use super::call::ask;
use super::plan::environment;
use crate::capture::{self, Capture};
use crate::user::User;
use crate::{Error, Job, Result};

/// The engine sends frames of at most 32 KiB; two of them at a time halve the number of reads.
const READ_BYTES: usize = 64 << 10;

type Frames = Pin<Box<dyn Stream<Item = Result<LogOutput, bollard::errors::Error>> + Send>>;

/// A started process with its streams.
pub(super) struct Exec {
    pub(super) id: String,
    pub(super) frames: Frames,
    /// Feeds the standard input; a program that does not read it must not hold up anything.
    _feeder: Option<AbortOnDropHandle<()>>,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ended {
    pub(super) code: i32,
    /// Whether there ever was a process, or only an attempt to start one.
    pub(super) started: bool,
}

impl Exec {
    /// Starts the job's program in `container`.
    pub(super) async fn start_job(engine: &Engine, container: &str, job: &Job, user: User) -> Result<Self> {
        let config = ExecConfig {
            attach_stdin: Some(!job.stdin.is_empty()),
            env: Some(environment(job)),
            working_dir: Some(job.working_directory.clone()),
            ..attached(&job.argv, user)
        };
        Self::start(engine, container, config, job.stdin.clone()).await
    }

    async fn start(engine: &Engine, container: &str, config: ExecConfig, stdin: Vec<u8>) -> Result<Self> {
        let docker = &engine.docker;
        let id = ask("prepare a program", docker.create_exec(container, config)).await?.id;
        let options = StartExecOptions { output_capacity: Some(READ_BYTES), ..StartExecOptions::default() };
        match ask("start a program", docker.start_exec(&id, Some(options))).await? {
            StartExecResults::Attached { output, input } => {
                Ok(Self { id, frames: output, _feeder: feed(input, stdin) })
            }
            StartExecResults::Detached => Err(Error::Interrupted),
        }
    }
}

/// Runs a small program of our own to its end and returns its exit code and standard output.
pub(super) async fn run_small(
    engine: &Engine,
    container: &str,
    user: User,
    script: &str,
) -> Result<(i32, String)> {
    let argv = ["sh", "-c", script].map(str::to_owned);
    let mut exec = Exec::start(engine, container, attached(&argv, user), Vec::new()).await?;
    let mut printed = Vec::new();
    while let Some(Ok(frame)) = exec.frames.next().await {
        printed.extend_from_slice(frame.as_ref());
    }
    loop {
        if let Some(ended) = ended(engine, &exec.id).await? {
            return Ok((ended.code, String::from_utf8_lossy(&printed).into_owned()));
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// How a process ended, or nothing while it runs.
pub(super) async fn ended(engine: &Engine, id: &str) -> Result<Option<Ended>> {
    let found = ask("inspect a program", engine.docker.inspect_exec(id)).await?;
    // Podman gives exit code 0 for a process that still runs, so this question comes first.
    if found.running != Some(false) {
        return Ok(None);
    }
    let code = found.exit_code.and_then(|code| i32::try_from(code).ok());
    Ok(code.map(|code| Ended { code, started: found.pid.is_some_and(|pid| pid != 0) }))
}

/// Adds a frame of the engine's stream to what is captured.
pub(super) fn push(capture: &mut Capture, frame: &LogOutput) {
    let stream = match frame {
        LogOutput::StdErr { .. } => capture::Stream::Stderr,
        LogOutput::StdOut { .. } | LogOutput::StdIn { .. } | LogOutput::Console { .. } => {
            capture::Stream::Stdout
        }
    };
    capture.push(stream, frame.as_ref());
}

/// Never with a terminal: with one, the client library guesses where frames begin and can lose bytes.
fn attached(argv: &[String], user: User) -> ExecConfig {
    ExecConfig {
        cmd: Some(argv.to_vec()),
        user: Some(user.to_string()),
        attach_stdout: Some(true),
        attach_stderr: Some(true),
        tty: Some(false),
        ..ExecConfig::default()
    }
}

fn feed(mut input: Pin<Box<dyn AsyncWrite + Send>>, stdin: Vec<u8>) -> Option<AbortOnDropHandle<()>> {
    if stdin.is_empty() {
        return None;
    }
    Some(AbortOnDropHandle::new(tokio::spawn(async move {
        // A program may end or close its input before it has read all; that is no failure.
        if input.write_all(&stdin).await.is_ok() {
            input.shutdown().await.ok();
        }
        // Kept until the job is over: dropping it would end the output, which shares its connection.
        std::future::pending::<()>().await;
    })))
}
