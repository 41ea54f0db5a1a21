//! Copying a folder. Names and links in it are untrusted input: a link that leads out is left behind, and what is
//! neither file, folder nor link is not even opened.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, fchown, lchown, symlink};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use fs_err::os::unix::fs::OpenOptionsExt;
use rayon::prelude::*;
use rustix::fs::OFlags;
use walkdir::{DirEntry, WalkDir};

use super::changes::{Snapshot, Stamp};
use crate::user::User;
use crate::{Error, Result, payload_user};

/// Folders and files that are never copied: the history, which a job does not need and whose configuration
/// could run programs, and this product's note on how a checkout was made.
const HISTORY: &str = ".git";
const EXPORT_NOTE: &str = ".export.json";

/// How large a folder may be to be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyLimits {
    /// Bytes of all files together.
    pub bytes: u64,
    /// Files, folders and links.
    pub entries: usize,
}

impl Default for CopyLimits {
    fn default() -> Self {
        Self { bytes: 4 << 30, entries: 200_000 }
    }
}

/// What is to be copied, by path relative to the source.
#[derive(Default)]
struct Inventory {
    folders: Vec<PathBuf>,
    files: Vec<PathBuf>,
    links: Vec<(PathBuf, PathBuf)>,
}

/// A folder that only this user may enter.
pub(super) fn create_private_folder(folder: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().mode(0o700).create(folder)
}

/// Copies `source` to `target`, which must not exist.
pub(super) fn copy_folder(source: &Path, target: &Path, limits: CopyLimits) -> Result<Snapshot> {
    let explain = |error| Error::CopyFolder { source_folder: source.to_owned(), source: error };
    let inventory = take_inventory(source, limits)?;
    let owner = rustix::process::geteuid().is_root().then(payload_user);
    let folders = std::iter::once(Path::new("")).chain(inventory.folders.iter().map(PathBuf::as_path));
    for folder in folders {
        create_folder(&target.join(folder), owner).map_err(explain)?;
    }
    let way = Way { owner, shares_blocks: AtomicBool::new(true) };
    let copy = |path: &PathBuf| {
        let stamp = way.copy_file(&source.join(path), &target.join(path))?;
        Ok(stamp.map(|stamp| (path.clone(), stamp)))
    };
    let files: io::Result<Vec<_>> = inventory.files.par_iter().map(copy).collect();
    let links = inventory.links.iter().map(|(path, destination)| {
        let link = target.join(path);
        symlink(destination, &link)?;
        owner.map_or(Ok(()), |user| lchown(&link, Some(user.uid), Some(user.gid)))?;
        Ok((path.clone(), Stamp::of(&fs_err::symlink_metadata(&link)?)))
    });
    let links: io::Result<Vec<_>> = links.collect();
    Ok(files.map_err(explain)?.into_iter().flatten().chain(links.map_err(explain)?).collect())
}

fn take_inventory(source: &Path, limits: CopyLimits) -> Result<Inventory> {
    let explain = |error: io::Error| Error::CopyFolder { source_folder: source.to_owned(), source: error };
    let too_large = |limit| Error::FolderTooLarge { source_folder: source.to_owned(), limit };
    let root = fs_err::canonicalize(source).map_err(explain)?;
    let mut inventory = Inventory::default();
    let mut bytes = 0_u64;
    let entries = WalkDir::new(&root).min_depth(1).into_iter().filter_entry(is_wanted);
    for (count, entry) in entries.enumerate() {
        let entry = entry.map_err(|error| explain(error.into()))?;
        if count >= limits.entries {
            return Err(too_large(format!("{} files", limits.entries)));
        }
        let Ok(path) = entry.path().strip_prefix(&root) else { continue };
        let path = path.to_owned();
        let kind = entry.file_type();
        if kind.is_dir() {
            inventory.folders.push(path);
        } else if kind.is_file() {
            bytes = bytes.saturating_add(entry.metadata().map_or(0, |metadata| metadata.len()));
            inventory.files.push(path);
        } else if kind.is_symlink() {
            inventory.links.extend(inner_link(&root, path));
        }
        if bytes > limits.bytes {
            return Err(too_large(format!("{} bytes", limits.bytes)));
        }
    }
    Ok(inventory)
}

