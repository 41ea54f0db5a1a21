//! Every file of a repository goes through: it is indexed, or it is listed with a reason.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use indexer::{IndexStore, skipped_files};
use repos::Checkout;
use walkdir::WalkDir;

use crate::corpus::{corpus, packages};
use crate::fixture::{Fixture, checkout};

#[test]
fn every_file_of_the_repositories_is_indexed_or_skipped_with_a_reason() {
    let Some(folder) = corpus() else { return };
    check_all(&folder);
}

#[test]
fn every_file_of_the_packages_is_indexed_or_skipped_with_a_reason() {
    let Some(folder) = packages() else { return };
    check_all(&folder);
}

#[test]
fn says_of_each_file_why_it_is_skipped() {
    let numbers = "0.125 0.5\n".repeat(2_000);
    let fixture = Fixture::new(&[
        ("a.py", "x = 1\n"),
        ("b.csv", "1,2\n"),
        ("c.bin", "\0\0"),
        ("d.txt", &numbers),
        (".git/config", "x"),
    ]);
    std::os::unix::fs::symlink("a.py", fixture.checkout.folder.join("e.py")).unwrap();
    fixture.write("odd\\name.py", "x = 1\n");
    check(&fixture.checkout, &fixture.store);
    let skipped = skipped_files(&fixture.checkout).unwrap();
    let skipped: Vec<_> = skipped.iter().map(|file| (file.path.as_str(), file.reason)).collect();
    assert_eq!(
        skipped,
        [
            ("b.csv", "data_file"),
            ("c.bin", "binary"),
            ("d.txt", "data_file"),
            ("e.py", "symlink"),
            ("odd\\name.py", "odd_name"),
        ]
    );
}

fn check_all(folder: &Path) {
    let indexes = tempfile::tempdir().unwrap();
    let store = IndexStore::new(indexes.path().to_owned());
    let mut count = 0;
    for entry in fs_err::read_dir(folder).unwrap() {
        let folder = entry.unwrap().path();
        check(&checkout(folder.file_name().unwrap().to_str().unwrap(), &folder), &store);
        count += 1;
    }
    assert!(count > 0);
}

/// Compares a walk of its own with what is indexed and what is skipped.
fn check(checkout: &Checkout, store: &IndexStore) {
    let report = store.build(checkout, &()).unwrap();
    let index = store.open(checkout).unwrap();
    let skipped = skipped_files(checkout).unwrap();
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for file in &skipped {
        *counts.entry(file.reason.to_owned()).or_default() += 1;
    }
    assert_eq!(counts, report.skipped, "{}", checkout.name);
    let indexed: BTreeSet<String> = index.paths().map(str::to_owned).collect();
    let skipped: BTreeSet<String> = skipped.into_iter().map(|file| file.path).collect();
    assert!(indexed.is_disjoint(&skipped), "{}", checkout.name);
    assert_eq!(indexed.len() as u64, report.files, "{}", checkout.name);
    assert_eq!(&indexed | &skipped, tree(&checkout.folder), "{}", checkout.name);
}

/// What is no folder and not of git or an export.
fn tree(folder: &Path) -> BTreeSet<String> {
    let walk = WalkDir::new(folder).into_iter().filter_entry(|entry| entry.file_name() != ".git");
    walk.map(Result::unwrap)
        .filter(|entry| !entry.file_type().is_dir())
        .map(|entry| entry.path().strip_prefix(folder).unwrap().to_string_lossy().into_owned())
        .filter(|path| path != ".export.json")
        .collect()
}
