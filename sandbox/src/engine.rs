//! Jobs in containers of a real engine. A container's main process waits on a stream that this process holds
//! open, so that the container ends with us, however we end; the job itself runs beside it by `exec`.

mod call;
mod conclude;
mod connect;
mod container;
mod counters;
mod exec;
mod follow;
mod image;
mod info;
mod kill;
mod local;
mod look;
mod plan;
mod reap;
mod run;
mod spares;

pub use connect::{Engine, EngineOptions};
pub use info::EngineInfo;
