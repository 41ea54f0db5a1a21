//! The choice between the places in which jobs can run.

use tokio_util::sync::CancellationToken;

use crate::{Engine, HostProcesses, Job, Outcome};

/// Where jobs run.
#[derive(Clone, Debug)]
pub enum Sandbox {
    /// In containers.
    Engine(Engine),
    /// As plain processes, without isolation: for this product's own sample scripts only.
    Host(HostProcesses),
}

impl Sandbox {
    /// Runs a job to its end; see [`Engine::run`] and [`HostProcesses::run`].
    pub async fn run(&self, job: &Job, cancel: CancellationToken) -> Outcome {
        match self {
            Self::Engine(engine) => engine.run(job, cancel).await,
            Self::Host(processes) => processes.run(job, cancel).await,
        }
    }

    /// What it is, in a few words for people.
    pub fn describe(&self) -> String {
        match self {
            Self::Engine(engine) => engine.describe(),
            Self::Host(processes) => processes.describe(),
        }
    }
}
