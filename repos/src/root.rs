//! The second lock on paths: files are opened relative to an open folder and never resolve outside it,
//! whatever links the repository holds and whoever swaps them meanwhile (CVE-2025-53109, CVE-2025-53110).
//! One open, then every question is asked of that handle.

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, FileType, OpenOptions, OpenOptionsExt};

use crate::{Error, RepositoryPath, Result};

// Without it, opening a named pipe waits for a writer for ever.
const OPEN_FLAGS: rustix::fs::OFlags = rustix::fs::OFlags::NONBLOCK;

/// An open folder beneath which files are read.
#[derive(Debug)]
pub struct Root {
    folder: PathBuf,
    pub(crate) directory: Dir,
}

/// A file's text with what had to be done to get it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileText {
    /// The text; bytes that are not UTF-8 stand as U+FFFD.
    pub text: String,
    /// Whether some bytes were not UTF-8.
    pub lossy: bool,
}

impl Root {
    /// Opens `folder`, following links in its own path: the person who configured it is trusted.
    pub fn open(folder: &Path) -> Result<Self> {
        let directory = Dir::open_ambient_dir(folder, ambient_authority())
            .map_err(|source| Error::OpenRoot { folder: folder.to_owned(), source })?;
        Ok(Self { folder: folder.to_owned(), directory })
    }

    /// The folder that was opened.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Opens a regular file of any size, to be read piece by piece.
    pub fn reader(&self, path: &RepositoryPath) -> Result<impl Read + use<>> {
        Ok(self.open_file(path)?.0)
    }

    /// Reads a regular file of at most `limit` bytes.
    pub fn read(&self, path: &RepositoryPath, limit: u64) -> Result<Vec<u8>> {
        let (file, bytes) = self.open_file(path)?;
        if bytes > limit {
            return Err(Error::FileTooLarge { path: path.clone(), bytes, limit });
        }
        let mut content = Vec::with_capacity(usize::try_from(bytes).unwrap_or_default());
        // The file may grow between the question and the read, so the limit holds here too.
        file.take(limit)
            .read_to_end(&mut content)
            .map_err(|source| Error::ReadFile { path: path.clone(), source })?;
        Ok(content)
    }

    /// Reads a regular file of at most `limit` bytes as text.
    pub fn read_text(&self, path: &RepositoryPath, limit: u64) -> Result<FileText> {
        Ok(match String::from_utf8(self.read(path, limit)?) {
            Ok(text) => FileText { text, lossy: false },
            Err(error) => {
                FileText { text: String::from_utf8_lossy(error.as_bytes()).into_owned(), lossy: true }
            }
        })
    }

    /// Whether `path` is a folder beneath this root.
    pub fn is_folder(&self, path: &RepositoryPath) -> bool {
        self.directory.metadata(path.as_path()).is_ok_and(|metadata| metadata.is_dir())
    }

    /// The path without links, which must not lead to git's own files either: they may hold passwords.
    pub(crate) fn without_links(&self, path: &RepositoryPath) -> Result<RepositoryPath> {
        let real = self.directory.canonicalize(path.as_path()).map_err(|source| explain(path, source))?;
        // A name that is no text cannot be asked for, so only a link can lead to one; it is opened as it was asked.
        let Some(real) = real.to_str() else { return Ok(path.clone()) };
        real.parse().map_err(|_| Error::PathEscapes { path: path.clone() })
    }

    fn open_file(&self, path: &RepositoryPath) -> Result<(File, u64)> {
        let file = match self.open_without_links(path) {
            Some(file) => file,
            None => self.open_through_links(path)?,
        };
        let metadata = file.metadata().map_err(|source| explain(path, source))?;
        if metadata.is_file() {
            Ok((file, metadata.len()))
        } else {
            Err(Error::NotAFile { path: path.clone(), kind: kind_of(metadata.file_type()) })
        }
    }

    /// Opens a path with one system call, which refuses every link on it. Most paths have none, and asking about
    /// each part of them costs more than reading the file.
    #[cfg(target_os = "linux")]
    fn open_without_links(&self, path: &RepositoryPath) -> Option<File> {
        use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
        let flags = OFlags::RDONLY | OPEN_FLAGS | OFlags::CLOEXEC;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        openat2(&self.directory, path.as_path(), flags, Mode::empty(), resolve).ok().map(File::from)
    }