fn is_wanted(entry: &DirEntry) -> bool {
    entry.file_name() != HISTORY && !(entry.depth() == 1 && entry.file_name() == EXPORT_NOTE)
}

/// The link at `path` with its destination, if it cannot lead out of `root`.
fn inner_link(root: &Path, path: PathBuf) -> Option<(PathBuf, PathBuf)> {
    let destination = fs_err::read_link(root.join(&path)).ok()?;
    let stays = stays_inside(path.parent().unwrap_or(Path::new("")), &destination);
    // Other links on the way may lead elsewhere than the names say. A dangling link leads nowhere.
    let resolves_inside =
        fs_err::canonicalize(root.join(&path)).map_or(true, |resolved| resolved.starts_with(root));
    (stays && resolves_inside).then_some((path, destination))
}

fn stays_inside(folder: &Path, destination: &Path) -> bool {
    let mut depth = folder.components().count();
    for component in destination.components() {
        match component {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return false,
        }
    }
    true
}

fn create_folder(folder: &Path, owner: Option<User>) -> io::Result<()> {
    fs_err::create_dir(folder)?;
    owner.map_or(Ok(()), |user| lchown(folder, Some(user.uid), Some(user.gid)))
}

/// How the files of one folder are copied.
struct Way {
    owner: Option<User>,
    /// Whether the file system can make a file of another's blocks; unset by the first file for which it cannot.
    shares_blocks: AtomicBool,
}

impl Way {
    /// Copies a regular file; nothing if it has become something else since it was listed.
    fn copy_file(&self, source: &Path, target: &Path) -> io::Result<Option<Stamp>> {
        // Without O_NONBLOCK, opening a named pipe waits for a writer for ever.
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
        let from = fs_err::OpenOptions::new().read(true).custom_flags(flags).open(source)?;
        let metadata = from.metadata()?;
        if !metadata.is_file() {
            return Ok(None);
        }
        let to =
            fs_err::OpenOptions::new().write(true).create_new(true).mode(mode_for(&metadata)).open(target)?;
        self.copy_content(&from, &to)?;
        if let Some(user) = self.owner {
            fchown(to.file(), Some(user.uid), Some(user.gid))?;
        }
        Ok(Some(Stamp::of(&to.metadata()?)))
    }

    /// Copies on write where the file system can, and else inside the kernel.
    fn copy_content(&self, from: &fs_err::File, to: &fs_err::File) -> io::Result<()> {
        if self.shares_blocks.load(Ordering::Relaxed) {
            if share_blocks(from, to) {
                return Ok(());
            }
            self.shares_blocks.store(false, Ordering::Relaxed);
        }
        io::copy(&mut from.file(), &mut to.file()).map(|_| ())
    }
}

#[cfg(target_os = "linux")]
fn share_blocks(from: &fs_err::File, to: &fs_err::File) -> bool {
    rustix::fs::ioctl_ficlone(to.file(), from.file()).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn share_blocks(_from: &fs_err::File, _to: &fs_err::File) -> bool {
    false
}

fn mode_for(metadata: &Metadata) -> u32 {
    if metadata.permissions().mode() & 0o111 == 0 { 0o644 } else { 0o755 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_a_link_by_its_names_to_see_whether_it_leads_out() {
        let check = |folder: &str, destination: &str, expected: bool| {
            assert_eq!(
                stays_inside(Path::new(folder), Path::new(destination)),
                expected,
                "{folder} {destination}"
            );
        };
        check("", "a", true);
        check("a/b", "../../c", true);
        check("a/b", "../../../c", false);
        check("a", "../..", false);
        check("", "/etc/passwd", false);
        check("", "a/../../b", false);
    }

    #[test]
    fn sees_a_link_that_leads_out_through_another_link() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs_err::canonicalize(folder.path()).unwrap().join("root");
        fs_err::create_dir_all(root.join("x/y")).unwrap();
        fs_err::write(root.join("../secret"), "").unwrap();
        symlink("../..", root.join("x/y/up")).unwrap();
        symlink("x/y/up/../secret", root.join("leak")).unwrap();
        assert!(inner_link(&root, PathBuf::from("x/y/up")).is_some());
        assert!(inner_link(&root, PathBuf::from("leak")).is_none());
    }
}
