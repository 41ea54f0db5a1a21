//! The truth on the real dataset and the real repositories: how much it answers, and what no rule may get wrong.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use evaluator::{Because, Question, Split, TaskKey, TaskSet, Truth, splits};
use repos::{Checkout, Origin, Registry};

use crate::support::{ByCi, data, provided};

static TRUTH: LazyLock<Option<Truth>> = LazyLock::new(derive);

fn truth() -> Option<&'static Truth> {
    TRUTH.as_ref()
}

fn derive() -> Option<Truth> {
    // CI does not reach the git servers that the repositories come from.
    let corpus = provided("REPOLAB_CORPUS", ByCi::No)?;
    let tasks = TaskSet::read(&data("full.jsonl")?).unwrap();
    let entries = Registry::built_in().unwrap().entries.into_iter();
    let checkouts: BTreeMap<i64, Checkout> = entries
        .filter_map(|entry| {
            let folder = Path::new(&corpus).join(entry.name.as_str());
            let checkout =
                Checkout { name: entry.name, folder, commit: entry.commit, origin: Origin::Linked };
            Some((entry.github_id?, checkout))
        })
        .collect();
    Some(Truth::derive(&tasks, &checkouts).unwrap())
}

fn keys(questions: &[Question], is_meant: impl Fn(&Question) -> bool) -> Vec<(i64, i64)> {
    let meant = questions.iter().filter(|question| is_meant(question));
    meant.map(|question| (question.key.github_id, question.key.id)).collect()
}

#[test]
fn nearly_every_question_has_code_and_sections_and_the_rest_is_named() {
    let Some(truth) = truth() else { return };
    let questions = &truth.questions;
    assert_eq!((questions.len(), truth.unasked.len()), (260, 0));
    let without_code = keys(questions, |question| question.without_code.is_some());
    assert_eq!(without_code, WITHOUT_CODE, "a gold answer names what the repository does not have");
    assert_eq!(keys(questions, |question| !question.answers.has_code()), without_code);
    assert_eq!(keys(questions, |question| question.without_section.is_some()), []);
    assert_eq!(keys(questions, |question| question.answers.sections.is_empty()), []);
}

// One answer forgets its imports, and two misspell the name of a script.
const WITHOUT_CODE: [(i64, i64); 3] = [(4, 109), (13, 239), (13, 240)];

#[test]
fn no_answer_is_so_large_that_every_search_finds_it() {
    let Some(truth) = truth() else { return };
    for question in &truth.questions {
        let answers = &question.answers;
        let most_lines =
            answers.sections.iter().map(|section| section.end_line - section.start_line + 1).max();
        assert!(most_lines < Some(100), "{}: a section of {most_lines:?} lines", question.key);
        assert!(answers.sections.len() <= 10, "{}: {} sections", question.key, answers.sections.len());
        let code = answers.files.iter().filter(|file| file.because.is_code() && file.copy_of.is_none());
        assert!(code.count() <= 7, "{}: {:?}", question.key, answers.files);
    }
}

#[test]
fn every_rule_finds_what_people_find() {
    let Some(truth) = truth() else { return };
    for (github_id, id, path, because) in [
        (1, 1, "examples/pytorch/arma/citation.py", Because::Script),
        (3, 61, "lavis/models/__init__.py", Because::Import),
        (3, 87, "lavis/projects/blip/eval/nocaps_eval.yaml", Because::Configuration),
        (6, 151, "esm/pretrained.py", Because::Member),
        (7, 198, "src/open_clip/factory.py", Because::Member),
        (9, 241, "model/attention/HaloAttention.py", Because::Import),
        (13, 226, "examples/test_dcp.py", Because::Script),
        (14, 243, "musicbert/train_mask.sh", Because::Script),
        (15, 266, "GroundingDINO/groundingdino/util/inference.py", Because::Import),
    ] {
        let key = TaskKey { github_id, id };
        let question = truth.questions.iter().find(|question| question.key == key).unwrap();
        let files: Vec<_> =
            question.answers.files.iter().map(|file| (file.path.as_str(), file.because)).collect();
        assert!(files.contains(&(path, because)), "{key}: {files:?}");
    }
}

#[test]
fn both_halves_hold_about_half_of_the_questions() {
    let Some(truth) = truth() else { return };
    let splits = splits(&truth.questions);
    let count = |split: Split| truth.questions.iter().filter(|one| splits[&one.repository] == split).count();
    assert_eq!((count(Split::Tune), count(Split::HeldOut)), (137, 123));
    assert_eq!(splits.values().filter(|split| **split == Split::Tune).count(), 7);
}
