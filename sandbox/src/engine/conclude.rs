//! From what was seen of a job to its ending. A program's exit code counts only if the program ran at all, and if
//! its container was still there when it ended.

use super::container::{self, Container};
use super::exec::Ended;
use super::follow::Stop;
use super::run::{Flow, Followed};
use crate::capture::Capture;
use crate::start_failure::StartFailure;
use crate::verdict::{TemporaryFolder, judge};
use crate::{Ending, Error, Evidence, Outcome, Output};

impl Flow {
    pub(super) async fn conclude(
        &self,
        container: &Container,
        followed: Followed,
        evidence: Evidence,
        temporary: TemporaryFolder,
    ) -> Outcome {
        let Followed { stop, elapsed, capture, .. } = followed;
        let Capture { mut stdout, mut stderr, .. } = capture;
        let ending = match stop {
            Stop::Ended(ended) if never_started(ended, &stdout) => {
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
            // The kernel may choose the keeper when the job's processes are small and many.
            Stop::Lost(_) if evidence.out_of_memory_kills > Some(0) => Ending::OutOfMemory,
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
}

/// Whether what stands in the output is the engine's excuse and not a program's words.
fn never_started(ended: Ended, stdout: &Output) -> bool {
    !ended.started && matches!(ended.code, 126 | 127) && stdout.total_bytes() > 0
}

fn infrastructure(error: &Error) -> Ending {
    Ending::Infrastructure { why: error.explanation() }
}