    #[cfg(not(target_os = "linux"))]
    fn open_without_links(&self, _path: &RepositoryPath) -> Option<File> {
        None
    }

    fn open_through_links(&self, path: &RepositoryPath) -> Result<File> {
        let real = self.without_links(path)?;
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(OPEN_FLAGS.bits().cast_signed());
        self.directory.open_with(real.as_path(), &options).map_err(|source| explain(path, source))
    }
}

fn explain(path: &RepositoryPath, source: std::io::Error) -> Error {
    match source.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Error::FileNotFound { path: path.clone() },
        ErrorKind::PermissionDenied if source.raw_os_error().is_none() => {
            Error::PathEscapes { path: path.clone() }
        }
        _ => Error::ReadFile { path: path.clone(), source },
    }
}

pub(crate) fn kind_of(file_type: FileType) -> &'static str {
    if file_type.is_dir() { "a folder" } else { "a device, socket or pipe" }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn root_with_secret_beside() -> (tempfile::TempDir, Root) {
        let folder = tempfile::tempdir().unwrap();
        fs_err::create_dir_all(folder.path().join("r/inner")).unwrap();
        fs_err::create_dir_all(folder.path().join("r-evil")).unwrap();
        fs_err::write(folder.path().join("r-evil/secret"), "secret").unwrap();
        fs_err::write(folder.path().join("r/inner/a.py"), "x = 1\n").unwrap();
        let root = Root::open(&folder.path().join("r")).unwrap();
        (folder, root)
    }

    #[track_caller]
    fn refusal(root: &Root, path: &str) -> String {
        root.read(&path.parse().unwrap(), 1 << 20).unwrap_err().to_string()
    }

    #[test]
    fn reads_a_file_beneath() {
        let (_folder, root) = root_with_secret_beside();
        assert_eq!(root.read(&"inner/a.py".parse().unwrap(), 100).unwrap(), b"x = 1\n");
    }

    #[test]
    fn refuses_every_link_that_leads_out() {
        let (folder, root) = root_with_secret_beside();
        for (name, target) in [
            ("absolute", "/etc/passwd"),
            ("sibling", "../r-evil/secret"),
            ("magic", "/proc/self/root/etc/passwd"),
        ] {
            symlink(target, folder.path().join("r").join(name)).unwrap();
            assert!(refusal(&root, name).contains("leads out"), "{name}: {}", refusal(&root, name));
        }
        symlink("../r-evil", folder.path().join("r/folder")).unwrap();
        assert!(refusal(&root, "folder/secret").contains("leads out"));
    }

    #[test]
    fn refuses_a_link_to_gits_own_files() {
        let (folder, root) = root_with_secret_beside();
        fs_err::create_dir(folder.path().join("r/.git")).unwrap();
        fs_err::write(folder.path().join("r/.git/config"), "password").unwrap();
        for (name, target) in [("file", ".git/config"), ("folder", ".git"), ("inner/up", "../.git/config")] {
            symlink(target, folder.path().join("r").join(name)).unwrap();
        }
        for path in ["file", "folder/config", "inner/up"] {
            assert!(refusal(&root, path).contains("leads out"), "{path}");
        }
    }

    #[test]
    fn follows_a_link_that_stays_inside() {
        let (folder, root) = root_with_secret_beside();
        symlink("inner/a.py", folder.path().join("r/alias")).unwrap();
        assert_eq!(root.read(&"alias".parse().unwrap(), 100).unwrap(), b"x = 1\n");
    }

    #[test]
    fn answers_at_once_for_a_pipe_and_a_folder() {
        let (folder, root) = root_with_secret_beside();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            folder.path().join("r/pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        assert!(refusal(&root, "pipe").contains("not a regular file"));
        assert!(refusal(&root, "inner").contains("a folder"));
    }

    #[test]
    fn refuses_a_sparse_giant_before_reading() {
        let (folder, root) = root_with_secret_beside();
        fs_err::File::create(folder.path().join("r/big")).unwrap().set_len(1 << 40).unwrap();
        assert!(refusal(&root, "big").contains("more than"));
    }

    #[test]
    fn says_when_text_is_not_utf8() {
        let (folder, root) = root_with_secret_beside();
        fs_err::write(folder.path().join("r/latin"), b"caf\xe9").unwrap();
        let text = root.read_text(&"latin".parse().unwrap(), 100).unwrap();
        assert_eq!((text.text.as_str(), text.lossy), ("caf\u{fffd}", true));
    }
}
