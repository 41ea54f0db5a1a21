//! Repositories that want to run something, read something or be something else.

use std::os::unix::fs::symlink;
use std::process::Stdio;

use repos::Error;

use crate::origin::{Origin, git};
use crate::place::{Place, name, sentence, text};

/// Syncs the origin as it is now.
fn sync(place: &Place, origin: &Origin) -> repos::Result<repos::Synced> {
    place.pin(&origin.url(), &origin.commit());
    place.sync()
}

#[test]
fn runs_nothing_that_the_repository_brings_along() {
    let place = Place::new();
    let origin = Origin::with_files(place.path("o"));
    let marker = place.path("ran");
    let touch = format!("touch {}", marker.display());
    for hook in ["post-checkout", "post-merge", "reference-transaction", "post-index-change"] {
        let path = origin.folder().join(".git/hooks").join(hook);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(&path, format!("#!/bin/sh\n{touch}\n")).unwrap();
        set_executable(&path);
    }
    for (option, value) in [
        ("core.fsmonitor", touch.as_str()),
        ("uploadpack.packObjectsHook", touch.as_str()),
        ("filter.evil.smudge", touch.as_str()),
        ("core.sshCommand", touch.as_str()),
    ] {
        origin.git(&["config", option, value]);
    }
    origin.write(".gitattributes", "*.py filter=evil diff=evil\n");
    origin.write(".gitmodules", &format!("[submodule \"s\"]\n\tpath = s\n\turl = ext::{touch}\n"));
    origin.write(".lfsconfig", &format!("[lfs]\n\turl = ext::{touch}\n"));
    // The test's own commands may have run what they found.
    place.pin(&origin.url(), &origin.commit());
    let _ = fs_err::remove_file(&marker);
    place.sync().unwrap();
    assert!(!marker.exists(), "something ran");
    assert!(!place.checkout().join(".git/hooks").exists());
}

/// The folder in which git works is ours, and yet: what somebody planted there is not run either.
#[test]
fn runs_nothing_that_lies_in_a_partial_folder() {
    let place = Place::new();
    let origin = Origin::with_files(place.path("o"));
    let commit = origin.commit();
    let partial = place.data().join("checkouts/.partial-origin");
    fs_err::create_dir_all(partial.parent().unwrap()).unwrap();
    origin.git(&["clone", "--quiet", "--no-checkout", &origin.url(), partial.to_str().unwrap()]);
    fs_err::write(partial.join(".git/repolab-arrived"), commit.as_str()).unwrap();
    let marker = place.path("ran");
    let touch = format!("touch {}", marker.display());
    let hook = partial.join(".git/hooks/post-checkout");
    fs_err::create_dir_all(hook.parent().unwrap()).unwrap();
    fs_err::write(&hook, format!("#!/bin/sh\n{touch}\n")).unwrap();
    set_executable(&hook);
    let config = partial.join(".git/config");
    let options = format!("[core]\n\tfsmonitor = {touch}\n\thooksPath = .git/hooks\n");
    fs_err::write(&config, format!("{}{options}", text(&config))).unwrap();

    place.pin(&origin.url(), &commit);
    place.sync().unwrap();
    assert!(place.checkout().join(".git/hooks/post-checkout").exists(), "the planted folder was not used");
    assert!(!marker.exists(), "something ran");
}

#[test]
fn large_files_stay_pointers() {
    let place = Place::new();
    let origin = Origin::with_files(place.path("o"));
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n";
    origin.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
    origin.write("weights.bin", pointer);
    sync(&place, &origin).unwrap();
    assert_eq!(text(place.checkout().join("weights.bin")), pointer);
}

#[test]
fn submodules_are_not_fetched() {
    let place = Place::new();
    let secret = Origin::with_files(place.path("secret"));
    let origin = Origin::with_files(place.path("o"));
    origin.git(&["submodule", "--quiet", "add", &secret.url(), "inside"]);
    sync(&place, &origin).unwrap();
    assert!(place.checkout().join(".gitmodules").exists());
    assert_eq!(fs_err::read_dir(place.checkout().join("inside")).unwrap().count(), 0);
    assert!(!place.checkout().join(".git/modules").exists());
}

#[test]
fn a_link_that_leads_out_is_there_and_not_readable() {
    let place = Place::new();
    let origin = Origin::with_files(place.path("o"));
    fs_err::write(place.path("secret"), "secret").unwrap();
    symlink("/etc/passwd", origin.folder().join("absolute")).unwrap();
    symlink("../../../secret", origin.folder().join("relative")).unwrap();
    symlink("a.py", origin.folder().join("fine")).unwrap();
    let root = sync(&place, &origin).unwrap().checkout.root().unwrap();
    for name in ["absolute", "relative"] {
        assert!(place.checkout().join(name).is_symlink(), "{name}");
        let error = root.read(&name.parse().unwrap(), 1000).unwrap_err();
        assert!(matches!(error, Error::PathEscapes { .. }), "{error}");
    }
    assert_eq!(text(place.checkout().join("relative")), "secret", "the test's link is wrong");
    assert_eq!(root.read(&"fine".parse().unwrap(), 1000).unwrap(), b"x = 1\n");
}

#[test]
fn a_tree_that_would_write_into_git_is_refused() {
    let place = Place::new();
    let origin = Origin::with_files(place.path("o"));
    let blob = origin.git(&["rev-parse", "HEAD:a.py"]);
    let inner = make_tree(&origin, &format!("100644 blob {blob}\tconfig\n"));
    let tree = make_tree(&origin, &format!("040000 tree {inner}\t.git\n"));
    let commit = origin.git(&["commit-tree", "-m", "evil", &tree]);
    origin.git(&["update-ref", "refs/heads/main", &commit]);
    place.pin(&origin.url(), &commit.parse().unwrap());
    let error = place.sync().unwrap_err();
    assert!(matches!(error, Error::Git { .. } | Error::Fetch { .. }), "{}", sentence(&error));
    assert_eq!(place.checkouts(), [""; 0]);
}

#[test]
fn a_repository_cannot_claim_to_be_another_commit() {
    let place = Place::new();
    let origin = Origin::with_files(place.path("o"));
    origin.write(".export.json", &format!("{{\"commit\": \"{}\"}}", "1".repeat(40)));
    let synced = sync(&place, &origin).unwrap();
    assert_eq!(place.catalog().checkout(&name()).unwrap().commit, Some(synced.commit));
}

#[test]
fn a_catalog_edited_by_hand_cannot_make_git_run_commands() {
    let marker = Place::new().path("ran");
    for url in [
        format!("ext::sh -c touch% {}", marker.display()),
        format!("--upload-pack=touch {}", marker.display()),
        "git://127.0.0.1:1/x".to_owned(),
    ] {
        let place = Place::new();
        place.pin(&url, &"1".repeat(40).parse().unwrap());
        let error = place.sync().unwrap_err();
        assert!(matches!(error, Error::InvalidSource { .. }), "{}", sentence(&error));
        assert!(!marker.exists());
    }
}

fn make_tree(origin: &Origin, entries: &str) -> String {
    use std::io::Write;
    let mut child = git()
        .arg("-C")
        .arg(origin.folder())
        .args(["mktree"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(entries.as_bytes()).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap().trim().to_owned()
}

fn set_executable(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    fs_err::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
}
