//! The benchmark's questions in their own words, over the eighteen repositories at their pins. The recorded file names
//! questions by number only: the dataset's text is not ours to copy.

use std::collections::BTreeMap;
use std::path::Path;

use evaluator::{RankingReport, TaskSet, Truth, halves, single_repositories, splits};
use repos::Registry;

use super::{checkout, compare, indexes};
use crate::support::lent;

#[test]
fn the_benchmarks_questions_rank_as_recorded() {
    // CI has the questions but, without git servers, not the repositories.
    let Some((corpus, data)) = lent("REPOLAB_CORPUS").zip(lent("REPOLAB_TEST_DATA")) else { return };
    let entries = Registry::built_in().unwrap().entries;
    let checkouts: Vec<_> = entries
        .iter()
        .map(|entry| checkout(entry.name.as_str(), Path::new(&corpus).join(entry.name.as_str())))
        .collect();
    let numbered: BTreeMap<i64, _> = entries
        .iter()
        .zip(&checkouts)
        .filter_map(|(entry, checkout)| Some((entry.github_id?, checkout.clone())))
        .collect();
    let tasks = TaskSet::read(&Path::new(&data).join("ml-bench/full.jsonl")).unwrap();
    let truth = Truth::derive(&tasks, &numbered).unwrap();
    let splits = splits(&truth.questions);
    let folder = tempfile::tempdir().unwrap();
    let report = RankingReport::of(truth.questions, &indexes(folder.path(), &checkouts)).unwrap();
    let tables = [halves(&splits), single_repositories(splits.keys())];
    compare("benchmark.ranks.txt", &report, &tables, &report.lines(|question| question.key.id.to_string()));
}
