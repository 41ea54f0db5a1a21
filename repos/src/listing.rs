//! What a folder holds, listed beneath an open root: no link is followed, and a tree of any depth or width costs a
//! bounded amount of work. Names are untrusted input: bytes that are no text are shown escaped, never dropped.

use std::ffi::OsStr;
use std::fmt::Write;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use cap_std::fs::{DirEntry, FileType};

use crate::held_commit::EXPORT_RECORD;
use crate::path::is_git_name;
use crate::{Error, RepositoryPath, Result, Root};

/// How much is looked at before a listing is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListBounds {
    /// Folders deeper than this beneath the listed one are named but not looked into.
    pub depth: usize,
    /// Entries in all.
    pub entries: usize,
}

impl Default for ListBounds {
    fn default() -> Self {
        // No real project nests 30 folders or has 100,000 files without being a data set.
        Self { depth: 64, entries: 200_000 }
    }
}

/// Everything in a folder, as far as the bounds go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderListing {
    /// Each folder before what is in it, neighbours in the order of their names' bytes.
    pub entries: Vec<Listed>,
    /// Folders that could not be opened or are beyond the depth.
    pub unopened: usize,
    /// Names that are not plain text and stand escaped; no path leads to them.
    pub escaped: usize,
    /// Whether there are more entries than the bounds allow.
    pub cut: bool,
}

/// A file, folder or link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The path from the root, with `/`; what is not plain text stands as `\xff` or `\u{1b}`, a backslash as `\\`.
    pub path: String,
    /// Folders beneath the listed one; 1 for what is directly in it.
    pub depth: usize,
    /// What it is.
    pub kind: ListedKind,
    /// Size of a file; 0 for everything else.
    pub bytes: u64,
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListedKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, not followed.
    Link,
    /// A device, socket or pipe.
    Other,
}

impl Root {
    /// Lists what is in the folder `path`, at all depths within `bounds`; git's own folders are left out.
    ///
    /// Errors when `path` is no folder beneath this root. What cannot be opened further down is counted.
    pub fn list(&self, path: &RepositoryPath, bounds: ListBounds) -> Result<FolderListing> {
        let mut walk = Walk { root: self, bounds, listing: FolderListing::default() };
        let mut waiting =
            walk.children(&Found::top(path)).map_err(|source| self.explain_list(path, source))?;
        while let Some(found) = waiting.pop() {
            let is_folder = found.listed.kind == ListedKind::Folder;
            walk.listing.escaped += usize::from(found.is_escaped());
            walk.listing.entries.push(found.listed.clone());
            if !is_folder {
                continue;
            }
            if found.listed.depth >= bounds.depth {
                walk.listing.unopened += 1;
                continue;
            }
            match walk.children(&found) {
                Ok(children) => waiting.extend(children),
                Err(_) => walk.listing.unopened += 1,
            }
            if walk.listing.entries.len() + waiting.len() > bounds.entries {
                walk.listing.cut = true;
                let room = bounds.entries.saturating_sub(walk.listing.entries.len());
                // The end of the stack comes first in the order.
                waiting.drain(..waiting.len().saturating_sub(room));
            }
        }
        Ok(walk.listing)
    }

    fn explain_list(&self, path: &RepositoryPath, source: io::Error) -> Error {
        let path = path.clone();
        match source.kind() {
            ErrorKind::NotADirectory if self.directory.metadata(path.as_path()).is_ok() => {
                Error::NotAFolder { path }
            }
            ErrorKind::NotFound | ErrorKind::NotADirectory => Error::FileNotFound { path },
            ErrorKind::PermissionDenied if source.raw_os_error().is_none() => Error::PathEscapes { path },
            _ => Error::ListInside { path, source },
        }
    }
}

/// An entry with the path by which it is opened.
struct Found {
    listed: Listed,
    real: PathBuf,
}

