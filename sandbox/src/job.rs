//! A job: everything that decides what runs, stated before it runs.
//! It is plain data, so that it can be logged, hashed into a lock file and sent to another machine.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::Limits;

/// What to run, in what, on what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The container image, by name or digest. The host backend ignores it.
    pub image: String,
    /// The program and its arguments; never joined into a shell string.
    pub argv: Vec<String>,
    /// Folders of this machine that the job sees.
    pub mounts: Vec<Mount>,
    /// The folder inside the sandbox in which the program starts.
    pub working_directory: String,
    /// The whole environment: nothing is inherited from this process.
    pub environment: BTreeMap<String, String>,
    /// What the program reads on its standard input; empty means end of file at once.
    pub stdin: Vec<u8>,
    /// What it may use.
    pub limits: Limits,
    /// What it may reach.
    pub network: Network,
}

/// A folder of this machine, shown to a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mount {
    /// The folder on this machine.
    pub source: PathBuf,
    /// Where the job sees it.
    pub target: String,
    /// What the job may do with it.
    pub access: Access,
}

/// What a job may do with a mounted folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Read only.
    ReadOnly,
    /// Read and write.
    ReadWrite,
}

/// What a job may reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// Nothing but its own loopback; a connection fails at once.
    #[default]
    None,
    /// The engine's default bridge.
    Bridge,
}
