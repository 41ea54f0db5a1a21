//! Writing goes into a private copy, beneath its folder, or nowhere.

use std::os::unix::fs::symlink;
use std::path::Path;

use tools::{Error, WorkspaceSettings, WriteFile, WriteFileInput};

use crate::place::{Place, edit, whole};

fn count(folder: &Path) -> usize {
    fs_err::read_dir(folder).map_or(0, Iterator::count)
}

#[tokio::test]
async fn creates_replaces_and_edits() {
    let place = Place::new().holding(&[("a.py", "one\ntwo\nthree\n")]);
    let created = place.write(whole("new/b.py", "x\ny\n")).await.unwrap();
    assert_eq!(
        (created.change, created.lines_before, created.lines_after, created.bytes),
        ("created", None, 2, 4)
    );
    let workspace = Some(created.workspace.clone());
    let edited = WriteFileInput { workspace: workspace.clone(), ..edit("a.py", "two", "zwei") };
    let edited = place.write(edited).await.unwrap();
    assert_eq!(
        (edited.change, edited.lines_before, &edited.workspace),
        ("edited", Some(3), &created.workspace)
    );
    assert_eq!(edited.diff, "    1  one\n    2 -two\n    2 +zwei\n    3  three\n");
    let replaced = WriteFileInput { workspace, ..whole("a.py", "") };
    let replaced = place.write(replaced).await.unwrap();
    assert_eq!((replaced.change, replaced.lines_after), ("replaced", 0));
    let text = <WriteFile as tools::Tool>::render(&created);
    assert!(text.contains(&created.workspace) && text.contains("    1 +x"), "{text}");
    assert_eq!(fs_err::read_to_string(place.path("r/a.py")).unwrap(), "one\ntwo\nthree\n");
    assert_eq!(count(&place.path("r")), 1);
}

#[tokio::test]
async fn a_refused_write_leaves_no_workspace_behind() {
    let place = Place::new().holding(&[("a.py", "x\nx\n"), ("b/c.py", "")]);
    fs_err::write(place.path("r/latin"), b"caf\xe9").unwrap();
    let long = "x".repeat((1 << 20) + 1);
    for (input, part) in [
        (edit("a.py", "x", "y"), "occurs 2 times"),
        (edit("a.py", "z", "y"), "does not occur"),
        (edit("c.py", "z", "y"), "no file `c.py`"),
        (edit("latin", "caf", "y"), "not UTF-8"),
        (whole("b", "x"), "a folder"),
        (whole("a.py/x", "x"), "not a folder"),
        (whole(".git/config", "x"), "git's own"),
        (whole(".GIT/config", "x"), "git's own"),
        (whole("d/.git\u{200c}/config", "x"), "git's own"),
        (whole("a\u{1b}[2J", "x"), "control"),
        (whole("../x", "x"), "`..`"),
        (whole("a.py", &long), "1048576"),
    ] {
        let path = input.path.clone();
        let error = place.write(input).await.unwrap_err().to_string();
        assert!(error.contains(part), "{path}: {error}");
        assert_eq!(count(&place.path("data/workspaces")), 0, "{path}");
    }
}

#[tokio::test]
async fn a_link_that_a_command_made_leads_nowhere_else() {
    let place = Place::new().holding(&[("a.py", "a\n")]);
    let id = place.write(whole("b", "")).await.unwrap().workspace;
    let outside = place.path("outside");
    fs_err::create_dir(&outside).unwrap();
    symlink(outside.join("new"), place.workspace(&id).join("w")).unwrap();
    symlink(&outside, place.workspace(&id).join("d")).unwrap();
    for path in ["w", "d/new", "d/e/new"] {
        let input = WriteFileInput { workspace: Some(id.clone()), ..whole(path, "x") };
        let error = place.write(input).await.unwrap_err();
        assert!(error.to_string().contains("leads out"), "{path}: {error}");
    }
    assert_eq!(count(&outside), 0);
}

#[tokio::test]
async fn a_full_workspace_refuses_with_limit_and_use() {
    let settings = WorkspaceSettings { bytes: 1 << 20, ..WorkspaceSettings::default() };
    let place = Place::with(settings, None).holding(&[("a.py", "a\n")]);
    let id = place.write(whole("b", &"x".repeat(700 << 10))).await.unwrap().workspace;
    let input = WriteFileInput { workspace: Some(id.clone()), ..whole("c", &"x".repeat(700 << 10)) };
    let error = place.write(input).await.unwrap_err();
    assert!(matches!(error, Error::WorkspaceFull { limit: 1_048_576, .. }), "{error}");
    let run = place.run("rm b", Some(&id)).await;
    assert!(run.is_ok(), "what makes room is allowed: {run:?}");
    let input = WriteFileInput { workspace: Some(id), ..whole("c", &"x".repeat(700 << 10)) };
    assert!(place.write(input).await.is_ok());
}
