//! An index that was updated answers as one that was built anew: the same hits, scores and reasons, whatever happened
//! to the files in between.

use std::sync::Arc;

use indexer::{
    BuildReport, IndexStore, Mode, ReferenceQuery, RepositoryIndex, count_lines, find_references, search_all,
};
use proptest::prelude::*;

use crate::fixture::{Fixture, query};

const PATHS: [&str; 9] = [
    "README.md",
    "train.py",
    "models/gat.py",
    "models/gcn.py",
    "scripts/run.sh",
    "docs/guide.md",
    "tests/test_gat.py",
    "notes.txt",
    "data/blob.bin",
];
const CONTENTS: [&str; 9] = [
    "# Graph networks\n\nTo train a GAT on cora:\n\n```\npython train.py --dataset cora\n```\n\n## Models\n\nSee models/gat.py and models/gcn.py.\n",
    "# Guide\n\nRun `bash scripts/run.sh` or `python -m models.gcn`, which trains on citeseer.\n",
    "\"\"\"Trains a graph attention network.\"\"\"\nimport argparse\n\n\nclass Trainer:\n    def train(self, epochs):\n        return epochs\n\n\ndef main():\n    parser = argparse.ArgumentParser()\n    parser.add_argument(\"--dataset\", help=\"cora or citeseer\")\n    Trainer().train(3)\n",
    "class GATConv:\n    \"\"\"A graph attention layer.\"\"\"\n\n    def forward(self, graph, features):\n        return features\n\n\ndef helper(): pass\n",
    "class GCNConv:\n    def forward(self, graph):\n        return helper(graph)\n\n\ndef helper(graph):\n    return graph\n",
    "#!/bin/sh\npython train.py --dataset citeseer --epochs 200\npython models/gcn.py\n",
    "plain words about attention and training\n",
    "",
    "bin\0ary",
];

#[derive(Clone, Debug)]
enum Step {
    Write(usize, usize),
    /// Copies of one file, so that copies collapse and come apart.
    Copy(usize, usize),
    Delete(usize),
    /// A new time on the same content.
    Touch(usize),
    Rename(usize, usize),
    Build,
}

fn step() -> impl Strategy<Value = Step> {
    let path = 0..PATHS.len();
    prop_oneof![
        4 => (path.clone(), 0..CONTENTS.len()).prop_map(|(path, content)| Step::Write(path, content)),
        1 => (path.clone(), path.clone()).prop_map(|(from, to)| Step::Copy(from, to)),
        1 => path.clone().prop_map(Step::Delete),
        1 => path.clone().prop_map(Step::Touch),
        1 => (path.clone(), path).prop_map(|(from, to)| Step::Rename(from, to)),
        3 => Just(Step::Build),
    ]
}

fn take(step: &Step, fixture: &Fixture) {
    let at = |path: usize| fixture.checkout.folder.join(PATHS[path]);
    match *step {
        Step::Write(path, content) => fixture.write(PATHS[path], CONTENTS[content]),
        Step::Copy(from, to) => {
            if let Ok(content) = fs_err::read(at(from)) {
                fixture.write(PATHS[to], content);
            }
        }
        Step::Delete(path) => drop(fs_err::remove_file(at(path))),
        Step::Touch(path) => {
            if let Ok(content) = fs_err::read(at(path)) {
                fixture.write(PATHS[path], content);
            }
        }
        Step::Rename(from, to) => {
            fs_err::create_dir_all(at(to).parent().unwrap()).unwrap();
            drop(fs_err::rename(at(from), at(to)));
        }
        Step::Build => {}
    }
}

