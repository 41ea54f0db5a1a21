//! What an agent sees of a repository's files.

use tools::{Error, ListFiles, ListFilesInput, ListFilesOutput, Tool, estimate_tokens};

use crate::place::{Place, all, lent};

fn paths(output: &ListFilesOutput) -> Vec<&str> {
    output.entries.iter().map(|entry| entry.path.as_str()).collect()
}

#[tokio::test]
async fn shows_files_folders_and_links_in_one_order() {
    let place = Place::new().holding(&[("b/x.py", "12345"), ("a.py", ""), (".git/config", "")]);
    std::os::unix::fs::symlink("/etc", place.path("r/out")).unwrap();
    let output = place.list(all()).await.unwrap();
    assert_eq!(paths(&output), ["a.py", "b", "b/x.py", "out"]);
    let kinds: Vec<_> = output.entries.iter().map(|entry| (entry.kind, entry.bytes, entry.files)).collect();
    assert_eq!(
        kinds,
        [("file", Some(0), None), ("folder", None, Some(1)), ("file", Some(5), None), ("link", None, None)]
    );
    assert_eq!((output.total_files, output.total_folders, output.total_bytes), (2, 1, 5));
    let text = ListFiles::render(&output);
    for row in ["a.py  0\n", "b/ (1 files)\n", "b/x.py  5\n", "out (link)\n"] {
        assert!(text.contains(row), "{text}");
    }
}

#[tokio::test]
async fn a_wrong_path_says_what_to_do() {
    let place = Place::new().holding(&[("model/attention/cbam.py", "")]);
    let list = async |path: &str| {
        place.list(ListFilesInput { path: Some(path.to_owned()), ..all() }).await.unwrap_err()
    };
    let error = list("attention").await;
    assert_eq!(error.to_string(), "there is no folder `attention` in `r`");
    assert_eq!(error.hint().unwrap(), "did you mean `model/attention`?");
    let error = list("model/attention/cbam.py").await;
    assert!(matches!(error, Error::IsAFile { .. }) && error.hint().unwrap().contains("read_file"), "{error}");
    assert!(list("../x").await.to_string().contains(".."));
}

#[tokio::test]
async fn pages_give_every_entry_once() {
    let names: Vec<String> = (0..2_500).map(|number| format!("folder/file_{number:04}.py")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    let place = Place::new().holding(&files);
    let mut seen = Vec::new();
    let mut cursor = None;
    loop {
        let input = ListFilesInput { path_glob: Some("*.py".to_owned()), cursor, ..all() };
        let output = place.list(input).await.unwrap();
        let structure = serde_json::to_string(&output).unwrap();
        assert!(structure.len() < 75_000 && estimate_tokens(&ListFiles::render(&output)) < 10_000);
        assert_eq!(output.total_entries, 2_500);
        seen.extend(output.entries.into_iter().map(|entry| entry.path));
        cursor = output.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen, names);
    let other = ListFilesInput { limit: Some(1), path_glob: Some("f*".to_owned()), ..all() };
    let foreign = place.list(other).await.unwrap().next_cursor;
    let input = ListFilesInput { path_glob: Some("*.py".to_owned()), cursor: foreign, ..all() };
    assert!(matches!(place.list(input).await, Err(Error::InvalidParameter { parameter: "cursor", .. })));
}

#[tokio::test]
async fn deeper_folders_are_counted_and_reached() {
    let place = Place::new().holding(&[("a/b/c/x.py", ""), ("a/y.py", "")]);
    let shallow = place.list(ListFilesInput { depth: Some(2), ..all() }).await.unwrap();
    assert_eq!(paths(&shallow), ["a", "a/b", "a/y.py"]);
    assert_eq!(shallow.entries[1].files, Some(1));
    assert!(shallow.notes[0].contains("`depth`"), "{:?}", shallow.notes);
    let globbed = ListFilesInput { path_glob: Some("x.py".to_owned()), ..all() };
    assert_eq!(paths(&place.list(globbed).await.unwrap()), ["a/b/c/x.py"]);
    let none = ListFilesInput { path_glob: Some("*.rs".to_owned()), ..all() };
    assert!(place.list(none).await.unwrap().notes[0].contains("nothing matches"));
}

#[tokio::test]
async fn every_repository_of_the_corpus_fits_an_answer() {
    let Some(corpus) = lent("REPOLAB_CORPUS") else { return };
    let place = Place::new();
    place.catalog().link_all(corpus.as_ref()).unwrap();
    for entry in place.toolbox.catalog().checkouts().unwrap() {
        let input = ListFilesInput { repo: entry.name.to_string(), ..ListFilesInput::default() };
        let started = std::time::Instant::now();
        let output = place.list(input).await.unwrap();
        let tokens = estimate_tokens(&ListFiles::render(&output));
        println!(
            "{}: {} of {} entries, {:?} levels, {tokens} tokens, {:?}",
            entry.name,
            output.entries.len(),
            output.total_entries,
            output.depth,
            started.elapsed()
        );
        assert!(tokens <= 8_500 && output.entries.len() > 5, "{}: {tokens}", entry.name);
        assert!(serde_json::to_string(&output).unwrap().len() < 75_000);
    }
}
