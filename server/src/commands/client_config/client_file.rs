//! A client's file on disk: found, read, and replaced as a whole or not at all, with a copy of what was there.

use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::Builder;

use super::error::{Error, Result};

/// A client's file as it was read.
#[derive(Debug)]
pub(super) struct ClientFile {
    /// Where it really is: a link is followed, so that it stays one.
    path: PathBuf,
    /// What is in it; nothing when there is no file yet.
    before: Option<Vec<u8>>,
}

// As usual for new files; the process's own mask takes away what it must.
const NEW_FILE_MODE: u32 = 0o666;

impl ClientFile {
    /// Reads the file, which may not be there yet.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let path = target(path)?;
        let before = read(&path)?;
        Ok(Self { path, before })
    }

    /// Its text, empty when there is no file yet.
    pub(super) fn text(&self) -> Result<&str> {
        std::str::from_utf8(self.before.as_deref().unwrap_or_default()).map_err(|cause| Error::Parse {
            file: self.path.clone(),
            format: "UTF-8",
            cause: Box::new(cause),
        })
    }

    /// Replaces the text; the path of the copy of what was there, if anything was.
    pub(super) fn replace(&self, text: &str) -> Result<Option<PathBuf>> {
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        fs_err::create_dir_all(folder)
            .map_err(|cause| Error::file("make the folder of", &self.path, cause))?;
        let mode = match &self.before {
            Some(_) => fs_err::metadata(&self.path).map(|data| data.permissions().mode()),
            None => Ok(NEW_FILE_MODE),
        }
        .map_err(|cause| Error::file("look at", &self.path, cause))?;
        let new = self.written_beside(folder, text, mode)?;
        let backup = self.before.as_ref().map(|before| self.back_up(before, mode)).transpose()?;
        if read(&self.path)? != self.before {
            return Err(Error::Changed { file: self.path.clone() });
        }
        new.persist(&self.path).map_err(|cause| Error::file("replace", &self.path, cause.error))?;
        Ok(backup)
    }

    fn written_beside(&self, folder: &Path, text: &str, mode: u32) -> Result<tempfile::NamedTempFile> {
        let failed = |cause| Error::file("write a new version beside", &self.path, cause);
        let permissions = PermissionsExt::from_mode(mode & 0o7777);
        let mut builder = Builder::new();
        builder.prefix(".repolab-").permissions(permissions);
        let mut new = builder.tempfile_in(folder).map_err(failed)?;
        new.write_all(text.as_bytes()).map_err(failed)?;
        if self.before.is_some() {
            // The mask applied when the file was made; an existing file keeps its own rights.
            let rights = PermissionsExt::from_mode(mode & 0o7777);
            new.as_file().set_permissions(rights).map_err(failed)?;
        }
        new.as_file().sync_all().map_err(failed)?;
        Ok(new)
    }

    /// Copies what was there to the first free of `FILE.bak`, `FILE.bak.2`, …
    fn back_up(&self, before: &[u8], mode: u32) -> Result<PathBuf> {
        let failed = |cause| Error::file("keep a copy of", &self.path, cause);
        for number in 1_u32.. {
            let mut name = self.path.clone().into_os_string();
            name.push(if number == 1 { ".bak".to_owned() } else { format!(".bak.{number}") });
            let backup = PathBuf::from(name);
            match fs_err::OpenOptions::new().write(true).create_new(true).open(&backup) {
                Ok(mut file) => {
                    let rights = PermissionsExt::from_mode(mode & 0o7777);
                    file.set_permissions(rights).map_err(failed)?;
                    file.write_all(before).map_err(failed)?;
                    return Ok(backup);
                }
                Err(cause) if cause.kind() == ErrorKind::AlreadyExists => {}
                Err(cause) => return Err(failed(cause)),
            }
        }
        Err(failed(ErrorKind::AlreadyExists.into()))
    }
}

fn target(path: &Path) -> Result<PathBuf> {
    match fs_err::canonicalize(path) {
        Ok(target) => Ok(target),
        Err(cause) if cause.kind() != ErrorKind::NotFound => Err(Error::file("reach", path, cause)),
        Err(_) if fs_err::symlink_metadata(path).is_ok() => {
            Err(Error::DanglingLink { file: path.to_owned() })
        }
        Err(_) => Ok(path.to_owned()),
    }
}

fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    match fs_err::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(Error::file("read", path, cause)),
    }
}