const QUERIES: [(Mode, &str); 15] = [
    (Mode::Auto, "train a GAT on cora"),
    (Mode::Auto, "how to run citeseer"),
    (Mode::Text, "graph attention layer forward"),
    (Mode::Text, "helper"),
    (Mode::Auto, "GATConv"),
    (Mode::Auto, "forward"),
    (Mode::Auto, "train.py"),
    (Mode::Auto, "\"--dataset\""),
    (Mode::Symbol, "helper"),
    (Mode::Symbol, "gatconv"),
    (Mode::Symbol, "g"),
    (Mode::Symbol, "GCNConv.forward"),
    (Mode::Symbol, "graph networks"),
    (Mode::Literal, "graph"),
    (Mode::Regex, r"class \w+Conv"),
];

/// Everything that an index tells, so that two can be compared.
fn told(index: RepositoryIndex) -> String {
    let index = Arc::new(index);
    let mut told = String::new();
    for (mode, text) in QUERIES {
        let query = query(mode, text);
        let results = search_all(std::slice::from_ref(&index), &query).unwrap();
        told += &format!("{mode:?} {text}\n");
        for hit in results.hits {
            told += &format!("  {:08x} {hit:?}\n", hit.score.to_bits());
        }
        told += &format!("  {:?}\n", count_lines(std::slice::from_ref(&index), &query).unwrap());
    }
    for symbol in ["helper", "train", "GATConv", "GCNConv.forward", "dataset"] {
        let query = ReferenceQuery { symbol: symbol.to_owned(), path: None };
        told += &format!("{:#?}\n", find_references(&index, &query).unwrap());
    }
    index.each_symbol_name(|name| told += &format!("{name} ")).unwrap();
    told += &format!("\n{:?}\n", index.paths().collect::<Vec<_>>());
    // What depends on the way and not on the files.
    let BuildReport { files_read: _, files_changed: _, seconds: _, index_bytes: _, .. } = index.report();
    let report = BuildReport {
        files_read: 0,
        files_changed: 0,
        seconds: 0.0,
        index_bytes: 0,
        trigram_bytes: 0,
        ..index.report().clone()
    };
    told + &format!("{report:?}")
}

/// Brings the index up to date and compares what it tells with an index of the same files that is built anew.
pub(crate) fn check(fixture: &Fixture) {
    fixture.store.build(&fixture.checkout, &()).unwrap();
    let updated = told(fixture.store.open(&fixture.checkout).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let anew = IndexStore::new(folder.path().to_owned());
    anew.build(&fixture.checkout, &()).unwrap();
    pretty(&updated, &told(anew.open(&fixture.checkout).unwrap()));
}

#[track_caller]
fn pretty(updated: &str, anew: &str) {
    for (updated, anew) in updated.lines().zip(anew.lines()) {
        assert_eq!(updated, anew);
    }
    assert_eq!(updated, anew);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]

    #[test]
    fn an_updated_index_answers_as_one_built_anew(steps in prop::collection::vec(step(), 1..24)) {
        let fixture = Fixture::new(&[]);
        for (path, content) in PATHS.iter().zip(CONTENTS).take(6) {
            fixture.write(path, content);
        }
        check(&fixture);
        for step in &steps {
            take(step, &fixture);
            if matches!(step, Step::Build) {
                check(&fixture);
            }
        }
        check(&fixture);
    }
}

fn many_files() -> Fixture {
    let fixture = Fixture::new(&[("README.md", "# Modules\n\nRun `python m7.py`, then `python m8.py`.\n")]);
    for number in 0..300 {
        fixture.write(&format!("m{number}.py"), format!("def function_{number}(): return {number}\n"));
    }
    fixture
}

fn build(fixture: &Fixture) -> (u64, u64, u64) {
    let report = fixture.store.build(&fixture.checkout, &()).unwrap();
    (report.files, report.files_read, report.files_changed)
}

fn layers(fixture: &Fixture) -> usize {
    fixture.index_entries().iter().filter(|entry| *entry == "layer").count()
}

