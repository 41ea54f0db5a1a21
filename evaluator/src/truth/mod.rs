//! What answers each question, derived from the benchmark's gold answers and oracle texts and from the checkouts at
//! their pinned commits. Nothing is judged by hand, no rule knows a repository, and nothing is dropped silently.

mod answers;
mod commands;
mod documents;
mod files;
mod import_statements;
mod modules;
mod named;
mod programs;
mod sections;
mod split;
mod trigrams;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use repos::{Checkout, RepositoryPath};
use serde::Serialize;

pub use answers::{Answers, Because, Grade, JudgedFile, JudgedSection, Question};
pub use split::{Split, splits};

use self::documents::Document;
use self::files::Files;
use self::named::Named;
use crate::{Kind, Result, Task, TaskKey, TaskSet};

/// The questions of a task set with their answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Truth {
    /// One for each task whose repository is at hand, by key.
    pub questions: Vec<Question>,
    /// Tasks whose repository is not at hand, by key.
    pub unasked: Vec<TaskKey>,
}

impl Truth {
    /// Derives the answers to all tasks; `checkouts` are found by the benchmark's numbers for their repositories.
    ///
    /// Errors when a checkout cannot be listed.
    pub fn derive(tasks: &TaskSet, checkouts: &BTreeMap<i64, Checkout>) -> Result<Self> {
        let mut by_repository: BTreeMap<i64, Vec<&Task>> = BTreeMap::new();
        for task in tasks.tasks() {
            by_repository.entry(task.key.github_id).or_default().push(task);
        }
        let asked: Vec<_> = by_repository.iter().filter(|(id, _)| checkouts.contains_key(id)).collect();
        let derived: Vec<Vec<Question>> =
            asked.par_iter().map(|(id, tasks)| questions(tasks, &checkouts[id])).collect::<Result<_>>()?;
        let mut questions: Vec<Question> = derived.into_iter().flatten().collect();
        questions.sort_by_key(|question| question.key);
        let missing = by_repository.iter().filter(|(id, _)| !checkouts.contains_key(id));
        let mut unasked: Vec<TaskKey> =
            missing.flat_map(|(_, tasks)| tasks.iter().map(|task| task.key)).collect();
        unasked.sort();
        Ok(Self { questions, unasked })
    }
}

fn questions(tasks: &[&Task], checkout: &Checkout) -> Result<Vec<Question>> {
    let files = Files::of(checkout)?;
    let documents = documents::documents(&files);
    Ok(tasks.iter().map(|task| question(task, checkout, &files, &documents)).collect())
}

fn question(task: &Task, checkout: &Checkout, files: &Files, documents: &[Document]) -> Question {
    let sections = sections::sections(&task.oracle, task.path.as_str(), documents);
    let without_section = sections.as_ref().err().cloned();
    let answers = Answers {
        files: with_copies(&judged(named(task, files)), files),
        sections: sections_with_copies(&sections.unwrap_or_default(), files),
    };
    let without_code = (!answers.has_code())
        .then(|| "the gold answer names no script or module that is in the repository".to_owned());
    Question {
        key: task.key,
        repository: checkout.name.clone(),
        text: task.instruction.clone(),
        answers,
        without_code,
        without_section,
    }
}

fn named(task: &Task, files: &Files) -> Vec<Named> {
    let folder = task.path.as_str();
    let commands = match task.kind {
        Kind::BashScript => commands::named_by_commands(&task.output, folder, files),
        Kind::PythonCode => Vec::new(),
    };
    // Some commands are programs after all, whatever the dataset calls them.
    if commands.iter().any(|named| named.because.is_code()) {
        commands
    } else {
        programs::named_by_program(&task.output, folder, files)
    }
}

/// Each file once, with the best of its judgements.
fn judged(named: Vec<Named>) -> BTreeMap<RepositoryPath, Named> {
    let mut judged: BTreeMap<_, Named> = BTreeMap::new();
    for named in named {
        let better = judged.get(&named.path).is_none_or(|known| {
            (known.grade, Reverse(known.because)) < (named.grade, Reverse(named.because))
        });
        if better {
            judged.insert(named.path.clone(), named);
        }
    }
    judged
}

fn with_copies(judged: &BTreeMap<RepositoryPath, Named>, files: &Files) -> Vec<JudgedFile> {
    let mut answers: BTreeMap<_, JudgedFile> = BTreeMap::new();
    for named in judged.values() {
        for copy in files.copies(&named.path).into_iter().filter(|copy| !judged.contains_key(copy)) {
            answers.entry(copy.clone()).or_insert_with(|| judged_file(named, copy, Some(&named.path)));
        }
        answers.insert(named.path.clone(), judged_file(named, named.path.clone(), None));
    }
    answers.into_values().collect()
}

