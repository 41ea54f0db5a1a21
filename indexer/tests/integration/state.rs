//! What a store says about an index, and what it does about it.

use indexer::{Error, FORMAT_VERSION, IndexState};
use repos::Commit;

use crate::fixture::Fixture;

#[test]
fn goes_from_missing_to_ready_to_stale() {
    let mut fixture = Fixture::new(&[("a.py", "x = 1\n")]);
    assert_eq!(fixture.store.state(&fixture.checkout), IndexState::Missing);
    assert!(matches!(fixture.store.open(&fixture.checkout), Err(Error::NotBuilt { .. })));
    let report = fixture.store.build(&fixture.checkout, &()).unwrap();
    assert_eq!(fixture.store.state(&fixture.checkout), IndexState::Ready(report.clone()));
    fixture.write("b.py", "y = 2\n");
    assert_eq!(fixture.store.state(&fixture.checkout), IndexState::Stale(report));
    // A stale index still answers.
    assert_eq!(fixture.store.open(&fixture.checkout).unwrap().report().files, 1);
    let report = fixture.store.build(&fixture.checkout, &()).unwrap();
    assert_eq!(report.files, 2);
    assert_eq!(fixture.store.state(&fixture.checkout), IndexState::Ready(report.clone()));
    fixture.checkout.commit = Some("ab".repeat(20).parse::<Commit>().unwrap());
    assert_eq!(fixture.store.state(&fixture.checkout), IndexState::Stale(report));
}

#[test]
fn tells_an_index_of_another_format_and_builds_it_anew() {
    let fixture = Fixture::new(&[("a.py", "x = 1\n")]);
    fixture.store.build(&fixture.checkout, &()).unwrap();
    let manifest = fixture.index_folder().join("manifest.json");
    let text = fs_err::read_to_string(&manifest).unwrap();
    let ours = format!("\"format_version\": {FORMAT_VERSION}");
    fs_err::write(&manifest, text.replace(&ours, "\"format_version\": 999")).unwrap();
    assert_eq!(fixture.store.state(&fixture.checkout), IndexState::OldFormat);
    let error = fixture.store.open(&fixture.checkout).err().unwrap();
    assert!(matches!(error, Error::FormatChanged { found: 999, wanted: FORMAT_VERSION, .. }), "{error}");
    assert!(error.hint().unwrap().contains("repolab index --force sample"));
    assert_eq!(fixture.index().report().files, 1);
    assert_eq!(fixture.index_entries(), ["files", "layer", "lock", "manifest.json"]);
}

#[test]
fn builds_anew_when_the_index_is_damaged() {
    let fixture = Fixture::new(&[("a.py", "x = 1\n")]);
    fixture.store.build(&fixture.checkout, &()).unwrap();
    let folder = fixture.index_folder();
    for name in ["manifest", "pack", "files-"] {
        let is_meant = |path: &std::path::PathBuf| {
            path.file_name().is_some_and(|file| file.to_str().unwrap().starts_with(name))
        };
        for damage in ["", "{", "a longer text that means nothing"] {
            for entry in walk(&folder).into_iter().filter(is_meant) {
                fs_err::write(entry, damage).unwrap();
            }
            assert_eq!(fixture.index().report().files, 1, "after {name} was damaged");
        }
    }
}

#[test]
fn builds_anew_when_a_part_of_the_index_is_gone() {
    let fixture = Fixture::new(&[("a.py", "x = 1\n")]);
    fixture.store.build(&fixture.checkout, &()).unwrap();
    for prefix in ["layer-", "files-"] {
        for entry in fs_err::read_dir(fixture.index_folder()).unwrap() {
            let entry = entry.unwrap();
            if entry.file_name().to_str().unwrap().starts_with(prefix) {
                if entry.path().is_dir() {
                    fs_err::remove_dir_all(entry.path()).unwrap();
                } else {
                    fs_err::remove_file(entry.path()).unwrap();
                }
            }
        }
        assert_eq!(fixture.index().report().files, 1, "after {prefix} was removed");
    }
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut paths = Vec::new();
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { paths.extend(walk(&path)) } else { paths.push(path) }
    }
    paths
}

#[test]
fn reports_what_it_did() {
    let fixture = Fixture::new(&[
        ("a.py", "class A:\r\n    def f(self): pass\r\n"),
        ("b.md", "# B\ntext\n"),
        ("data.csv", "1,2\n"),
        ("blob.bin", "a\0b"),
    ]);
    let report = fixture.store.build(&fixture.checkout, &()).unwrap();
    assert_eq!((report.files, report.symbols, report.bytes), (2, 3, 42));
    assert_eq!(report.format_version, FORMAT_VERSION);
    assert!(report.index_bytes > 0 && report.seconds > 0.0);
    let counts: Vec<_> = report.skipped.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    assert_eq!(counts, [("binary", 1), ("data_file", 1)]);
    let notes: Vec<_> = report.notes.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    assert_eq!(notes, [("crlf", 1)]);
}

#[test]
fn an_open_index_outlives_its_replacement() {
    let fixture = Fixture::new(&[("a.py", "def first(): pass\n")]);
    let old = fixture.index();
    fixture.write("b.py", "def second(): pass\n");
    let new = fixture.index();
    let query = crate::fixture::query(indexer::Mode::Symbol, "second");
    assert!(old.search(&query).unwrap().is_empty());
    assert_eq!(new.search(&query).unwrap().len(), 1);
    assert_eq!(fixture.index_entries(), ["files", "layer", "layer", "lock", "manifest.json"]);
    fixture.store.rebuild(&fixture.checkout, &()).unwrap();
    assert!(old.search(&query).unwrap().is_empty());
    assert_eq!(new.search(&query).unwrap().len(), 1);
    assert_eq!(fixture.index_entries(), ["files", "layer", "lock", "manifest.json"]);
}
