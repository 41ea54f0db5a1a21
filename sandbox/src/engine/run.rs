//! One job from start to end. Each step that can fail for reasons of the engine says so; whatever happens after
//! the container exists, it is removed before the outcome is returned.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::Engine;
use super::container::{self, Container};
use super::counters::{Cgroup, Counters, PROBE, Probed, parse_probe};
use super::exec::{Ended, Exec, run_small};
use super::follow::{Stop, Watched, drain, follow};
use super::kill::end_payload;
use super::plan::KEEPER;
use crate::capture::Capture;
use crate::disk::{self, DiskWatch};
use crate::start_failure::StartFailure;
use crate::user::{User, payload_user};
use crate::verdict::{TemporaryFolder, judge};
use crate::{Ending, Error, Evidence, Job, Outcome, Output, Result};

/// A look into a container that has ended its job takes 50 ms on an idle machine.
const PROBE_LIMIT: Duration = Duration::from_secs(10);

pub(super) async fn run(engine: &Engine, job: &Job, cancel: CancellationToken) -> Outcome {
    // On a task of its own, so that dropping the caller's future cancels the job and still cleans up after it.
    let cancel = cancel.child_token();
    let _cancelled_with_us = cancel.clone().drop_guard();
    let flow = Flow { engine: engine.clone(), job: Arc::new(job.clone()), cancel, user: payload_user() };
    match tokio::spawn(async move { flow.run().await }).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(error)) => Outcome::never_started(&error),
        Err(_) => Outcome::never_started(&Error::Interrupted),
    }
}

struct Flow {
    engine: Engine,
    job: Arc<Job>,
    cancel: CancellationToken,
    user: User,
}

/// What is known when following has stopped.
struct Followed {
    stop: Stop,
    elapsed: Duration,
    capture: Capture,
    counters: Counters,
}

impl Flow {
    async fn run(self) -> Result<Outcome> {
        self.job.check()?;
        let digest = self.engine.image_digest(&self.job.image).await?;
        let started = Container::start(&self.engine, &self.job, &digest);
        let (disk, container) = tokio::join!(DiskWatch::start(&self.job), started);
        let (container, _lifeline) = container?;
        let outcome = self.run_in(&container, disk).await;
        let removed = container::remove(&self.engine, &container.name).await;
        let mut outcome = outcome?;
        outcome.evidence.image_digest = Some(digest);
        if let (Err(error), false) = (removed, matches!(outcome.ending, Ending::Infrastructure { .. })) {
            // The job has its outcome; the container is left to the next `reap_orphans`.
            tracing::warn!(container = container.name, "{}", error.explanation());
        }
        Ok(outcome)
    }

    async fn run_in(&self, container: &Container, mut disk: Option<DiskWatch>) -> Result<Outcome> {
        let mut exec = Exec::start_job(&self.engine, &container.name, &self.job, self.user)
            .await
            .map_err(|error| self.explain_start(error))?;
        let mut followed = self.follow(&mut exec, container, disk.as_mut()).await;
        if !matches!(followed.stop, Stop::Ended(_) | Stop::Lost(_)) {
            if let Err(error) = end_payload(&self.engine, &container.name, self.user).await {
                followed.stop = Stop::Lost(error);
            }
        }
        drain(&mut exec, &mut followed.capture).await;
        let temporary = self.look_inside(container, &mut followed).await;
        let mut evidence = Evidence { written_bytes: disk::finish(disk).await, ..Evidence::default() };
        followed.counters.write_to(&mut evidence);
        Ok(self.conclude(container, followed, evidence, temporary).await)
    }

    async fn follow(&self, exec: &mut Exec, container: &Container, disk: Option<&mut DiskWatch>) -> Followed {
        let mut capture = Capture::new(&self.job.limits);
        let mut counters = Counters::default();
        let started = Instant::now();
        let watched = Watched {
            deadline: started + self.job.limits.timeout,
            cancel: &self.cancel,
            disk,
            cgroup: container.cgroup.as_ref(),
            counters: &mut counters,
        };
        let stop = follow(&self.engine, exec, &mut capture, watched).await;
        Followed { stop, elapsed: started.elapsed(), capture, counters }
    }

