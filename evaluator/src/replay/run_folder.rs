//! The folder of a run: `lock.json` first, then one line of `trials.jsonl` after the other, each safely on disk before
//! the next trial is counted, and what each executed trial ran and printed.

use std::collections::BTreeMap;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use fs_err::{File, OpenOptions};

use super::execution::Ran;
use super::lock::Lock;
use super::preparation::Preparation;
use crate::{Error, Result, Trial};

/// An open run folder. Only one process can have created its `trials.jsonl`.
#[derive(Debug)]
pub(super) struct RunFolder {
    folder: PathBuf,
    trials: File,
}

/// Refuses a folder that holds anything.
pub(super) fn refuse_if_in_use(folder: &Path) -> Result<()> {
    match fs_err::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(Error::WriteRun { path: folder.to_owned(), source }),
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(_) => Err(Error::RunFolderInUse { folder: folder.to_owned() }),
        },
    }
}

impl RunFolder {
    /// Creates the folder, which must be new or empty.
    pub(super) fn create(folder: &Path) -> Result<Self> {
        let explain = |source| Error::WriteRun { path: folder.to_owned(), source };
        fs_err::create_dir_all(folder).map_err(explain)?;
        refuse_if_in_use(folder)?;
        // Mounts and the search path of jobs need a name that does not depend on where this process is.
        let folder = fs_err::canonicalize(folder).map_err(explain)?;
        let path = folder.join("trials.jsonl");
        let opened = OpenOptions::new().append(true).create_new(true).open(&path);
        let trials = opened.map_err(|source| Error::WriteRun { path, source })?;
        Ok(Self { folder, trials })
    }

    /// Writes `lock.json`, whole or not at all.
    pub(super) fn write_lock(&self, lock: &Lock) -> Result<()> {
        let path = self.folder.join("lock.json");
        let write = || {
            let unfinished = self.folder.join("lock.json.unfinished");
            let mut file = File::create(&unfinished)?;
            serde_json::to_writer_pretty(&mut file, lock)?;
            file.write_all(b"\n")?;
            file.sync_all()?;
            fs_err::rename(&unfinished, &path)?;
            File::open(&self.folder)?.sync_all()
        };
        write().map_err(|source| Error::WriteRun { path: path.clone(), source })
    }

    /// Appends trials and returns when they are on disk.
    pub(super) fn append(&mut self, trials: &[Trial]) -> Result<()> {
        let mut append = || {
            let mut lines = Vec::new();
            for trial in trials {
                serde_json::to_writer(&mut lines, trial)?;
                lines.push(b'\n');
            }
            self.trials.write_all(&lines)?;
            self.trials.sync_data()
        };
        append().map_err(|source| Error::WriteRun { path: self.folder.join("trials.jsonl"), source })
    }

    /// Keeps what an executed trial ran and printed.
    pub(super) fn keep(&self, ran: &Ran) -> Result<()> {
        let Trial { key, attempt, .. } = &ran.trial;
        let folder = self.folder.join(format!("trials/{}-{}-{attempt}", key.github_id, key.id));
        let keep = || {
            fs_err::create_dir_all(&folder)?;
            fs_err::write(folder.join("script"), &ran.program.script)?;
            fs_err::write(folder.join("stdout"), ran.outcome.stdout.text())?;
            fs_err::write(folder.join("stderr"), ran.outcome.stderr.text())?;
            let python = ran
                .program
                .files
                .iter()
                .filter(|(name, _)| Path::new(name).extension() == Some("py".as_ref()));
            python.into_iter().try_for_each(|(name, content)| fs_err::write(folder.join(name), content))
        };
        keep().map_err(|source| Error::WriteRun { path: folder.clone(), source })
    }

    /// Makes a folder with a link `python` for every place to which one has to lead.
    pub(super) fn lay_out_shims(&self, preparation: &Preparation) -> Result<BTreeMap<String, PathBuf>> {
        let mut folders = BTreeMap::new();
        for (number, target) in preparation.python_links().into_iter().enumerate() {
            let folder = self.folder.join(format!("python-link-{number}"));
            let lay_out = || {
                fs_err::create_dir(&folder)?;
                // Jobs run as another user.
                fs_err::set_permissions(&folder, PermissionsExt::from_mode(0o755))?;
                symlink(target, folder.join("python"))
            };
            lay_out().map_err(|source| Error::WriteRun { path: folder.clone(), source })?;
            folders.insert(target.to_owned(), folder);
        }
        Ok(folders)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_a_folder_that_holds_anything() {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("a/run");
        RunFolder::create(&run).unwrap();
        let error = RunFolder::create(&run).unwrap_err();
        assert!(matches!(error, Error::RunFolderInUse { .. }), "{error:?}");
        assert!(error.hint().unwrap().contains("does not exist yet"));
    }
}