impl Found {
    fn top(path: &RepositoryPath) -> Self {
        let listed = Listed { path: path.as_str().to_owned(), depth: 0, kind: ListedKind::Folder, bytes: 0 };
        Self { listed, real: path.as_path().to_owned() }
    }

    fn is_escaped(&self) -> bool {
        self.real.file_name().is_some_and(|name| !is_plain(name))
    }
}

struct Walk<'a> {
    root: &'a Root,
    bounds: ListBounds,
    listing: FolderListing,
}

impl Walk<'_> {
    /// What is in a folder, last name first, as a stack wants it.
    fn children(&mut self, folder: &Found) -> io::Result<Vec<Found>> {
        // One folder is open at a time, and each is opened from the root, so depth costs neither stack nor handles.
        let mut found = Vec::new();
        for entry in self.root.directory.open_dir(&folder.real)?.entries()? {
            let Ok(entry) = entry else { continue };
            let name = entry.file_name();
            if !is_shown(&name, folder) {
                continue;
            }
            if found.len() > self.bounds.entries {
                self.listing.cut = true;
                break;
            }
            found.extend(describe(&entry, &name, folder));
        }
        found.sort_by(|one: &Found, other| other.real.file_name().cmp(&one.real.file_name()));
        Ok(found)
    }
}

fn is_shown(name: &OsStr, folder: &Found) -> bool {
    let is_export_record = folder.real == Path::new(".") && name == EXPORT_RECORD;
    !is_export_record && !name.to_str().is_some_and(is_git_name)
}

/// Nothing for what has vanished meanwhile.
fn describe(entry: &DirEntry, name: &OsStr, folder: &Found) -> Option<Found> {
    let kind = kind_of(entry.file_type().ok()?);
    let bytes = if kind == ListedKind::File { entry.metadata().ok()?.len() } else { 0 };
    let parent = &folder.listed.path;
    let mut path = if parent.is_empty() { String::new() } else { format!("{parent}/") };
    push_name(&mut path, name);
    let real = if folder.real == Path::new(".") { PathBuf::from(name) } else { folder.real.join(name) };
    Some(Found { listed: Listed { path, depth: folder.listed.depth + 1, kind, bytes }, real })
}

fn kind_of(file_type: FileType) -> ListedKind {
    if file_type.is_file() {
        ListedKind::File
    } else if file_type.is_dir() {
        ListedKind::Folder
    } else if file_type.is_symlink() {
        ListedKind::Link
    } else {
        ListedKind::Other
    }
}

fn is_plain(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| !name.chars().any(|one| one.is_control() || one == '\\'))
}

