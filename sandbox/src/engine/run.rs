//! One job from start to end. Each step that can fail for reasons of the engine says so; whatever happens after
//! the container exists, nothing of the job runs any more when its outcome is returned.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::Engine;
use super::call::refused_with;
use super::container::{self, Container};
use super::counters::Counters;
use super::exec::Exec;
use super::follow::{Stop, Watched, drain, follow, read_while};
use super::kill::end_payload;
use super::local::{Children, LocalView};
use super::plan::{KEEPER, Shape};
use crate::capture::Capture;
use crate::disk::{self, DiskWatch};
use crate::user::{User, payload_user};
use crate::{Error, Evidence, Job, Outcome, Result};

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

pub(super) struct Flow {
    pub(super) engine: Engine,
    pub(super) job: Arc<Job>,
    pub(super) user: User,
    cancel: CancellationToken,
}

/// What is known when following has stopped.
pub(super) struct Followed {
    pub(super) stop: Stop,
    pub(super) elapsed: Duration,
    pub(super) capture: Capture,
    pub(super) counters: Counters,
}

impl Flow {
    async fn run(self) -> Result<Outcome> {
        self.job.check()?;
        let digest = self.engine.image_digest(&self.job.image).await?;
        let shape = Shape::of(&self.job, &digest);
        let (disk, started) = tokio::join!(DiskWatch::start(&self.job), self.start(&shape));
        let (container, exec) = started?;
        let (mut outcome, children) = self.run_in(&container, exec, disk).await;
        outcome.evidence.image_digest = Some(digest);
        self.release(container, children).await;
        self.engine.prepare_spare(shape);
        Ok(outcome)
    }

    /// Starts the program in a container that stands ready, or else in a new one.
    async fn start(&self, shape: &Shape) -> Result<(Container, Exec)> {
        if let Some(spare) = self.engine.take_spare(shape).await {
            // It may have been removed while it waited; then a new one takes its place.
            if let Ok(exec) = Exec::start_job(&self.engine, &spare.name, &self.job, self.user).await {
                return Ok((spare, exec));
            }
            container::remove(&self.engine, &spare.name).await.ok();
        }
        let container = Container::start(&self.engine, shape).await?;
        match Exec::start_job(&self.engine, &container.name, &self.job, self.user).await {
            Ok(exec) => Ok((container, exec)),
            Err(error) => {
                container::remove(&self.engine, &container.name).await.ok();
                Err(self.explain_start(error))
            }
        }
    }

    async fn run_in(
        &self,
        container: &Container,
        mut exec: Exec,
        mut disk: Option<DiskWatch>,
    ) -> (Outcome, Children) {
        let mut followed = self.follow(&mut exec, container, disk.as_mut()).await;
        if !matches!(followed.stop, Stop::Ended(_) | Stop::Lost(_)) {
            let ending = end_payload(&self.engine, &container.name, self.user);
            if let Err(error) = read_while(&mut exec, &mut followed.capture, ending).await {
                followed.stop = Stop::Lost(error);
            }
        }
        let children = container.local.as_ref().map_or(Children::Possible, LocalView::children);
        let drained = drain(&mut exec, &mut followed.capture, children).await;
        let temporary = self.look(container, &mut followed, drained).await;
        let mut evidence = Evidence { written_bytes: disk::finish(disk).await, ..Evidence::default() };
        followed.counters.write_to(&mut evidence);
        (self.conclude(container, followed, evidence, temporary).await, children)
    }

    async fn follow(&self, exec: &mut Exec, container: &Container, disk: Option<&mut DiskWatch>) -> Followed {
        let mut capture = Capture::new(&self.job.limits);
        let mut counters = Counters::default();
        let started = Instant::now();
        let watched = Watched {
            deadline: started + self.job.limits.timeout,
            cancel: &self.cancel,
            disk,
            local: container.local.as_ref(),
            counters: &mut counters,
        };
        let stop = follow(&self.engine, exec, &mut capture, watched).await;
        Followed { stop, elapsed: started.elapsed(), capture, counters }
    }

    /// Removes the container: behind the caller's back if nothing runs in it any more, for that takes as long as
    /// a small job. Should this process end meanwhile, the container ends with its lifeline.
    async fn release(&self, container: Container, children: Children) {
        let engine = self.engine.clone();
        let removal = async move {
            if let Err(error) = container::remove(&engine, &container.name).await {
                // The job has its outcome; the container is left to the next `reap_orphans`.
                tracing::warn!(container = container.name, "{}", error.explanation());
            }
        };
        match children {
            Children::None => drop(tokio::spawn(removal)),
            Children::Possible => removal.await,
        }
    }

    /// An image without the keeper's program makes a container that has ended before its job begins.
    fn explain_start(&self, error: Error) -> Error {
        match refused_with(&error) {
            Some(404 | 409) => Error::ImageUnusable { image: self.job.image.clone(), program: KEEPER },
            _ => error,
        }
    }
}
