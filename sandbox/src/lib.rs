//! WHERE code runs: a job (image, mounts, argv, limits) becomes an outcome.
//! Whatever the code does, the answer is an [`Outcome`] that says how it ended and shows the evidence;
//! this is the only crate that talks to a container engine or starts a process of somebody else's code.

mod backend;
mod capture;
mod disk;
mod engine;
mod error;
mod host;
mod job;
mod limits;
mod outcome;
mod output;
mod owner;
mod start_failure;
mod user;
mod verdict;
mod workspace;

pub use backend::Sandbox;
pub use engine::{Engine, EngineInfo, EngineOptions};
pub use error::{Error, Result};
pub use host::HostProcesses;
pub use job::{Access, Job, Mount, Network};
pub use limits::Limits;
pub use outcome::{Ending, Evidence, Outcome};
pub use output::Output;
pub use user::{User, payload_user};
pub use workspace::{Change, ChangeKind, Changes, CopyLimits, Workspace};
