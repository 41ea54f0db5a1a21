//! Both output streams of a running job, bounded in memory however much arrives.

use crate::{Limits, Output};

/// What arrived so far.
#[derive(Clone, Debug)]
pub(crate) struct Capture {
    pub(crate) stdout: Output,
    pub(crate) stderr: Output,
    ceiling: u64,
}

/// One of the two streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Stdout,
    Stderr,
}

impl Capture {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            stdout: Output::keeping(limits.kept_output_bytes),
            stderr: Output::keeping(limits.kept_output_bytes),
            ceiling: limits.output_ceiling_bytes,
        }
    }

    pub(crate) fn push(&mut self, stream: Stream, bytes: &[u8]) {
        match stream {
            Stream::Stdout => self.stdout.push(bytes),
            Stream::Stderr => self.stderr.push(bytes),
        }
    }

    pub(crate) fn is_over_ceiling(&self) -> bool {
        self.stdout.total_bytes() + self.stderr.total_bytes() > self.ceiling
    }
}
