//! A walk through a folder with as few system calls as it takes: every folder is opened relative to the one above
//! and every file asked for once. Links are never followed.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags};

/// What is met on the way.
pub(crate) trait Visitor {
    /// Whether a folder or file of that name is looked at; `folder` ends with `/`, or is empty at the top.
    fn enters(&self, folder: &str, name: &[u8]) -> bool;
    /// A regular file; there is no path when some name on it is no text.
    fn file(&mut self, path: Option<String>, bytes: u64, modified: u64);
    /// Something that is neither a file nor a folder.
    fn other(&mut self, kind: Other);
}

/// What is neither a file nor a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Other {
    Link,
    Device,
    Unreadable,
}

/// Walks everything beneath `folder`, whose own path may have links in it.
pub(crate) fn walk(folder: &Path, visitor: &mut impl Visitor) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let opened = rustix::fs::openat(CWD, folder, flags, Mode::empty())?;
    walk_opened(opened, Some(""), visitor)
}

/// Walks one folder; `folder` is its path with a `/` behind it, if that is text.
fn walk_opened(opened: OwnedFd, folder: Option<&str>, visitor: &mut impl Visitor) -> io::Result<()> {
    let mut folders = Vec::new();
    let mut directory = Dir::new(opened)?;
    while let Some(entry) = directory.read() {
        let Ok(entry) = entry else {
            visitor.other(Other::Unreadable);
            break;
        };
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") || !visitor.enters(folder.unwrap_or("?/"), name.to_bytes())
        {
            continue;
        }
        let path = || Some(format!("{}{}", folder?, name.to_str().ok()?));
        let found = match entry.file_type() {
            // Some file systems do not say, and a file must be asked for its size all the same.
            FileType::Unknown | FileType::RegularFile => {
                rustix::fs::statat(directory.fd()?, name, AtFlags::SYMLINK_NOFOLLOW).ok()
            }
            FileType::Directory => {
                folders.push((name.to_owned(), path()));
                continue;
            }
            FileType::Symlink => {
                visitor.other(Other::Link);
                continue;
            }
            _ => {
                visitor.other(Other::Device);
                continue;
            }
        };
        match found.as_ref().map(|found| (found, FileType::from_raw_mode(found.st_mode))) {
            Some((found, FileType::RegularFile)) => {
                visitor.file(path(), found.st_size.try_into().unwrap_or_default(), modified(found));
            }
            Some((_, FileType::Directory)) => folders.push((name.to_owned(), path())),
            Some((_, FileType::Symlink)) => visitor.other(Other::Link),
            Some(_) => visitor.other(Other::Device),
            None => visitor.other(Other::Unreadable),
        }
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    for (name, path) in folders {
        let opened = rustix::fs::openat(directory.fd()?.as_fd(), name, flags, Mode::empty());
        let walked = opened
            .map_err(io::Error::from)
            .and_then(|opened| walk_opened(opened, path.map(|path| path + "/").as_deref(), visitor));
        if walked.is_err() {
            visitor.other(Other::Unreadable);
        }
    }
    Ok(())
}

/// When the content or the status of a file changed last, in nanoseconds since 1970. Programs that copy or unpack set
/// the time of the content back; that of the status they cannot set.
fn modified(found: &rustix::fs::Stat) -> u64 {
    let time = |seconds: i64, nanoseconds: u64| {
        let seconds = u64::try_from(seconds).unwrap_or_default();
        seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds)
    };
    time(found.st_mtime, found.st_mtime_nsec).max(time(found.st_ctime, found.st_ctime_nsec))
}
