//! At which rank a search gives the first right answer. Copies that a hit names count as the hit itself: whoever
//! opens one has the answer.

use indexer::Hit;
use repos::RepositoryPath;
use serde::Serialize;

use crate::{Answers, Because, Question};

/// Ranks of the first right answers, from 1; none within the hits that were looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Ranks {
    /// The first right code file, among distinct files of every kind.
    pub code: Option<usize>,
    /// The first code file that the gold answer itself names, among the same.
    pub named: Option<usize>,
    /// The first hit that overlaps a right section.
    pub section: Option<usize>,
    /// The first hit that is in a right file or overlaps a right section.
    pub any: Option<usize>,
}

impl Ranks {
    /// The ranks of the answers to `question` in `hits`, which stand best first.
    pub fn of(question: &Question, hits: &[Hit]) -> Self {
        let (repository, answers) = (&question.repository, &question.answers);
        let files = distinct_files(hits);
        let file_rank = |is_right: &dyn Fn(&RepositoryPath) -> bool| {
            files
                .iter()
                .position(|hit| hit.repository == *repository && places(hit).any(is_right))
                .map(from_one)
        };
        let hit_rank = |is_right: &dyn Fn(&Hit, &RepositoryPath) -> bool| {
            let right =
                |hit: &Hit| hit.repository == *repository && places(hit).any(|path| is_right(hit, path));
            hits.iter().position(right).map(from_one)
        };
        Self {
            code: file_rank(&|path| judged(answers, path).any(Because::is_code)),
            named: file_rank(&|path| judged(answers, path).any(Because::is_named)),
            section: hit_rank(&|hit, path| in_section(answers, hit, path)),
            any: hit_rank(&|hit, path| {
                judged(answers, path).next().is_some() || in_section(answers, hit, path)
            }),
        }
    }
}

/// The first hit of each file.
pub(super) fn distinct_files(hits: &[Hit]) -> Vec<&Hit> {
    let mut files: Vec<&Hit> = Vec::new();
    for hit in hits {
        if !files.iter().any(|known| known.repository == hit.repository && known.path == hit.path) {
            files.push(hit);
        }
    }
    files
}

fn in_section(answers: &Answers, hit: &Hit, path: &RepositoryPath) -> bool {
    answers.sections.iter().any(|section| {
        section.path == *path && hit.start_line <= section.end_line && section.start_line <= hit.end_line
    })
}

fn judged<'a>(answers: &'a Answers, path: &'a RepositoryPath) -> impl Iterator<Item = Because> + 'a {
    answers.files.iter().filter(move |file| file.path == *path).map(|file| file.because)
}

fn places(hit: &Hit) -> impl Iterator<Item = &RepositoryPath> {
    std::iter::once(&hit.path).chain(&hit.also_at)
}

fn from_one(position: usize) -> usize {
    position + 1
}

#[cfg(test)]
mod tests {
    use indexer::{ChunkKind, Language};

    use super::*;
    use crate::{Grade, JudgedFile, JudgedSection, TaskKey};

    fn hit(repository: &str, path: &str, lines: (u32, u32), also_at: &[&str]) -> Hit {
        Hit {
            repository: repository.parse().unwrap(),
            path: path.parse().unwrap(),
            start_line: lines.0,
            end_line: lines.1,
            score: 1.0,
            kind: ChunkKind::Window,
            language: Language::Python,
            symbol: None,
            reasons: Vec::new(),
            also_at: also_at.iter().map(|path| path.parse().unwrap()).collect(),
            explanation: None,
        }
    }

    fn question(files: &[(&str, Because)]) -> Question {
        let file = |(path, because): &(&str, Because)| JudgedFile {
            path: path.parse().unwrap(),
            because: *because,
            grade: Grade::Full,
            copy_of: None,
        };
        let section = JudgedSection {
            path: "README.md".parse().unwrap(),
            start_line: 10,
            end_line: 20,
            coverage: 1.0,
            grade: Grade::Full,
            copy_of: None,
        };
        Question {
            key: TaskKey { github_id: 1, id: 1 },
            repository: "one".parse().unwrap(),
            text: String::new(),
            answers: Answers { files: files.iter().map(file).collect(), sections: vec![section] },
            without_code: None,
            without_section: None,
        }
    }

    #[test]
    fn files_are_counted_once_and_hits_each() {
        let question = question(&[("run.py", Because::Script), ("part.py", Because::Member)]);
        let hits = [
            hit("two", "run.py", (1, 9), &[]),
            hit("one", "README.md", (1, 9), &[]),
            hit("one", "README.md", (20, 30), &[]),
            hit("one", "copy.py", (1, 5), &["part.py"]),
            hit("one", "run.py", (1, 5), &[]),
        ];
        assert_eq!(
            Ranks::of(&question, &hits),
            Ranks { code: Some(3), named: Some(4), section: Some(3), any: Some(3) }
        );
        assert_eq!(Ranks::of(&question, &hits[..2]), Ranks::default());
    }

    #[test]
    fn configuration_is_an_answer_but_no_code() {
        let question = question(&[("a.yaml", Because::Configuration)]);
        let hits = [hit("one", "a.yaml", (1, 5), &[])];
        assert_eq!(Ranks::of(&question, &hits), Ranks { any: Some(1), ..Ranks::default() });
    }
}
