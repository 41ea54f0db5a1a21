//! Writing beneath an open folder: a file appears whole or not at all, and nothing is written outside, whatever
//! links the folder holds and whoever swaps them meanwhile. Only private copies are opened so, never a checkout.

use std::io::{ErrorKind, Write};
use std::os::unix::fs::fchown;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::fs::{Dir, File, MetadataExt, OpenOptions, OpenOptionsExt, Permissions, PermissionsExt};

use rustix::fs::{AtFlags, Gid, Uid};

use crate::path::is_ignored;
use crate::root::kind_of;
use crate::{Error, RepositoryPath, Result, Root};

const NEW_FILE_MODE: u32 = 0o644;

/// Who owns what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileOwner {
    /// The user's number.
    pub user: u32,
    /// The group's number.
    pub group: u32,
}

/// An open folder beneath which files are written.
#[derive(Debug)]
pub struct WritableRoot {
    root: Root,
    owner: Option<FileOwner>,
}

impl WritableRoot {
    /// Opens `folder`; what is written belongs to `owner`, or to this process without one.
    pub fn open(folder: &Path, owner: Option<FileOwner>) -> Result<Self> {
        Ok(Self { root: Root::open(folder)?, owner })
    }

    /// The same folder for reading.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// Writes a whole file, with the folders on its way; returns the path without links.
    ///
    /// An existing file keeps its permissions and is replaced, so that its other hard links keep their content.
    /// Links that stay inside are followed; everything but a regular file is refused.
    pub fn write(&self, path: &RepositoryPath, content: &[u8]) -> Result<RepositoryPath> {
        check_name(path)?;
        let failed = |source| Error::WriteFile { path: path.clone(), source };
        let target = self.resolve(path)?;
        let (parent, name) = self.open_parent(&target, path)?;
        let mode = mode_of(&parent, name, path)?;
        let (temporary, mut file) = create_beside(&parent).map_err(failed)?;
        let finish = || {
            file.write_all(content)?;
            self.give(&file)?;
            file.set_permissions(Permissions::from_mode(mode))?;
            parent.rename(&temporary, &parent, name)
        };
        if let Err(source) = { finish }() {
            // What failed first is the better answer than a leftover that the workspace's end removes.
            let _ = parent.remove_file(&temporary);
            return Err(failed(source));
        }
        Ok(target)
    }

    /// The path that links on the way lead to; parts that do not exist yet stay as they are.
    fn resolve(&self, path: &RepositoryPath) -> Result<RepositoryPath> {
        let parts: Vec<&str> = path.parts().collect();
        for known in (0..=parts.len()).rev() {
            let prefix = parts[..known].iter().fold(RepositoryPath::top(), |folder, part| folder.join(part));
            match self.root.directory.canonicalize(prefix.as_path()) {
                Ok(real) => {
                    let real = real.to_str().unwrap_or("\\").trim_start_matches("./").parse()?;
                    return Ok(parts[known..].iter().fold(real, |folder, part| folder.join(part)));
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    let is_link = |found: cap_std::fs::Metadata| found.is_symlink();
                    if self.root.directory.symlink_metadata(prefix.as_path()).is_ok_and(is_link) {
                        return Err(Error::DanglingLink { path: prefix });
                    }
                }
                Err(error) if error.kind() == ErrorKind::NotADirectory => {}
                Err(error)
                    if error.kind() == ErrorKind::PermissionDenied && error.raw_os_error().is_none() =>
                {
                    return Err(Error::PathEscapes { path: path.clone() });
                }
                Err(source) => return Err(Error::WriteFile { path: path.clone(), source }),
            }
        }
        Ok(path.clone())
    }

    /// Opens the folder that a resolved path is in, made where it is missing, and the file's name there.
    fn open_parent<'a>(&self, target: &'a RepositoryPath, asked: &RepositoryPath) -> Result<(Dir, &'a str)> {
        let mut parts: Vec<&str> = target.parts().collect();
        let Some(name) = parts.pop() else {
            return Err(Error::NotAFile { path: asked.clone(), kind: "a folder" });
        };
        let failed = |source| Error::WriteFile { path: asked.clone(), source };
        let mut folder = self.root.directory.open_dir(".").map_err(failed)?;
        let mut here = RepositoryPath::top();
        for part in parts {
            here = here.join(part);
            match folder.create_dir(part) {
                Ok(()) => self.give_folder(&folder, part).map_err(failed)?,
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(source) => return Err(failed(source)),
            }
            folder = folder.open_dir(part).map_err(|source| match source.kind() {
                ErrorKind::NotADirectory => Error::NotAFolder { path: here.clone() },
                _ => failed(source),
            })?;
        }
        Ok((folder, name))
    }

    fn give(&self, file: &File) -> std::io::Result<()> {
        self.owner.map_or(Ok(()), |owner| fchown(file, Some(owner.user), Some(owner.group)))
    }

    /// Should somebody put a link in the new folder's place, then the link is given away and not what it leads to.
    fn give_folder(&self, parent: &Dir, name: &str) -> std::io::Result<()> {
        let Some(owner) = self.owner else { return Ok(()) };
        let (user, group) = (Uid::from_raw(owner.user), Gid::from_raw(owner.group));
        Ok(rustix::fs::chownat(parent, name, Some(user), Some(group), AtFlags::SYMLINK_NOFOLLOW)?)
    }
}

/// Files that exist may be called anything, but none is made whose name people cannot see.
fn check_name(path: &RepositoryPath) -> Result<()> {
    if path.as_str().chars().any(|character| character.is_control() || is_ignored(character)) {
        return Err(Error::InvalidPath {
            text: path.as_str().escape_debug().to_string(),
            reason: "it holds a control or invisible character",
        });
    }
    Ok(())
}

