//! Which commit a folder holds, read without running git: the folder may be anybody's, and git obeys the
//! configuration it finds there. The record of an export wins over git's data, since it describes these very files.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::Commit;

/// The record that an export of plain files leaves in the folder.
pub(crate) const EXPORT_RECORD: &str = ".export.json";
/// Larger files are not looked at; a giant repository's `packed-refs` stays below.
const LIMIT: u64 = 16 << 20;

/// The commit that `folder` holds, when it says so.
pub(crate) fn held_commit(folder: &Path) -> Option<Commit> {
    exported(folder).or_else(|| checked_out_commit(folder))
}

/// What git's `HEAD` means, directly, or by a branch in a file of its own or in `packed-refs`.
pub(crate) fn checked_out_commit(folder: &Path) -> Option<Commit> {
    let git = git_folder(folder)?;
    let head = read(&git.join("HEAD"))?;
    let Some(branch) = head.trim().strip_prefix("ref:").map(str::trim) else {
        return head.trim().parse().ok();
    };
    let stays_inside = branch.starts_with("refs/") && !branch.split('/').any(|part| part == "..");
    if !stays_inside {
        return None;
    }
    // In a linked work tree branches lie in the main repository's folder.
    let shared = read(&git.join("commondir")).map_or_else(|| git.clone(), |path| git.join(path.trim()));
    match read(&shared.join(branch)) {
        Some(commit) => commit.trim().parse().ok(),
        None => packed(&read(&shared.join("packed-refs"))?, branch),
    }
}

fn exported(folder: &Path) -> Option<Commit> {
    #[derive(Deserialize)]
    struct Record {
        commit: Commit,
    }
    let record: Record = serde_json::from_str(&read(&folder.join(EXPORT_RECORD))?).ok()?;
    Some(record.commit)
}

/// `.git` itself, or the folder that a `.git` file names in work trees and submodules.
fn git_folder(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let text = read(&git)?;
    Some(folder.join(text.trim().strip_prefix("gitdir:")?.trim()))
}

fn packed(text: &str, branch: &str) -> Option<Commit> {
    let line = text.lines().find(|line| line.strip_suffix(branch).is_some_and(|rest| rest.ends_with(' ')))?;
    line.split(' ').next()?.parse().ok()
}

/// A small regular file's text; anything else, a pipe above all, is not opened.
fn read(path: &Path) -> Option<String> {
    let metadata = fs_err::metadata(path).ok()?;
    (metadata.is_file() && metadata.len() <= LIMIT).then(|| fs_err::read_to_string(path).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "1111111111111111111111111111111111111111";
    const TWO: &str = "2222222222222222222222222222222222222222";

    #[track_caller]
    fn check(files: &[(&str, &str)], expected: Option<&str>) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, text).unwrap();
        }
        let found = held_commit(&folder.path().join("r"));
        assert_eq!(found.as_ref().map(Commit::as_str), expected, "{files:?}");
    }

    #[test]
    fn reads_the_record_of_an_export_first() {
        let record = format!("{{\"commit\": \"{ONE}\", \"written\": 3, \"missing\": []}}");
        check(&[("r/.export.json", &record), ("r/.git/HEAD", TWO)], Some(ONE));
        check(&[("r/.export.json", "{\"commit\": \"main\"}"), ("r/.git/HEAD", TWO)], Some(TWO));
    }

    #[test]
    fn reads_what_head_means() {
        check(&[("r/.git/HEAD", &format!("{ONE}\n"))], Some(ONE));
        check(&[("r/.git/HEAD", "ref: refs/heads/a/b\n"), ("r/.git/refs/heads/a/b", TWO)], Some(TWO));
        let packed =
            format!("# pack-refs with: peeled\n{ONE} refs/heads/xmain\n{TWO} refs/heads/main\n^{ONE}\n");
        check(&[("r/.git/HEAD", "ref: refs/heads/main\n"), ("r/.git/packed-refs", &packed)], Some(TWO));
    }

    #[test]
    fn follows_work_trees_and_submodules() {
        check(
            &[
                ("r/.git", "gitdir: ../main/.git/worktrees/r\n"),
                ("main/.git/worktrees/r/HEAD", "ref: refs/heads/x\n"),
                ("main/.git/worktrees/r/commondir", "../..\n"),
                ("main/.git/refs/heads/x", ONE),
            ],
            Some(ONE),
        );
    }

    #[test]
    fn says_nothing_where_nothing_is_certain() {
        check(&[("r/a.py", "")], None);
        check(&[("r/.git/HEAD", "ref: refs/heads/unborn\n")], None);
        check(&[("r/.git/HEAD", "ref: refs/../../secret\n"), ("r/secret", ONE)], None);
        check(&[("r/.git/HEAD", "ref: /etc/hostname\n")], None);
        check(&[("r/.git/HEAD", "garbage")], None);
    }

    #[test]
    fn does_not_wait_for_a_pipe() {
        let folder = tempfile::tempdir().unwrap();
        fs_err::create_dir(folder.path().join(".git")).unwrap();
        let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR);
        rustix::fs::mknodat(rustix::fs::CWD, folder.path().join(".git/HEAD"), kind, mode, 0).unwrap();
        assert_eq!(held_commit(folder.path()), None);
    }
}
