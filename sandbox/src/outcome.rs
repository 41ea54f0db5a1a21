//! How a job ended, with the evidence. Success is never inferred from a stream that ended.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Error, Output};

/// How a job ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "how")]
pub enum Ending {
    /// The program returned this code of its own accord.
    Exited {
        /// 0 to 255.
        code: i32,
    },
    /// A signal ended the program, and no limit of ours sent it.
    Signaled {
        /// The signal's number.
        signal: i32,
    },
    /// It was still running at the wall-time limit.
    TimedOut,
    /// It failed after the kernel had killed one of its processes at the memory limit.
    OutOfMemory,
    /// It failed while the process limit refused new processes.
    TooManyProcesses,
    /// It wrote more than the disk limit allows, or failed with its temporary folder full.
    DiskFull,
    /// It wrote more output than the ceiling allows.
    OutputCapped,
    /// The caller gave up on it.
    Cancelled,
    /// The engine or this machine failed; nothing follows about the program.
    Infrastructure {
        /// One sentence with the next step.
        why: String,
    },
}

impl Ending {
    /// The ending in one word, as it stands in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Exited { .. } => "exited",
            Self::Signaled { .. } => "signaled",
            Self::TimedOut => "timed_out",
            Self::OutOfMemory => "out_of_memory",
            Self::TooManyProcesses => "too_many_processes",
            Self::DiskFull => "disk_full",
            Self::OutputCapped => "output_capped",
            Self::Cancelled => "cancelled",
            Self::Infrastructure { .. } => "infrastructure",
        }
    }

    /// The exit code, where there is one.
    pub fn exit_code(&self) -> Option<i32> {
        match self {
            Self::Exited { code } => Some(*code),
            _ => None,
        }
    }
}

/// What a job did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// Its standard output.
    pub stdout: Output,
    /// Its standard error.
    pub stderr: Output,
    /// Wall time from the program's start to its end.
    pub elapsed: Duration,
    /// What the verdict on the ending rests on.
    pub evidence: Evidence,
}

/// What was measured around a job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The image's content hash, where a container engine ran the job.
    pub image_digest: Option<String>,
    /// Processes that the kernel killed for memory during the job, where it could be read.
    pub out_of_memory_kills: Option<u64>,
    /// Forks that the process limit refused during the job, where it could be read.
    pub refused_forks: Option<u64>,
    /// Processor time of the job, where it could be read.
    pub cpu_time: Option<Duration>,
    /// The most that the writable mounts occupied beyond what they did at the start, where measured.
    pub written_bytes: Option<u64>,
}

impl Outcome {
    /// The outcome of a job that never started, through no fault of its program.
    pub(crate) fn never_started(error: &Error) -> Self {
        Self {
            ending: Ending::Infrastructure { why: error.explanation() },
            stdout: Output::default(),
            stderr: Output::default(),
            elapsed: Duration::ZERO,
            evidence: Evidence::default(),
        }
    }
}
