//! How an attempt is scored. The rules are those of the benchmark's own two harnesses, flaws included, so that
//! figures compare with published ones. A rule is data and pure functions: it says what to run and for how long,
//! and what the ending means; running is somebody else's work.

mod ml_bench_a;
mod ml_bench_l;
mod program;
mod verdict;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use sandbox::Ending;
use serde::{Deserialize, Serialize};

pub(crate) use ml_bench_l::undrained_pipe_would_change_verdict;
pub(crate) use program::{Conda, Program};
pub use verdict::Verdict;
pub(crate) use verdict::{Conditions, Run, verdict};

use crate::attempt::Attempt;
use crate::{Error, Task};

/// How an attempt is scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Rule {
    /// `utils/exec.py` of ML-Bench: static checks, then a run of a few seconds; a timeout is a success.
    #[serde(rename = "ml-bench-l")]
    MlBenchL,
    /// The harness for agents: the answer is a `run.sh` that gets two minutes; nothing else is checked.
    #[serde(rename = "ml-bench-a")]
    MlBenchA,
}

/// As what an answer is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Shell commands.
    Script,
    /// A Python program.
    Python,
}

impl Rule {
    /// Every rule, in the order of columns.
    pub const ALL: [Self; 2] = [Self::MlBenchL, Self::MlBenchA];

    /// The name at the command line and in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MlBenchL => "ml-bench-l",
            Self::MlBenchA => "ml-bench-a",
        }
    }

    /// As what the rule runs an answer to a task.
    pub fn form(self, task: &Task, output: &str) -> Form {
        match self {
            Self::MlBenchL => ml_bench_l::form(output),
            Self::MlBenchA => ml_bench_a::form(task, output),
        }
    }

    /// How long an answer may run in the repository with the benchmark's number `github_id`.
    pub fn limit(self, github_id: i64, form: Form) -> Duration {
        match self {
            Self::MlBenchL => ml_bench_l::limit(github_id, form),
            Self::MlBenchA => ml_bench_a::LIMIT,
        }
    }

    /// Whether the rule takes this ending for a success.
    pub fn is_success(self, ending: &Ending) -> bool {
        match ending {
            Ending::Exited { code: 0 } | Ending::TimedOut => true,
            // What the `timeout` command returns, which a script may also do by itself.
            Ending::Exited { code: 124 } => self == Self::MlBenchA,
            _ => false,
        }
    }

    /// What to run, or nothing where there is nothing that could run.
    pub(crate) fn program(self, attempt: &Attempt, conda: Option<Conda>) -> Option<Program> {
        match self {
            Self::MlBenchL => Some(ml_bench_l::program(attempt, conda)),
            Self::MlBenchA if self.fails_unseen(attempt) => None,
            Self::MlBenchA => Some(ml_bench_a::program(attempt, conda)),
        }
    }

    /// Whether the text alone decides against the answer.
    pub(crate) fn fails_unseen(self, attempt: &Attempt) -> bool {
        match self {
            Self::MlBenchL => !attempt.checks.both_ok(),
            // Agents that give up are recorded with an empty text: they left no `run.sh`.
            Self::MlBenchA => attempt.output.trim().is_empty(),
        }
    }
}

impl FromStr for Rule {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let found = Self::ALL.into_iter().find(|rule| rule.as_str() == text);
        found.ok_or_else(|| Error::UnknownRule { text: text.to_owned() })
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_others_are_refused() {
        for rule in Rule::ALL {
            assert_eq!(rule.to_string().parse::<Rule>().unwrap(), rule);
            assert_eq!(serde_json::to_value(rule).unwrap(), rule.as_str());
        }
        let error = "strict".parse::<Rule>().unwrap_err();
        assert_eq!(error.to_string(), "`strict` is not a scoring rule");
        assert!(error.hint().unwrap().contains("ml-bench-a"));
    }

    #[test]
    fn success_differs_by_rule_only_for_124() {
        for (ending, by_l, by_a) in [
            (Ending::Exited { code: 0 }, true, true),
            (Ending::Exited { code: 1 }, false, false),
            (Ending::Exited { code: 124 }, false, true),
            (Ending::TimedOut, true, true),
            (Ending::Signaled { signal: 9 }, false, false),
            (Ending::OutOfMemory, false, false),
            (Ending::OutputCapped, false, false),
        ] {
            assert_eq!(Rule::MlBenchL.is_success(&ending), by_l, "{ending:?}");
            assert_eq!(Rule::MlBenchA.is_success(&ending), by_a, "{ending:?}");
        }
    }
}
