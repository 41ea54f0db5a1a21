//! Removing what a hostile job may have left: trees deeper than a path can be long or a stack can recurse, and
//! folders without permissions. Instead of descending, folders are pulled up beside the topmost one, so that
//! nothing is ever deeper than two levels and two open folders are enough.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;

/// Removes `folder` with all that is in it; never follows a link.
pub(super) fn remove_tree(folder: &Path) -> io::Result<()> {
    let top = match open(CWD, folder) {
        Err(Errno::NOENT) => return Ok(()),
        opened => opened?,
    };
    let mut pulled_up = 0_u64;
    loop {
        let names = remove_files(&top)?;
        if names.is_empty() {
            break;
        }
        for name in names {
            pull_up_contents(&top, &name, &mut pulled_up)?;
            rustix::fs::unlinkat(&top, &name, AtFlags::REMOVEDIR)?;
        }
    }
    Ok(rustix::fs::unlinkat(CWD, folder, AtFlags::REMOVEDIR)?)
}

/// Removes everything in `folder` but folders, whose names it returns.
fn remove_files(folder: &OwnedFd) -> io::Result<Vec<CString>> {
    let mut folders = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        if entry.file_type() == FileType::Directory {
            folders.push(name.to_owned());
            continue;
        }
        match rustix::fs::unlinkat(folder, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            // Some file systems do not tell the type of an entry beforehand.
            Err(Errno::ISDIR | Errno::PERM) if entry.file_type() == FileType::Unknown => {
                folders.push(name.to_owned());
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(folders)
}

/// Empties the folder `name` in `top`: its files are removed, its folders become neighbours of `name`.
fn pull_up_contents(top: &OwnedFd, name: &CStr, pulled_up: &mut u64) -> io::Result<()> {
    let folder = open_unlocked(top, name)?;
    for inner in remove_files(&folder)? {
        // A folder whose parent changes must itself be writable, too.
        drop(open_unlocked(&folder, &inner)?);
        loop {
            let free = format!(".removing-{pulled_up}");
            *pulled_up += 1;
            match rustix::fs::renameat(&folder, &inner, top, free) {
                // A job may have thought of the same name.
                Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) => {}
                renamed => break renamed?,
            }
        }
    }
    Ok(())
}

/// Opens a folder and gives its owner every permission on it.
fn open_unlocked(parent: &OwnedFd, name: &CStr) -> io::Result<OwnedFd> {
    let folder = match open(parent, name) {
        // Root is never refused, so this follows no link on behalf of root.
        Err(Errno::ACCESS) => {
            rustix::fs::chmodat(parent, name, Mode::RWXU, AtFlags::empty())?;
            open(parent, name)?
        }
        opened => opened?,
    };
    rustix::fs::fchmod(&folder, Mode::RWXU)?;
    Ok(folder)
}

fn open<P: rustix::path::Arg>(parent: impl std::os::fd::AsFd, name: P) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(parent, name, flags, Mode::empty())
}