fn judged_file(named: &Named, path: RepositoryPath, copy_of: Option<&RepositoryPath>) -> JudgedFile {
    JudgedFile { path, because: named.because, grade: named.grade, copy_of: copy_of.cloned() }
}

fn sections_with_copies(sections: &[JudgedSection], files: &Files) -> Vec<JudgedSection> {
    let known: BTreeSet<_> = sections.iter().map(|section| section.path.clone()).collect();
    let copies = sections.iter().flat_map(|section| {
        let others = files.copies(&section.path).into_iter().filter(|copy| !known.contains(copy));
        others.map(|path| JudgedSection { path, copy_of: Some(section.path.clone()), ..section.clone() })
    });
    let mut all: Vec<JudgedSection> = copies.collect();
    all.extend(sections.iter().cloned());
    all.sort_by(|a, b| (&a.path, a.start_line).cmp(&(&b.path, b.start_line)));
    all
}

#[cfg(test)]
mod sample {
    //! Small repositories and questions for the tests of this module.

    use repos::{Checkout, Origin};

    use super::{Answers, Files, Question};
    use crate::TaskKey;

    pub(super) fn checkout(files: &[(&str, &str)]) -> (tempfile::TempDir, Checkout) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, text).unwrap();
        }
        let checkout = Checkout {
            name: "small".parse().unwrap(),
            folder: folder.path().to_owned(),
            commit: None,
            origin: Origin::Linked,
        };
        (folder, checkout)
    }

    pub(super) fn files(files: &[(&str, &str)]) -> (tempfile::TempDir, Files) {
        let (folder, checkout) = checkout(files);
        let files = Files::of(&checkout).unwrap();
        (folder, files)
    }

    pub(super) fn question(repository: &str) -> Question {
        Question {
            key: TaskKey { github_id: 1, id: 1 },
            repository: repository.parse().unwrap(),
            text: String::new(),
            answers: Answers::default(),
            without_code: None,
            without_section: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks(rows: &[serde_json::Value]) -> TaskSet {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tasks.jsonl");
        let lines: Vec<String> = rows.iter().map(ToString::to_string).collect();
        fs_err::write(&path, lines.join("\n")).unwrap();
        TaskSet::read(&path).unwrap()
    }

    fn row(id: i64, kind: &str, output: &str) -> serde_json::Value {
        serde_json::json!({
            "github_id": id / 10, "github": "https://example.invalid/one", "repo_id": 1, "path": "./a/",
            "arguments": "{}", "instruction": "Train.", "oracle": "run the training with one command",
            "type": kind, "id": id, "prefix_code": "", "output": output,
        })
    }

    #[test]
    fn every_task_becomes_a_question_with_answers_or_reasons() {
        let (_folder, checkout) = sample::checkout(&[
            ("a/train.py", "print()\n"),
            ("b/train.py", "print()\n"),
            ("a/README.md", "# Train\nrun the *training* with one command\n"),
            ("b/README.md", "# Train\nrun the *training* with one command\n"),
            ("library.py", "x = 1\n"),
        ]);
        let rows = [
            row(10, "Bash Script", "python train.py"),
            row(11, "Bash Script", "import library"),
            row(12, "Python Code", "import torch"),
            row(20, "Bash Script", "python train.py"),
        ];
        let truth = Truth::derive(&tasks(&rows), &BTreeMap::from([(1, checkout)])).unwrap();
        assert_eq!(truth.unasked, [TaskKey { github_id: 2, id: 20 }]);
        let files = |question: &Question| {
            let shown = |file: &JudgedFile| (file.path.to_string(), file.because, file.copy_of.is_some());
            question.answers.files.iter().map(shown).collect::<Vec<_>>()
        };
        let [train, library, nothing] = &truth.questions[..] else { panic!("{truth:?}") };
        assert_eq!(
            files(train),
            [
                ("a/train.py".to_owned(), Because::Script, false),
                ("b/train.py".to_owned(), Because::Script, true)
            ]
        );
        assert_eq!(files(library), [("library.py".to_owned(), Because::Import, false)]);
        assert!(files(nothing).is_empty() && nothing.without_code.is_some());
        assert!(train.without_code.is_none() && train.without_section.is_none());
        let sections: Vec<_> = train.answers.sections.iter().map(|one| one.copy_of.is_some()).collect();
        assert_eq!(sections, [false, true]);
    }
}
