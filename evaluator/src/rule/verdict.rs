//! What a rule makes of an attempt. An attempt runs under one rule, and often its ending decides the other one,
//! too: the same commands, and a look at what the other rule's clock would have shown.

use std::time::Duration;

use sandbox::Ending;
use serde::{Deserialize, Serialize};

use super::{Form, Rule};
use crate::attempt::Attempt;

/// What a rule says of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It counts as solved.
    Pass,
    /// It does not.
    Fail,
    /// What is known of it does not decide: it was not run, or not as this rule would have.
    NotDecided,
}

impl From<bool> for Verdict {
    fn from(passed: bool) -> Self {
        if passed { Self::Pass } else { Self::Fail }
    }
}

/// Under which rule and clock an attempt is run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conditions {
    /// The rule whose commands are run.
    pub(crate) rule: Rule,
    /// A limit that somebody put in place of every rule's own.
    pub(crate) override_limit: Option<Duration>,
}

impl Conditions {
    /// How long the attempt may run.
    pub(crate) fn limit(self, attempt: &Attempt) -> Duration {
        let own = || self.rule.limit(attempt.task.key.github_id, self.form(attempt));
        self.override_limit.unwrap_or_else(own)
    }

    /// As what the attempt is run.
    pub(crate) fn form(self, attempt: &Attempt) -> Form {
        self.rule.form(attempt.task, attempt.output)
    }
}

/// A run of an attempt.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run<'a> {
    pub(crate) conditions: Conditions,
    pub(crate) ending: &'a Ending,
    pub(crate) elapsed: Duration,
}

/// What `rule` says of an attempt and, if it was run, its run.
pub(crate) fn verdict(rule: Rule, attempt: &Attempt, run: Option<Run>) -> Verdict {
    if rule.fails_unseen(attempt) {
        return Verdict::Fail;
    }
    let seen = run
        .filter(|run| rule == run.conditions.rule || runs_alike(attempt))
        .and_then(|run| run.seen_by(rule, attempt));
    seen.map_or(Verdict::NotDecided, |ending| rule.is_success(&ending).into())
}

/// Whether both rules run the same commands, but for how they enter the folder and the environment.
fn runs_alike(attempt: &Attempt) -> bool {
    let [form, other_form] = Rule::ALL.map(|rule| rule.form(attempt.task, attempt.output));
    form == other_form && attempt.task.prefix_code.trim().is_empty()
}

impl Run<'_> {
    /// The ending that a clock with the limit of `rule` would have shown, if the run tells.
    fn seen_by(&self, rule: Rule, attempt: &Attempt) -> Option<Ending> {
        let (limit, ran_up_to) = (self.limit(rule, attempt), self.limit(self.conditions.rule, attempt));
        match self.ending {
            Ending::Infrastructure { .. } | Ending::Cancelled => None,
            Ending::TimedOut if ran_up_to < limit => None,
            _ if rule != self.conditions.rule && self.elapsed >= limit => Some(Ending::TimedOut),
            ending => Some(ending.clone()),
        }
    }

    fn limit(&self, rule: Rule, attempt: &Attempt) -> Duration {
        Conditions { rule, override_limit: self.conditions.override_limit }.limit(attempt)
    }
}

#[cfg(test)]
mod tests {
    use super::Verdict::{Fail, NotDecided, Pass};
    use super::*;
    use crate::Task;
    use crate::task::sample::bash_task;

    const RIGHT: &str = "sh train.sh --rate 0.5";

    /// The verdicts of both rules on an attempt that ran under `rule` and ended so after some seconds.
    fn verdicts(task: &Task, output: &str, (rule, ending, seconds): (Rule, Ending, u64)) -> [Verdict; 2] {
        let attempt = Attempt::new(task, 1, output);
        let elapsed = Duration::from_secs(seconds);
        let conditions = Conditions { rule, override_limit: None };
        let run = Run { conditions, ending: &ending, elapsed };
        Rule::ALL.map(|rule| verdict(rule, &attempt, Some(run)))
    }

    const fn exited(code: i32) -> Ending {
        Ending::Exited { code }
    }

    #[test]
    fn a_short_run_decides_the_long_rule_unless_it_timed_out() {
        for (ending, expected) in [
            (exited(0), [Pass, Pass]),
            (exited(1), [Fail, Fail]),
            (exited(124), [Fail, Pass]),
            (Ending::TimedOut, [Pass, NotDecided]),
            (Ending::OutOfMemory, [Fail, Fail]),
            (Ending::Infrastructure { why: String::new() }, [NotDecided, NotDecided]),
        ] {
            assert_eq!(
                verdicts(&bash_task(), RIGHT, (Rule::MlBenchL, ending.clone(), 1)),
                expected,
                "{ending:?}"
            );
        }
    }

    #[test]
    fn a_long_run_decides_the_short_rule_by_its_clock() {
        for (ending, seconds, expected) in [
            (exited(0), 60, [Pass, Pass]),
            (exited(1), 9, [Fail, Fail]),
            (exited(1), 11, [Pass, Fail]),
            (exited(124), 1, [Fail, Pass]),
            (Ending::TimedOut, 120, [Pass, Pass]),
        ] {
            let run = (Rule::MlBenchA, ending.clone(), seconds);
            assert_eq!(verdicts(&bash_task(), RIGHT, run), expected, "{ending:?} after {seconds} s");
        }
    }

    #[test]
    fn the_text_alone_decides_against_an_answer() {
        let task = bash_task();
        let run = (Rule::MlBenchA, exited(0), 1);
        assert_eq!(verdicts(&task, "sh train.sh --rate 2", run.clone()), [Fail, Pass]);
        assert_eq!(verdicts(&task, "python train.py", run), [Fail, Pass]);
        let attempt = Attempt::new(&task, 1, " ");
        assert_eq!(verdict(Rule::MlBenchA, &attempt, None), Fail);
        assert_eq!(verdict(Rule::MlBenchA, &Attempt::new(&task, 1, RIGHT), None), NotDecided);
    }

    #[test]
    fn set_up_commands_make_the_runs_differ() {
        let task = Task { prefix_code: "export A=1".to_owned(), ..bash_task() };
        assert_eq!(verdicts(&task, RIGHT, (Rule::MlBenchL, exited(0), 1)), [Pass, NotDecided]);
        assert_eq!(verdicts(&task, RIGHT, (Rule::MlBenchA, exited(0), 1)), [NotDecided, Pass]);
    }

    #[test]
    fn an_override_takes_the_place_of_every_limit() {
        let task = bash_task();
        let attempt = Attempt::new(&task, 1, RIGHT);
        let limit = Duration::from_secs(30);
        for ending in [Ending::TimedOut, exited(0)] {
            let conditions = Conditions { rule: Rule::MlBenchL, override_limit: Some(limit) };
            let run = Run { conditions, ending: &ending, elapsed: limit };
            assert_eq!(verdict(Rule::MlBenchA, &attempt, Some(run)), Pass, "{ending:?}");
        }
    }
}
