//! The figures of a ranking over a group of questions.

use serde::Serialize;

use super::Ranks;
use crate::Question;

/// A right answer further down counts nothing for the mean reciprocal rank.
const MEAN_RANK_CUT: usize = 10;

/// Shares of questions, 0 to 1, over those that have such an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct RankFigures {
    /// All questions of the group.
    pub questions: usize,
    /// Those that some code file answers.
    pub with_code: usize,
    /// Those that anything answers.
    pub with_answer: usize,
    /// Share of `with_code` whose first file is a right code file.
    pub hit_1: f64,
    /// The same within the first five files.
    pub hit_5: f64,
    /// The same within the first ten files.
    pub hit_10: f64,
    /// Share of `with_code` with a file that the gold answer itself names within the first five.
    pub named_5: f64,
    /// Mean of 1 / rank of the first right hit of any kind, 0 beyond rank 10, over `with_answer`.
    pub mean_reciprocal_rank: f64,
}

impl RankFigures {
    /// The figures of these questions with what was found for each.
    pub fn of<'a>(found: impl IntoIterator<Item = (&'a Question, &'a Ranks)>) -> Self {
        let found: Vec<_> = found.into_iter().collect();
        let code: Vec<&Ranks> = found
            .iter()
            .filter(|(question, _)| question.answers.has_code())
            .map(|(_, ranks)| *ranks)
            .collect();
        let any: Vec<&Ranks> = found
            .iter()
            .filter(|(question, _)| !question.answers.is_empty())
            .map(|(_, ranks)| *ranks)
            .collect();
        let hit = |most: usize| share(code.iter().map(|ranks| within(ranks.code, most)), code.len());
        Self {
            questions: found.len(),
            with_code: code.len(),
            with_answer: any.len(),
            hit_1: hit(1),
            hit_5: hit(5),
            hit_10: hit(10),
            named_5: share(code.iter().map(|ranks| within(ranks.named, 5)), code.len()),
            mean_reciprocal_rank: share(any.iter().map(|ranks| reciprocal(ranks.any)), any.len()),
        }
    }
}

fn share(counts: impl Iterator<Item = f64>, of: usize) -> f64 {
    counts.sum::<f64>() / of.max(1) as f64
}

fn within(rank: Option<usize>, most: usize) -> f64 {
    f64::from(u8::from(rank.is_some_and(|rank| rank <= most)))
}

fn reciprocal(rank: Option<usize>) -> f64 {
    rank.filter(|rank| *rank <= MEAN_RANK_CUT).map_or(0.0, |rank| 1.0 / rank as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Answers, Because, Grade, JudgedFile, TaskKey};

    fn question(because: Option<Because>) -> Question {
        let file = |because| JudgedFile {
            path: "a.py".parse().unwrap(),
            because,
            grade: Grade::Full,
            copy_of: None,
        };
        Question {
            key: TaskKey { github_id: 1, id: 1 },
            repository: "one".parse().unwrap(),
            text: String::new(),
            answers: Answers { files: because.map(file).into_iter().collect(), sections: Vec::new() },
            without_code: None,
            without_section: None,
        }
    }

    #[test]
    fn shares_are_of_the_questions_that_have_such_an_answer() {
        let (code, other, nothing) =
            (question(Some(Because::Script)), question(Some(Because::Configuration)), question(None));
        let ranks = |code, named, any| Ranks { code, named, section: None, any };
        let figures = RankFigures::of([
            (&code, &ranks(Some(1), Some(6), Some(2))),
            (&code, &ranks(Some(6), None, Some(11))),
            (&other, &ranks(None, None, Some(1))),
            (&nothing, &ranks(None, None, None)),
        ]);
        let expected = RankFigures {
            questions: 4,
            with_code: 2,
            with_answer: 3,
            hit_1: 0.5,
            hit_5: 0.5,
            hit_10: 1.0,
            named_5: 0.0,
            mean_reciprocal_rank: 0.5,
        };
        assert_eq!(figures, expected);
        assert_eq!(RankFigures::of([]), RankFigures::default());
    }
}
