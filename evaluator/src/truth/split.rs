//! The two halves of the repositories: weights are tuned on one and reported on the other as well. Questions of one
//! repository share its words, so that a split within a repository would prove nothing.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

use repos::RepositoryName;
use serde::Serialize;

use super::Question;

/// A half of the repositories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Split {
    /// Weights may be chosen on it.
    Tune,
    /// Nothing may be chosen on it; it shows whether a choice holds elsewhere.
    HeldOut,
}

impl Split {
    /// Both, in the order of tables.
    pub const ALL: [Self; 2] = [Self::Tune, Self::HeldOut];
}

impl fmt::Display for Split {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Tune => "tune",
            Self::HeldOut => "held-out",
        })
    }
}

/// The half of each repository: from the one with most questions down (equal ones by name), they go to
/// [`Split::Tune`] and [`Split::HeldOut`] in turn, so that both halves have large and small ones.
pub fn splits(questions: &[Question]) -> BTreeMap<RepositoryName, Split> {
    let mut counts: BTreeMap<&RepositoryName, usize> = BTreeMap::new();
    for question in questions {
        *counts.entry(&question.repository).or_default() += 1;
    }
    let mut order: Vec<_> = counts.into_iter().collect();
    order.sort_by_key(|(name, count)| (Reverse(*count), *name));
    order.into_iter().map(|(name, _)| name.clone()).zip(Split::ALL.into_iter().cycle()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::truth::sample::question;

    #[test]
    fn repositories_go_to_both_halves_in_turn_by_their_size() {
        let names = ["a", "b", "b", "b", "c", "c", "d"];
        let questions: Vec<_> = names.iter().map(|name| question(name)).collect();
        let found: Vec<_> = splits(&questions)
            .into_iter()
            .map(|(name, split)| format!("{}:{split}", name.as_str()))
            .collect();
        assert_eq!(found, ["a:tune", "b:tune", "c:held-out", "d:held-out"]);
    }
}
