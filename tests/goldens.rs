//! The ranking as text in git: what each question's first right answer ranks, so that every change of ranking is a
//! line of a diff. `UPDATE_EXPECT=1` accepts a change; without it, a change fails.

/// The benchmark's own questions over all eighteen repositories.
mod benchmark;
/// Questions in our own words over what CI has: three packages and the demo's sample.
mod hand_written;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use evaluator::{Group, RankingReport};
use indexer::{IndexStore, RepositoryIndex};
use rayon::prelude::*;
use repos::{Checkout, Origin};

/// Compares a report with its file: figures first, then the rank of every question.
#[track_caller]
fn compare(file: &str, report: &RankingReport, tables: &[Vec<Group>], lines: &str) {
    let tables: Vec<String> = tables.iter().map(|groups| report.table(groups)).collect();
    let text = format!("{}\n{LEGEND}{lines}", tables.join("\n"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/goldens/ranking").join(file);
    expect_test::expect_file![path].assert_eq(&text);
}

const LEGEND: &str = "\
# Rank of the first right code file among files, of the first hit in a right section, and of the first right answer of
# any kind among hits: in the question's own repository, then in all.
# `-`: none among the hits looked at. `.`: no such answer is known.
#                               own              all
# repository                 code sect  any   code sect  any  question
";

/// A folder that is served as a repository.
fn checkout(name: &str, folder: PathBuf) -> Checkout {
    Checkout { name: name.parse().unwrap(), folder, commit: None, origin: Origin::Linked }
}

fn indexes(folder: &Path, checkouts: &[Checkout]) -> Vec<Arc<RepositoryIndex>> {
    let store = IndexStore::new(folder.to_owned());
    checkouts.par_iter().map(|checkout| Arc::new(store.open_or_build(checkout, &()).unwrap())).collect()
}