/// The permissions that the file keeps or gets.
fn mode_of(parent: &Dir, name: &str, path: &RepositoryPath) -> Result<u32> {
    match parent.symlink_metadata(name) {
        Ok(metadata) if metadata.is_file() => Ok(metadata.mode() & 0o777),
        Ok(metadata) if metadata.is_symlink() => Err(Error::PathEscapes { path: path.clone() }),
        Ok(metadata) => Err(Error::NotAFile { path: path.clone(), kind: kind_of(metadata.file_type()) }),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(NEW_FILE_MODE),
        Err(source) => Err(Error::WriteFile { path: path.clone(), source }),
    }
}

/// A new file under a name of its own; what a job may have put under that name is never opened.
fn create_beside(parent: &Dir) -> std::io::Result<(String, File)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let process = std::process::id();
    loop {
        let name = format!(".repolab-{process}-{}.tmp", NEXT.fetch_add(1, Ordering::Relaxed));
        match parent.open_with(&name, OpenOptions::new().write(true).create_new(true).mode(0o600)) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            opened => return Ok((name, opened?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt as _, symlink};

    use super::*;

    fn place() -> (tempfile::TempDir, WritableRoot) {
        let folder = tempfile::tempdir().unwrap();
        fs_err::create_dir_all(folder.path().join("w/inner")).unwrap();
        fs_err::create_dir_all(folder.path().join("outside")).unwrap();
        fs_err::write(folder.path().join("w/inner/a.py"), "old\n").unwrap();
        let root = WritableRoot::open(&folder.path().join("w"), None).unwrap();
        (folder, root)
    }

    fn write(root: &WritableRoot, path: &str) -> Result<String> {
        root.write(&path.parse()?, b"new\n").map(String::from)
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs_err::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn makes_files_and_the_folders_on_their_way() {
        let (folder, root) = place();
        assert_eq!(write(&root, "x/y/z.py").unwrap(), "x/y/z.py");
        assert_eq!(fs_err::read_to_string(folder.path().join("w/x/y/z.py")).unwrap(), "new\n");
        assert_eq!(names(&folder.path().join("w/x/y")), ["z.py"]);
    }

    #[test]
    fn never_writes_through_a_link_that_leads_out() {
        let (folder, root) = place();
        let out = folder.path().join("outside/new");
        let link = |target: &str, name: &str| symlink(target, folder.path().join("w").join(name)).unwrap();
        link(out.to_str().unwrap(), "absolute");
        link("../outside/new", "relative");
        link("../outside", "folder");
        link("nowhere", "dangling");
        link("loop", "loop");
        for path in ["absolute", "relative", "folder/new", "folder/x/new", "dangling", "dangling/x", "loop"] {
            assert!(write(&root, path).is_err(), "{path} was written");
        }
        assert!(names(&folder.path().join("outside")).is_empty());
        assert_eq!(
            names(&folder.path().join("w")),
            ["absolute", "dangling", "folder", "inner", "loop", "relative"]
        );
    }

    #[test]
    fn follows_a_link_that_stays_inside_but_not_into_git() {
        let (folder, root) = place();
        symlink("inner/a.py", folder.path().join("w/alias")).unwrap();
        symlink("inner", folder.path().join("w/d")).unwrap();
        assert_eq!(write(&root, "alias").unwrap(), "inner/a.py");
        assert_eq!(write(&root, "d/b.py").unwrap(), "inner/b.py");
        assert!(folder.path().join("w/alias").is_symlink());
        fs_err::create_dir(folder.path().join("w/.git")).unwrap();
        symlink(".git", folder.path().join("w/g")).unwrap();
        assert!(write(&root, "g/config").is_err());
        assert!(names(&folder.path().join("w/.git")).is_empty());
    }

    #[test]
    fn replaces_a_hard_link_and_keeps_the_executable_bit() {
        let (folder, root) = place();
        let outside = folder.path().join("outside/secret");
        fs_err::write(&outside, "secret").unwrap();
        fs_err::set_permissions(&outside, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        fs_err::hard_link(&outside, folder.path().join("w/hard")).unwrap();
        write(&root, "hard").unwrap();
        assert_eq!(fs_err::read_to_string(&outside).unwrap(), "secret");
        let written = fs_err::metadata(folder.path().join("w/hard")).unwrap();
        assert_eq!((written.nlink(), written.mode() & 0o777), (1, 0o755));
    }

    #[test]
    fn refuses_what_is_no_regular_file_and_leaves_it() {
        let (folder, root) = place();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            folder.path().join("w/pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        for path in ["pipe", "inner", "", "inner/a.py/x", &"x".repeat(300)] {
            assert!(write(&root, path).is_err(), "{path} was written");
        }
        assert_eq!(names(&folder.path().join("w")), ["inner", "pipe"]);
    }

    #[test]
    fn refuses_names_that_hide_something() {
        let (_folder, root) = place();
        for path in ["a\nb", "a\u{1b}[2J", "a\u{202e}b", ".GIT/config", ".git\u{200c}/config", "../x", "/x"] {
            assert!(write(&root, path).is_err(), "{path:?} was written");
        }
    }

    #[test]
    fn gives_files_and_new_folders_to_their_owner() {
        if !rustix::process::geteuid().is_root() {
            return eprintln!("SKIPPED: only root can give files away");
        }
        let (folder, _) = place();
        let owner = FileOwner { user: 1000, group: 1000 };
        let root = WritableRoot::open(&folder.path().join("w"), Some(owner)).unwrap();
        write(&root, "x/y").unwrap();
        for path in ["w/x", "w/x/y"] {
            assert_eq!(fs_err::metadata(folder.path().join(path)).unwrap().uid(), 1000);
        }
    }
}