    /// Reads the counters a last time: from this machine if the container is on it, else from inside, where one
    /// look costs as much as a small job and is taken only when the job failed.
    async fn look_inside(&self, container: &Container, followed: &mut Followed) -> TemporaryFolder {
        followed.counters.update(container.cgroup.as_ref().map(Cgroup::read).unwrap_or_default());
        let failed = matches!(followed.stop, Stop::Ended(ended) if ended.started && ended.code != 0);
        let unknown = container.cgroup.is_none() && !matches!(followed.stop, Stop::Lost(_) | Stop::Ended(_));
        if !failed && !unknown {
            return TemporaryFolder::Spacious;
        }
        let probe = run_small(&self.engine, &container.name, self.user, PROBE);
        let Ok(Ok((_, printed))) = tokio::time::timeout(PROBE_LIMIT, probe).await else {
            return TemporaryFolder::Spacious;
        };
        let Probed { counters, temporary_free } = parse_probe(&printed);
        followed.counters.update(counters);
        match temporary_free {
            Some((0, _) | (_, 0)) => TemporaryFolder::Full,
            _ => TemporaryFolder::Spacious,
        }
    }

    async fn conclude(
        &self,
        container: &Container,
        followed: Followed,
        evidence: Evidence,
        temporary: TemporaryFolder,
    ) -> Outcome {
        let Followed { stop, elapsed, capture, .. } = followed;
        let Capture { mut stdout, mut stderr, .. } = capture;
        let ending = match stop {
            Stop::Ended(ended) if self.never_started(ended, &stdout) => {
                self.conclude_start_failure(&mut stdout, &mut stderr)
            }
            Stop::Ended(ended) => {
                let judged = judge(ended.code, &self.job.limits, &evidence, temporary);
                self.confirm(container, judged).await
            }
            Stop::TimedOut => Ending::TimedOut,
            Stop::Cancelled => Ending::Cancelled,
            Stop::OutputCapped => Ending::OutputCapped,
            Stop::DiskFull => Ending::DiskFull,
            Stop::Lost(error) => self.conclude_loss(container, error).await,
        };
        Outcome { ending, stdout, stderr, elapsed, evidence }
    }

    /// A program killed by nobody's limit may have been killed with its container, by somebody else.
    async fn confirm(&self, container: &Container, judged: Ending) -> Ending {
        if judged != (Ending::Exited { code: 137 }) {
            return judged;
        }
        match container::is_running(&self.engine, &container.name).await {
            Ok(true) => judged,
            Ok(false) => infrastructure(&Error::ContainerLost),
            Err(error) => infrastructure(&Error::EngineLost { source: Box::new(error) }),
        }
    }

    async fn conclude_loss(&self, container: &Container, error: Error) -> Ending {
        match container::is_running(&self.engine, &container.name).await {
            Ok(false) => infrastructure(&Error::ContainerLost),
            _ => infrastructure(&Error::EngineLost { source: Box::new(error) }),
        }
    }

    fn never_started(&self, ended: Ended, stdout: &Output) -> bool {
        !ended.started && matches!(ended.code, 126 | 127) && stdout.total_bytes() > 0
    }

    /// Puts the cause in a shell's words where the engine left its own.
    fn conclude_start_failure(&self, stdout: &mut Output, stderr: &mut Output) -> Ending {
        let program = self.job.argv.first().map_or("", String::as_str);
        match StartFailure::from_runtime(&stdout.text(), program, &self.job.working_directory) {
            StartFailure::OfProgram { code, line } => {
                *stdout = Output::keeping(self.job.limits.kept_output_bytes);
                stderr.push(line.as_bytes());
                Ending::Exited { code }
            }
            StartFailure::OfEngine { said } => infrastructure(&Error::StartProgram { said }),
        }
    }

    /// An image without the keeper's program makes a container that has ended before its job begins.
    fn explain_start(&self, error: Error) -> Error {
        match super::call::refused_with(&error) {
            Some(404 | 409) => Error::ImageUnusable { image: self.job.image.clone(), program: KEEPER },
            _ => error,
        }
    }
}

fn infrastructure(error: &Error) -> Ending {
    Ending::Infrastructure { why: error.explanation() }
}
