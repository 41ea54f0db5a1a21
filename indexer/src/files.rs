//! The files of a repository as they stand on disk: regular files in the order of their paths. Rules of git are
//! off, since a committed file may be ignored; links are never followed, since they may lead anywhere.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use repos::RepositoryPath;
use serde::{Deserialize, Serialize};

use crate::admission::SkipReason;
use crate::walk::{Other, Visitor, walk};
use crate::{Error, Result};

/// Written by an export of a repository beside its files; it is none of them.
pub(crate) const EXPORT_RECORD: &str = ".export.json";

// Two changes within one tick of the kernel's clock leave the same time; the slowest clocks tick so often.
const CLOCK_TICK: Duration = Duration::from_millis(10);

/// A file and what tells whether it changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ListedFile {
    pub(crate) path: RepositoryPath,
    pub(crate) bytes: u64,
    /// When its content or status changed last, in nanoseconds since 1970; 0 when the file system does not say.
    pub(crate) modified: u64,
}

/// The files of a folder.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// Regular files, by path.
    pub(crate) files: Vec<ListedFile>,
    /// What cannot be served, by reason.
    pub(crate) skipped: BTreeMap<SkipReason, u64>,
}

impl Listing {
    /// Walks `folder`; a part of it that cannot be read is counted, not fatal.
    pub(crate) fn of(folder: &Path) -> Result<Self> {
        let mut listing = Self::default();
        walk(folder, &mut listing)
            .map_err(|source| Error::List { folder: folder.to_owned(), source: source.into() })?;
        listing.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(listing)
    }

    /// Waits, a few milliseconds at most, until every later change of a listed file shows in its time. Who reads the
    /// files afterwards never takes one that changes again for the one that was read.
    pub(crate) fn wait_for_clock(&self) {
        let newest = self.files.iter().map(|file| file.modified).max().unwrap_or_default();
        let over = UNIX_EPOCH + Duration::from_nanos(newest) + CLOCK_TICK;
        // Times in the future tell nothing.
        if let Ok(left) = over.duration_since(SystemTime::now()).map(|left| left.min(CLOCK_TICK)) {
            std::thread::sleep(left);
        }
    }

    /// A hash of every path, size and time.
    pub(crate) fn fingerprint(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for file in &self.files {
            hasher.update(file.path.as_str().as_bytes());
            // NUL occurs in no path, so no two listings read alike.
            hasher.update(b"\0");
            hasher.update(&file.bytes.to_le_bytes());
            hasher.update(&file.modified.to_le_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }

    fn skip(&mut self, reason: SkipReason) {
        *self.skipped.entry(reason).or_default() += 1;
    }
}

impl Visitor for Listing {
    fn enters(&self, folder: &str, name: &[u8]) -> bool {
        !(name.eq_ignore_ascii_case(b".git") || folder.is_empty() && name == EXPORT_RECORD.as_bytes())
    }

    fn file(&mut self, path: Option<String>, bytes: u64, modified: u64) {
        match path.and_then(|path| path.parse().ok()) {
            Some(path) => self.files.push(ListedFile { path, bytes, modified }),
            None => self.skip(SkipReason::OddName),
        }
    }

    fn other(&mut self, kind: Other) {
        self.skip(match kind {
            Other::Link => SkipReason::Symlink,
            Other::Device => SkipReason::NotAFile,
            Other::Unreadable => SkipReason::Unreadable,
        });
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn paths(listing: &Listing) -> Vec<&str> {
        listing.files.iter().map(|file| file.path.as_str()).collect()
    }

    #[test]
    fn lists_hidden_and_ignored_files_but_neither_git_nor_links() {
        let folder = tempfile::tempdir().unwrap();
        for path in
            [".git/config", "sub/.git", ".gitignore", ".hidden/a.py", "b.pyc", "a b.yaml", ".export.json"]
        {
            fs_err::create_dir_all(folder.path().join(path).parent().unwrap()).unwrap();
            fs_err::write(folder.path().join(path), "*\n").unwrap();
        }
        fs_err::write(folder.path().join("sub/.export.json"), "").unwrap();
        symlink("/etc", folder.path().join("etc")).unwrap();
        symlink("b.pyc", folder.path().join("c.pyc")).unwrap();
        let listing = Listing::of(folder.path()).unwrap();
        assert_eq!(paths(&listing), [".gitignore", ".hidden/a.py", "a b.yaml", "b.pyc", "sub/.export.json"]);
        assert_eq!(listing.skipped, BTreeMap::from([(SkipReason::Symlink, 2)]));
    }

    #[test]
    fn follows_a_link_that_the_repository_itself_is() {
        let folder = tempfile::tempdir().unwrap();
        fs_err::create_dir_all(folder.path().join("real")).unwrap();
        fs_err::write(folder.path().join("real/a.py"), "").unwrap();
        symlink("real", folder.path().join("link")).unwrap();
        let listing = Listing::of(&folder.path().join("link")).unwrap();
        assert_eq!(paths(&listing), ["a.py"]);
    }

    #[test]
    fn names_that_cannot_be_served_are_counted() {
        use std::os::unix::ffi::OsStrExt;
        let folder = tempfile::tempdir().unwrap();
        for name in [&b"latin\xe9.py"[..], b"back\\slash.py", b"good.py"] {
            fs_err::write(folder.path().join(std::ffi::OsStr::from_bytes(name)), "").unwrap();
        }
        let listing = Listing::of(folder.path()).unwrap();
        assert_eq!(paths(&listing), ["good.py"]);
        assert_eq!(listing.skipped, BTreeMap::from([(SkipReason::OddName, 2)]));
    }

    #[test]
    fn the_fingerprint_follows_every_change() {
        let folder = tempfile::tempdir().unwrap();
        let print = || Listing::of(folder.path()).unwrap().fingerprint();
        let empty = print();
        fs_err::write(folder.path().join("a"), "1").unwrap();
        let one = print();
        assert_ne!(empty, one);
        assert_eq!(one, print());
        fs_err::rename(folder.path().join("a"), folder.path().join("b")).unwrap();
        let renamed = print();
        assert_ne!(one, renamed);
        fs_err::write(folder.path().join("b"), "22").unwrap();
        assert_ne!(renamed, print());
    }

    #[test]
    fn says_when_the_folder_is_not_there() {
        let error = Listing::of(Path::new("/nonexistent/folder")).unwrap_err();
        assert_eq!(error.to_string(), "could not list the files of /nonexistent/folder");
    }
}
