//! Figures over trials: first-k by task, counts by verdict and ending, and the same for each repository.

use std::collections::BTreeMap;

use serde::Serialize;

use super::join::EXPECTED_OUTPUTS;
use crate::{Rule, Task, TaskKey, Trial, TrialOutcome, Verdict};

/// Tasks of which one of the first k attempts passes: the paper's figure, which is no unbiased pass@k.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FirstK {
    /// The first attempt passes.
    #[serde(rename = "1")]
    pub one: usize,
    /// The first or the second passes.
    #[serde(rename = "2")]
    pub two: usize,
    /// One of the first five passes.
    #[serde(rename = "5")]
    pub five: usize,
}

/// The same over the tasks with exactly five outputs, which the paper's harness keeps; it drops all others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FiveOnly {
    /// Tasks with exactly five outputs: the paper's denominator.
    pub tasks: usize,
    /// Those of them of which one of the first k attempts passes.
    pub first_k: FirstK,
}

/// What a rule says of all trials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RuleFigures {
    /// Trials that pass.
    pub pass: usize,
    /// Trials that fail.
    pub fail: usize,
    /// Trials that were not run, not as this rule would, or spoiled by the machine.
    pub not_decided: usize,
    /// Tasks of which one of the first k attempts passes.
    pub first_k: FirstK,
}

/// How the executed trials ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Executed {
    /// Trials that were executed.
    pub trials: usize,
    /// Those that ended with exit code 0.
    pub exit_zero: usize,
    /// Those that were still running at the limit of time.
    pub timed_out: usize,
    /// Those that the engine or the machine spoiled.
    pub infrastructure: usize,
    /// All of them by ending.
    pub outcomes: BTreeMap<TrialOutcome, usize>,
}

/// The figures of one repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RepositoryRow {
    /// The benchmark's number for it.
    pub github_id: i64,
    /// Its name, as its address says.
    pub repository: String,
    /// Tasks that have a prediction.
    pub joined: usize,
    /// Outputs of those predictions.
    pub outputs: usize,
    /// Outputs that pass the argument check.
    pub arguments_ok: usize,
    /// Outputs that pass the kind check.
    pub kind_ok: usize,
    /// Outputs that pass both.
    pub both_ok: usize,
    /// Tasks of which one of the first k attempts passes.
    pub first_k: FirstK,
    /// How the executed trials ended.
    pub executed: Executed,
}

/// What makes a trial pass in a figure.
#[derive(Clone, Copy, Debug)]
pub(super) enum Measure {
    /// The static checks.
    Checks,
    /// The verdict of a rule.
    Verdict(Rule),
}

impl Measure {
    fn passes(self, trial: &Trial) -> bool {
        match self {
            Self::Checks => trial.checks.both_ok(),
            Self::Verdict(rule) => trial.verdicts.by(rule) == Verdict::Pass,
        }
    }
}

impl FirstK {
    pub(super) fn of<'a>(trials: impl Iterator<Item = &'a Trial>, measure: Measure) -> Self {
        let mut first_passes: BTreeMap<TaskKey, usize> = BTreeMap::new();
        for trial in trials.filter(|trial| measure.passes(trial)) {
            let first = first_passes.entry(trial.key).or_insert(trial.attempt);
            *first = trial.attempt.min(*first);
        }
        let within = |k| first_passes.values().filter(|first| **first <= k).count();
        Self { one: within(1), two: within(2), five: within(5) }
    }
}

impl FiveOnly {
    pub(super) fn of(tasks: &[(&Task, usize)], trials: &[Trial], measure: Measure) -> Self {
        let kept: Vec<TaskKey> = tasks
            .iter()
            .filter(|(_, outputs)| *outputs == EXPECTED_OUTPUTS)
            .map(|(task, _)| task.key)
            .collect();
        let of_kept = trials.iter().filter(|trial| kept.contains(&trial.key));
        Self { tasks: kept.len(), first_k: FirstK::of(of_kept, measure) }
    }
}