/// Appends a name so that it can be told from every other: what is not plain text is escaped.
fn push_name(text: &mut String, name: &OsStr) {
    for chunk in name.as_bytes().utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\\' => text.push_str("\\\\"),
                control if control.is_control() => text.extend(control.escape_unicode()),
                plain => text.push(plain),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn place(files: &[&str]) -> (tempfile::TempDir, Root) {
        let folder = tempfile::tempdir().unwrap();
        for path in files {
            let path = folder.path().join("r").join(path);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, "12345").unwrap();
        }
        let root = Root::open(&folder.path().join("r")).unwrap();
        (folder, root)
    }

    fn paths(listing: &FolderListing) -> Vec<&str> {
        listing.entries.iter().map(|entry| entry.path.as_str()).collect()
    }

    fn list(root: &Root, path: &str) -> Result<FolderListing> {
        root.list(&path.parse().unwrap(), ListBounds::default())
    }

    #[test]
    fn names_each_folder_before_what_is_in_it_and_never_git() {
        let (_folder, root) = place(&[
            "b/z.py",
            "b/a/x.py",
            "a.py",
            "b.py",
            ".git/config",
            "b/.GIT",
            ".export.json",
            ".github/w",
        ]);
        let listing = list(&root, "").unwrap();
        assert_eq!(
            paths(&listing),
            [".github", ".github/w", "a.py", "b", "b/a", "b/a/x.py", "b/z.py", "b.py"]
        );
        let last = listing.entries.last().unwrap();
        assert_eq!((last.depth, last.kind, last.bytes), (1, ListedKind::File, 5));
        assert_eq!(paths(&list(&root, "b/a").unwrap()), ["b/a/x.py"]);
    }

    #[test]
    fn follows_no_link_and_stands_loops() {
        let (folder, root) = place(&["a/x"]);
        symlink("..", folder.path().join("r/a/loop")).unwrap();
        symlink("/etc", folder.path().join("r/out")).unwrap();
        let listing = list(&root, "").unwrap();
        assert_eq!(paths(&listing), ["a", "a/loop", "a/x", "out"]);
        assert_eq!(listing.entries[3].kind, ListedKind::Link);
        assert!(matches!(list(&root, "out"), Err(Error::PathEscapes { .. })));
        assert_eq!(paths(&list(&root, "a/loop/a").unwrap()), ["a/loop/a/loop", "a/loop/a/x"]);
    }

    #[test]
    fn tells_a_file_and_a_missing_folder_apart() {
        let (_folder, root) = place(&["a/x"]);
        assert!(matches!(list(&root, "a/x"), Err(Error::NotAFolder { .. })));
        assert!(matches!(list(&root, "a/x/y"), Err(Error::FileNotFound { .. })));
        assert!(matches!(list(&root, "b"), Err(Error::FileNotFound { .. })));
    }

    #[test]
    fn shows_every_name_and_no_two_alike() {
        let (folder, root) = place(&["plain é"]);
        for name in [&b"caf\xe9"[..], b"caf\\xe9", b"two\nlines", b"\x1b[2J"] {
            fs_err::write(folder.path().join("r").join(OsStr::from_bytes(name)), "").unwrap();
        }
        fs_err::create_dir(folder.path().join("r").join(OsStr::from_bytes(b"d\xff"))).unwrap();
        fs_err::write(folder.path().join("r").join(OsStr::from_bytes(b"d\xff/x")), "").unwrap();
        let listing = list(&root, "").unwrap();
        let expected =
            ["\\u{1b}[2J", "caf\\\\xe9", "caf\\xe9", "d\\xff", "d\\xff/x", "plain é", "two\\u{a}lines"];
        assert_eq!((paths(&listing), listing.escaped), (expected.to_vec(), 5));
    }

    #[test]
    fn a_tree_deeper_than_a_path_can_be_long_is_harmless() {
        let (folder, root) = place(&["x"]);
        let mut inner =
            rustix::fs::open(folder.path().join("r"), rustix::fs::OFlags::DIRECTORY, 0o700.into()).unwrap();
        for _ in 0..3_000 {
            rustix::fs::mkdirat(&inner, "d", 0o700.into()).unwrap();
            inner = rustix::fs::openat(&inner, "d", rustix::fs::OFlags::DIRECTORY, 0o700.into()).unwrap();
        }
        let listing = list(&root, "").unwrap();
        assert_eq!((listing.entries.len(), listing.unopened), (65, 1));
        remove_deep(&folder.path().join("r"));
    }

    /// The standard library's removal overflows the stack here.
    fn remove_deep(folder: &Path) {
        #[expect(clippy::disallowed_methods, reason = "the system's own removal stands any depth")]
        std::process::Command::new("rm").arg("-rf").arg(folder).status().unwrap();
    }

    #[test]
    fn a_giant_folder_is_cut_and_says_so() {
        let names: Vec<String> = (0..50).map(|number| format!("f{number:02}")).collect();
        let (_folder, root) = place(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let listing = root.list(&RepositoryPath::top(), ListBounds { depth: 5, entries: 10 }).unwrap();
        assert!(listing.cut && listing.entries.len() <= 11, "{}", listing.entries.len());
        assert!(!root.list(&RepositoryPath::top(), ListBounds { depth: 5, entries: 50 }).unwrap().cut);
    }
}
