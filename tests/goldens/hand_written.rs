//! Questions of `queries.txt`, over what CI has. They hold on every machine, so that a change of ranking cannot pass
//! where the benchmark's repositories are missing.

use std::path::Path;

use evaluator::{
    Answers, Because, Grade, Group, JudgedFile, JudgedSection, Question, RankingReport, TaskKey,
    single_repositories,
};
use indexer::{find_symbol, outline};
use repos::{Checkout, RepositoryPath};

use super::{checkout, compare, indexes};
use crate::support::provided;

const QUERIES: &str = include_str!("ranking/queries.txt");
const PACKAGES: [&str; 3] = ["esm", "open_clip", "pytorch-image-models"];

#[test]
fn hand_written_questions_rank_as_recorded() {
    let Some(packages) = provided("REPOLAB_TEST_REPOSITORIES") else { return };
    let mut checkouts: Vec<Checkout> =
        PACKAGES.iter().map(|name| checkout(name, Path::new(&packages).join(name))).collect();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo/repository");
    checkouts.push(checkout("tiny-trainer", sample));
    let questions: Vec<Question> = QUERIES
        .lines()
        .zip(1..)
        .filter(|(line, _)| !line.starts_with('#') && !line.is_empty())
        .map(|(line, number)| question(line, number, &checkouts))
        .collect();
    assert!(questions.len() >= 60, "{} questions are too few to notice a loss", questions.len());
    let folder = tempfile::tempdir().unwrap();
    let report = RankingReport::of(questions, &indexes(folder.path(), &checkouts)).unwrap();
    let names: Vec<_> = checkouts.iter().map(|checkout| checkout.name.clone()).collect();
    let mut groups = single_repositories(&names);
    groups.push(Group { label: "all".to_owned(), repositories: names });
    compare("queries.ranks.txt", &report, &[groups], &report.lines(|question| question.text.clone()));
}

/// `repository | path#symbol | query`.
fn question(line: &str, number: i64, checkouts: &[Checkout]) -> Question {
    let parts: Vec<&str> = line.splitn(3, " | ").collect();
    let [repository, place, query] = parts[..] else { panic!("line {number}: {line}") };
    let checkout = checkouts.iter().find(|checkout| checkout.name.as_str() == repository).unwrap();
    let (path, symbol) = place.split_once('#').map_or((place, None), |(path, name)| (path, Some(name)));
    let path: RepositoryPath = path.parse().unwrap();
    assert!(checkout.folder.join(path.as_path()).is_file(), "line {number}: no file {path}");
    Question {
        key: TaskKey { github_id: 0, id: number },
        repository: checkout.name.clone(),
        text: query.to_owned(),
        answers: answers(checkout, path, symbol, number),
        without_code: None,
        without_section: None,
    }
}

/// The file, and the lines of the symbol or heading, or all lines. Only code has a rank among files.
fn answers(checkout: &Checkout, path: RepositoryPath, symbol: Option<&str>, number: i64) -> Answers {
    let is_document = path.as_path().extension().is_some_and(|extension| extension == "md");
    let file = |path| JudgedFile { path, because: Because::Script, grade: Grade::Full, copy_of: None };
    let files: Vec<JudgedFile> = if is_document { Vec::new() } else { vec![file(path.clone())] };
    let (start_line, end_line) = match symbol {
        Some(name) => {
            let symbols = outline(&checkout.root().unwrap(), &path).unwrap();
            let symbol = find_symbol(&symbols, name);
            let symbol = symbol.unwrap_or_else(|| panic!("line {number}: {path} has no `{name}`"));
            (symbol.start_line, symbol.end_line)
        }
        None => (1, u32::MAX),
    };
    let section =
        JudgedSection { path, start_line, end_line, coverage: 1.0, grade: Grade::Full, copy_of: None };
    Answers { files, sections: vec![section] }
}