#[test]
fn only_changed_files_are_read_again() {
    let fixture = many_files();
    assert_eq!(build(&fixture), (301, 301, 301));
    fixture.write("m5.py", "def changed(): pass\n");
    assert_eq!(build(&fixture), (301, 1, 1));
    assert_eq!(fixture.search(Mode::Symbol, "changed").len(), 1);
    assert!(fixture.search(Mode::Symbol, "function_5").iter().all(|hit| hit.path.as_str() != "m5.py"));
    fs_err::remove_file(fixture.checkout.folder.join("m6.py")).unwrap();
    assert_eq!(build(&fixture), (300, 0, 1));
    // The same content with a new time is read, and is no change.
    fixture.write("m5.py", "def changed(): pass\n");
    assert_eq!(build(&fixture), (300, 1, 0));
    assert_eq!(build(&fixture), (300, 0, 0));
    check(&fixture);
}

#[test]
fn switching_back_and_forth_writes_nothing_new() {
    let fixture = many_files();
    build(&fixture);
    let switch = |branch: &str| {
        for number in 0..60 {
            fixture.write(&format!("m{number}.py"), format!("def {branch}_{number}(): return {number}\n"));
        }
    };
    let layer_names = || -> Vec<_> {
        let entries =
            fs_err::read_dir(fixture.index_folder()).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = entries.filter(|name| name.to_str().unwrap().starts_with("layer-")).collect();
        names.sort();
        names
    };
    switch("topic");
    assert_eq!((build(&fixture), layers(&fixture)), ((301, 60, 60), 2));
    let both = layer_names();
    for branch in ["function", "topic", "function"] {
        switch(branch);
        assert_eq!(build(&fixture), (301, 60, 60));
        assert_eq!(layer_names(), both, "back to {branch}");
        check(&fixture);
    }
}

#[test]
fn many_small_updates_leave_few_layers() {
    let fixture = many_files();
    build(&fixture);
    for number in 0..40 {
        fixture.write(&format!("m{number}.py"), format!("def other_{number}(): pass\n"));
        assert_eq!(build(&fixture), (301, 1, 1));
        assert!(layers(&fixture) <= 5, "after {number} updates");
    }
    check(&fixture);
    for number in 40..130 {
        fixture.write(&format!("m{number}.py"), format!("def other_{number}(): pass\n"));
    }
    assert_eq!(build(&fixture).1, 301, "so much change is a case for a build of all files");
    assert_eq!(layers(&fixture), 1);
    check(&fixture);
}

#[test]
fn what_is_said_of_a_file_changes_with_the_document_alone() {
    let fixture = many_files();
    build(&fixture);
    let found = |fixture: &Fixture, path: &str| {
        let hits = fixture.search(Mode::Text, "zebra");
        hits.iter().any(|hit| hit.path.as_str() == path)
    };
    assert!(!found(&fixture, "m9.py"));
    fixture.write("README.md", "# Modules\n\nFor a zebra run `python m9.py`.\n");
    assert_eq!(build(&fixture), (301, 1, 1));
    assert!(found(&fixture, "m9.py"));
    check(&fixture);
    fs_err::remove_file(fixture.checkout.folder.join("README.md")).unwrap();
    build(&fixture);
    assert!(!found(&fixture, "m9.py"));
    check(&fixture);
}

#[test]
fn a_change_of_the_same_size_right_after_a_build_is_seen() {
    let fixture = Fixture::new(&[("a.py", "x = 0\n"), ("b.py", "y = 0\n")]);
    build(&fixture);
    for round in 1..30 {
        fixture.write("a.py", format!("x = {}\n", round % 10));
        assert_eq!(build(&fixture), (2, 1, 1), "round {round}");
    }
}

#[test]
fn a_file_that_can_be_read_again_is_indexed() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::new(&[("a.py", "x = 1\n"), ("b.py", "y = 1\n")]);
    let path = fixture.checkout.folder.join("b.py");
    let allow = |mode| fs_err::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    allow(0o000);
    if fs_err::read(&path).is_ok() {
        // The superuser reads everything.
        return;
    }
    assert_eq!(build(&fixture).0, 1);
    allow(0o644);
    fixture.write("a.py", "x = 22\n");
    assert_eq!(build(&fixture).0, 2);
}
