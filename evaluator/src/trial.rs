//! A trial: one attempt, executed or not, as one line of `trials.jsonl`. How it ended and what the rules make of
//! it are separate columns, and trouble of the machine is an ending of its own, never a failure of the answer.

use sandbox::{Ending, Outcome};
use serde::{Deserialize, Serialize};

use crate::attempt::Attempt;
use crate::rule::{Conditions, Run, undrained_pipe_would_change_verdict, verdict};
use crate::{Form, Rule, StaticChecks, TaskKey, Verdict};

/// One attempt with everything that is known of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The task.
    #[serde(flatten)]
    pub key: TaskKey,
    /// Which output of the prediction, from 1.
    pub attempt: usize,
    /// What the static checks say.
    #[serde(flatten)]
    pub checks: StaticChecks,
    /// How it ended, or that it was not executed.
    pub outcome: TrialOutcome,
    /// The exit code, where the program ended by itself.
    pub exit_code: Option<i32>,
    /// What every rule says of it.
    pub verdicts: Verdicts,
    /// Whether the original harness, which never reads its pipe, would have seen a timeout and so a success
    /// instead of this failure. Only `ml-bench-l` has that flaw.
    pub undrained_pipe_would_change_verdict: bool,
    /// What was measured; nothing if it was not executed.
    #[serde(flatten)]
    pub execution: Option<TrialExecution>,
}

/// What was measured while a trial ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialExecution {
    /// As what the answer was run.
    pub form: Form,
    /// Why the machine failed, where it did.
    pub why: Option<String>,
    /// The signal that ended the program, where one did.
    pub signal: Option<i32>,
    /// Wall time, in seconds.
    pub elapsed_seconds: f64,
    /// The wall time that it was given, in seconds.
    pub limit_seconds: f64,
    /// Bytes that it wrote to its standard output.
    pub stdout_bytes: u64,
    /// Bytes that it wrote to its standard error.
    pub stderr_bytes: u64,
    /// Whether the kept output is less than the whole.
    pub truncated: bool,
    /// The image's content hash, where a container engine ran it.
    pub image_digest: Option<String>,
    /// Processes that the kernel killed at the memory limit, where it could be read: an exit code 0 hides them.
    pub out_of_memory_kills: Option<u64>,
    /// Processor time, in seconds, where it could be read.
    pub cpu_seconds: Option<f64>,
    /// The most that it wrote into its copy of the repository, in bytes, where measured.
    pub written_bytes: Option<u64>,
}

/// How a trial ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrialOutcome {
    /// It was not run.
    NotExecuted,
    /// The program ended by itself.
    Exited,
    /// A signal ended the program.
    Signaled,
    /// It was still running at the limit of time.
    TimedOut,
    /// It failed at the limit of memory.
    OutOfMemory,
    /// It failed at the limit of processes.
    TooManyProcesses,
    /// It wrote more than the limit of disk space allows.
    DiskFull,
    /// It wrote more output than the ceiling allows.
    OutputCapped,
    /// The caller gave up on it.
    Cancelled,
    /// The engine or the machine failed; nothing follows about the answer.
    Infrastructure,
}

/// What every rule says of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdicts {
    /// By `ml-bench-l`.
    #[serde(rename = "ml-bench-l")]
    pub ml_bench_l: Verdict,
    /// By `ml-bench-a`.
    #[serde(rename = "ml-bench-a")]
    pub ml_bench_a: Verdict,
}

impl Verdicts {
    /// The verdict by one rule.
    pub fn by(self, rule: Rule) -> Verdict {
        match rule {
            Rule::MlBenchL => self.ml_bench_l,
            Rule::MlBenchA => self.ml_bench_a,
        }
    }

    fn of(attempt: &Attempt, run: Option<Run>) -> Self {
        Self {
            ml_bench_l: verdict(Rule::MlBenchL, attempt, run),
            ml_bench_a: verdict(Rule::MlBenchA, attempt, run),
        }
    }
}

impl From<&Ending> for TrialOutcome {
    fn from(ending: &Ending) -> Self {
        match ending {
            Ending::Exited { .. } => Self::Exited,
            Ending::Signaled { .. } => Self::Signaled,
            Ending::TimedOut => Self::TimedOut,
            Ending::OutOfMemory => Self::OutOfMemory,
            Ending::TooManyProcesses => Self::TooManyProcesses,
            Ending::DiskFull => Self::DiskFull,
            Ending::OutputCapped => Self::OutputCapped,
            Ending::Cancelled => Self::Cancelled,
            Ending::Infrastructure { .. } => Self::Infrastructure,
        }
    }
}

impl Trial {
    /// The trial of an attempt that was not run.
    pub(crate) fn not_executed(attempt: &Attempt) -> Self {
        Self {
            key: attempt.task.key,
            attempt: attempt.number,
            checks: attempt.checks,
            outcome: TrialOutcome::NotExecuted,
            exit_code: None,
            verdicts: Verdicts::of(attempt, None),
            undrained_pipe_would_change_verdict: false,
            execution: None,
        }
    }

    /// The trial of an attempt that was run.
    pub(crate) fn executed(attempt: &Attempt, conditions: Conditions, outcome: &Outcome) -> Self {
        let run = Run { conditions, ending: &outcome.ending, elapsed: outcome.elapsed };
        Self {
            outcome: TrialOutcome::from(&outcome.ending),
            exit_code: outcome.ending.exit_code(),
            verdicts: Verdicts::of(attempt, Some(run)),
            undrained_pipe_would_change_verdict: conditions.rule == Rule::MlBenchL
                && undrained_pipe_would_change_verdict(outcome),
            execution: Some(TrialExecution::of(attempt, conditions, outcome)),
            ..Self::not_executed(attempt)
        }
    }
}

impl TrialExecution {
    fn of(attempt: &Attempt, conditions: Conditions, outcome: &Outcome) -> Self {
        let evidence = &outcome.evidence;
        Self {
            form: conditions.form(attempt),
            why: match &outcome.ending {
                Ending::Infrastructure { why } => Some(why.clone()),
                _ => None,
            },
            signal: match outcome.ending {
                Ending::Signaled { signal } => Some(signal),
                _ => None,
            },
            elapsed_seconds: outcome.elapsed.as_secs_f64(),
            limit_seconds: conditions.limit(attempt).as_secs_f64(),
            stdout_bytes: outcome.stdout.total_bytes(),
            stderr_bytes: outcome.stderr.total_bytes(),
            truncated: outcome.stdout.omitted_bytes() + outcome.stderr.omitted_bytes() > 0,
            image_digest: evidence.image_digest.clone(),
            out_of_memory_kills: evidence.out_of_memory_kills,
            cpu_seconds: evidence.cpu_time.map(|time| time.as_secs_f64()),
            written_bytes: evidence.written_bytes,
        }
    }
}
