//! What jobs changed in a workspace. Contents are not compared: a file whose size, times and inode are the same
//! is the same file, because no program can set the time of the last change of status.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

/// Folders beneath this depth are not looked into; no real project comes near it.
const DEEPEST: usize = 512;

/// How a file differs from the copy that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Where, relative to the workspace's folder.
    pub path: PathBuf,
    /// What happened to it.
    pub kind: ChangeKind,
}

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// It was written, replaced, or given other permissions.
    Modified,
    /// It is gone.
    Removed,
}

/// A bounded list of changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changes {
    /// The first of them, sorted by path.
    pub listed: Vec<Change>,
    /// How many there are.
    pub total: usize,
}

/// What tells one state of a file from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    bytes: u64,
    modified: i128,
    status_changed: i128,
    inode: u64,
}

impl Stamp {
    pub(super) fn of(metadata: &Metadata) -> Self {
        let time =
            |seconds: i64, nanoseconds: i64| i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds);
        Self {
            bytes: metadata.len(),
            modified: time(metadata.mtime(), metadata.mtime_nsec()),
            status_changed: time(metadata.ctime(), metadata.ctime_nsec()),
            inode: metadata.ino(),
        }
    }
}

/// Every file and link of a folder at one moment.
#[derive(Debug, Default)]
pub(super) struct Snapshot(BTreeMap<PathBuf, Stamp>);

impl FromIterator<(PathBuf, Stamp)> for Snapshot {
    fn from_iter<I: IntoIterator<Item = (PathBuf, Stamp)>>(stamps: I) -> Self {
        Self(stamps.into_iter().collect())
    }
}

impl Snapshot {
    /// What is there now; what cannot be read counts as gone.
    pub(super) fn take(folder: &Path) -> Self {
        WalkDir::new(folder)
            .min_depth(1)
            .max_depth(DEEPEST)
            .into_iter()
            .filter_map(Result::ok)
            .filter(|entry| !entry.file_type().is_dir())
            .filter_map(|entry| {
                let path = entry.path().strip_prefix(folder).ok()?.to_owned();
                Some((path, Stamp::of(&entry.metadata().ok()?)))
            })
            .collect()
    }

    /// What happened from this moment to `later`.
    pub(super) fn compare(&self, later: &Self, most: usize) -> Changes {
        let change = |path: &PathBuf, kind| Change { path: path.clone(), kind };
        let removed = self.0.keys().filter(|path| !later.0.contains_key(*path));
        let mut listed: Vec<_> = removed.map(|path| change(path, ChangeKind::Removed)).collect();
        listed.extend(later.0.iter().filter_map(|(path, stamp)| match self.0.get(path) {
            None => Some(change(path, ChangeKind::Added)),
            Some(before) if before != stamp => Some(change(path, ChangeKind::Modified)),
            Some(_) => None,
        }));
        let total = listed.len();
        listed.sort_by(|one, other| one.path.cmp(&other.path));
        listed.truncate(most);
        Changes { listed, total }
    }

    /// One record for each file: four numbers and the path, which holds any byte but the NUL that ends it.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (path, stamp) in &self.0 {
            let numbers =
                format!("{} {} {} {} ", stamp.bytes, stamp.modified, stamp.status_changed, stamp.inode);
            bytes.extend_from_slice(numbers.as_bytes());
            bytes.extend_from_slice(path.as_os_str().as_bytes());
            bytes.push(0);
        }
        bytes
    }

    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let records = bytes.split(|byte| *byte == 0).filter(|record| !record.is_empty());
        records.map(parse_record).collect()
    }
}

fn parse_record(record: &[u8]) -> Option<(PathBuf, Stamp)> {
    let mut fields = record.splitn(5, |byte| *byte == b' ');
    let mut number = || std::str::from_utf8(fields.next()?).ok()?.parse::<i128>().ok();
    let (bytes, modified, status_changed, inode) = (number()?, number()?, number()?, number()?);
    let stamp =
        Stamp { bytes: bytes.try_into().ok()?, modified, status_changed, inode: inode.try_into().ok()? };
    Some((PathBuf::from(OsStr::from_bytes(fields.next()?)), stamp))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_back_what_it_wrote_for_any_name() {
        let stamp = Stamp { bytes: 3, modified: -5, status_changed: 7, inode: 11 };
        let names: [&[u8]; 3] = [b"plain", b"two words\nand a line", b"\xff latin"];
        let snapshot: Snapshot =
            names.iter().map(|name| (PathBuf::from(OsStr::from_bytes(name)), stamp)).collect();
        assert_eq!(Snapshot::parse(&snapshot.to_bytes()).unwrap().0, snapshot.0);
    }

    #[test]
    fn sees_a_change_behind_a_restored_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs_err::write(&path, "one").unwrap();
        let before = Snapshot::take(folder.path());
        let time = fs_err::metadata(&path).unwrap().modified().unwrap();
        // The clock of the file system ticks a few hundred times a second.
        std::thread::sleep(std::time::Duration::from_millis(20));
        fs_err::write(&path, "two").unwrap();
        fs_err::File::options().write(true).open(&path).unwrap().file().set_modified(time).unwrap();
        assert_eq!(before.compare(&Snapshot::take(folder.path()), 10).total, 1);
    }
}
