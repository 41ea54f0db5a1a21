//! What a job may use. Every limit has a default that suits one ML-Bench task on a laptop.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What a job may use before it is ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Wall time from the program's start.
    pub timeout: Duration,
    /// Memory of the whole process tree, sized temporary folders included; there is no swap on top.
    pub memory_bytes: u64,
    /// Processor cores, as a share of wall time.
    pub cpus: f64,
    /// Processes and threads alive at one time.
    pub processes: u32,
    /// Bytes that the job may write into its writable mounts, in total.
    pub disk_bytes: u64,
    /// Bytes of `/tmp`.
    pub temporary_bytes: u64,
    /// Bytes of each output stream that are kept: half from its head, half from its tail.
    pub kept_output_bytes: usize,
    /// Bytes over both output streams after which the job is ended as `OutputCapped`.
    pub output_ceiling_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(60),
            memory_bytes: 4 << 30,
            cpus: 2.0,
            processes: 512,
            disk_bytes: 2 << 30,
            temporary_bytes: 512 << 20,
            kept_output_bytes: 64 << 10,
            output_ceiling_bytes: 1 << 30,
        }
    }
}
