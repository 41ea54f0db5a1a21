//! WHERE code runs: a job (image, mounts, argv, limits) becomes an outcome.
//! Whatever the code does, the answer is an [`Outcome`] that says how it ended and shows the evidence;
//! this is the only crate that talks to a container engine or starts a process of somebody else's code.

mod job;
mod limits;
mod outcome;
mod output;

pub use job::{Access, Job, Mount, Network};
pub use limits::Limits;
pub use outcome::{Ending, Evidence, Outcome};
pub use output::Output;