impl RuleFigures {
    pub(super) fn of(trials: &[Trial], rule: Rule) -> Self {
        let count = |verdict| trials.iter().filter(|trial| trial.verdicts.by(rule) == verdict).count();
        Self {
            pass: count(Verdict::Pass),
            fail: count(Verdict::Fail),
            not_decided: count(Verdict::NotDecided),
            first_k: FirstK::of(trials.iter(), Measure::Verdict(rule)),
        }
    }
}

impl Executed {
    pub(super) fn of<'a>(trials: impl Iterator<Item = &'a Trial>) -> Self {
        let mut executed = Self::default();
        for trial in trials.filter(|trial| trial.outcome != TrialOutcome::NotExecuted) {
            executed.trials += 1;
            executed.exit_zero += usize::from(trial.exit_code == Some(0));
            executed.timed_out += usize::from(trial.outcome == TrialOutcome::TimedOut);
            executed.infrastructure += usize::from(trial.outcome == TrialOutcome::Infrastructure);
            *executed.outcomes.entry(trial.outcome).or_default() += 1;
        }
        executed
    }
}

impl RepositoryRow {
    /// One row for each repository that has a joined task, by the benchmark's number.
    pub(super) fn all(tasks: &[(&Task, usize)], trials: &[Trial], measure: Measure) -> Vec<Self> {
        let mut by_repository: BTreeMap<i64, Vec<&Task>> = BTreeMap::new();
        for (task, _) in tasks {
            by_repository.entry(task.key.github_id).or_default().push(task);
        }
        by_repository.into_values().map(|tasks| Self::of(&tasks, trials, measure)).collect()
    }

    fn of(tasks: &[&Task], all_trials: &[Trial], measure: Measure) -> Self {
        let (github_id, address) = (tasks[0].key.github_id, &tasks[0].github);
        let trials = || all_trials.iter().filter(move |trial| trial.key.github_id == github_id);
        let count = |passes: fn(&Trial) -> bool| trials().filter(|trial| passes(trial)).count();
        Self {
            github_id,
            repository: name_in(address),
            joined: tasks.len(),
            outputs: trials().count(),
            arguments_ok: count(|trial| trial.checks.arguments_ok),
            kind_ok: count(|trial| trial.checks.kind_ok),
            both_ok: count(|trial| trial.checks.both_ok()),
            first_k: FirstK::of(trials(), measure),
            executed: Executed::of(trials()),
        }
    }
}

/// The last part of a repository's address in the spelling of the registry.
fn name_in(address: &str) -> String {
    let address = address.trim_end_matches('/');
    let last = address.rsplit('/').next().unwrap_or(address);
    last.trim_end_matches(".git").to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attempt::Attempt;
    use crate::task::sample::bash_task;

    fn trials(id: i64, outputs: &[&str]) -> Vec<Trial> {
        let task = Task { key: TaskKey { github_id: 1, id }, ..bash_task() };
        let attempts = outputs.iter().enumerate();
        attempts.map(|(index, output)| Trial::not_executed(&Attempt::new(&task, index + 1, output))).collect()
    }

    const RIGHT: &str = "sh train.sh --rate 0.5";

    #[test]
    fn counts_a_task_from_its_first_passing_attempt_on() {
        let all = [
            trials(1, &[RIGHT]),
            trials(2, &["no", RIGHT, RIGHT]),
            trials(3, &["no", "no", "no", "no", RIGHT]),
            trials(4, &["no", "no", "no", "no", "no", RIGHT]),
        ]
        .concat();
        assert_eq!(FirstK::of(all.iter(), Measure::Checks), FirstK { one: 1, two: 2, five: 3 });
        let undecided = FirstK::of(all.iter(), Measure::Verdict(Rule::MlBenchL));
        assert_eq!(undecided, FirstK::default());
    }

    #[test]
    fn names_a_repository_as_the_registry_does() {
        assert_eq!(name_in("https://example.invalid/a/PyTorch-GAN.git"), "pytorch-gan");
        assert_eq!(name_in("https://example.invalid/a/b/"), "b");
    }
}
