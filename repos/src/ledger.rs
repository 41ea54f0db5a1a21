//! What people decided about repositories on this machine: `catalog.toml` in the data folder.
//! Several processes share the folder, so every change happens under a lock and appears by a rename.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::{Commit, Entry, Error, RepositoryName, Result};

const FILE: &str = "catalog.toml";
const NEXT: &str = ".catalog.toml.next";
const LOCK: &str = ".catalog.lock";
const HEADING: &str = "# Written by `repolab repos`: links to folders, and repositories that were added.\n\n";

/// The content of `catalog.toml`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Ledger {
    /// Folders that are served in place.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) links: BTreeMap<RepositoryName, PathBuf>,
    /// Repositories beside the registry's, in the order in which they were added.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) added: Vec<Added>,
}

/// What tells one state of the file from another, without reading it; every change is a rename of a new file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LedgerVersion(Option<(u64, u64, i64, i64)>);

impl LedgerVersion {
    /// The version that the data folder holds now.
    pub(crate) fn now(data: &Path) -> Self {
        let metadata = fs_err::metadata(data.join(FILE)).ok();
        Self(metadata.map(|found| (found.ino(), found.len(), found.mtime(), found.mtime_nsec())))
    }
}

/// A repository that somebody added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Added {
    pub(crate) name: RepositoryName,
    /// None when it is a linked folder.
    pub(crate) url: Option<String>,
    /// The commit that the first sync found.
    pub(crate) commit: Option<Commit>,
}

impl Ledger {
    /// What the data folder records; nothing when it does not exist.
    pub(crate) fn read(data: &Path) -> Result<Self> {
        let path = data.join(FILE);
        let text = match fs_err::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(source) => return Err(Error::ReadCatalog { path, source }),
        };
        toml::from_str(&text).map_err(|source| Error::ParseCatalog { path, source: Box::new(source) })
    }

    /// Changes what the data folder records; nothing changes when `change` fails.
    pub(crate) fn update<T>(data: &Path, change: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let failed = |source| Error::WriteCatalog { path: data.join(FILE), source };
        fs_err::create_dir_all(data).map_err(failed)?;
        let lock = fs_err::File::create(data.join(LOCK)).map_err(failed)?;
        // Held until `lock` is dropped at the end of this function.
        lock.lock().map_err(failed)?;
        let mut ledger = Self::read(data)?;
        let result = change(&mut ledger)?;
        ledger.write(data).map_err(failed)?;
        Ok(result)
    }

    fn write(&self, data: &Path) -> std::io::Result<()> {
        let text = toml::to_string(self).map_err(std::io::Error::other)?;
        // One name for all, since only the holder of the lock writes: a killed process leaves nothing that piles up.
        let next = data.join(NEXT);
        let mut file = fs_err::File::create(&next)?;
        file.write_all(format!("{HEADING}{text}").as_bytes())?;
        file.sync_all()?;
        fs_err::rename(next, data.join(FILE))
    }

    /// The record of an added repository.
    pub(crate) fn added(&self, name: &RepositoryName) -> Option<&Added> {
        self.added.iter().find(|added| added.name == *name)
    }

    /// Records the commit at which an added repository is served from now on.
    pub(crate) fn pin(&mut self, name: &RepositoryName, commit: &Commit) {
        for added in self.added.iter_mut().filter(|added| added.name == *name) {
            added.commit = Some(commit.clone());
        }
    }
}

impl From<Added> for Entry {
    fn from(added: Added) -> Self {
        Self::added(added.name, added.url, added.commit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> RepositoryName {
        text.parse().unwrap()
    }

    #[test]
    fn remembers_what_was_written() {
        let data = tempfile::tempdir().unwrap();
        let commit: Commit = "1".repeat(40).parse().unwrap();
        Ledger::update(data.path(), |ledger| {
            ledger.links.insert(name("open_clip"), "/a b".into());
            ledger.added.push(Added { name: name("x.y"), url: Some("https://a/b".to_owned()), commit: None });
            Ok(())
        })
        .unwrap();
        Ledger::update(data.path(), |ledger| {
            ledger.pin(&name("x.y"), &commit);
            Ok(())
        })
        .unwrap();
        let ledger = Ledger::read(data.path()).unwrap();
        assert_eq!(ledger.links[&name("open_clip")], PathBuf::from("/a b"));
        assert_eq!(ledger.added(&name("x.y")).unwrap().commit, Some(commit));
    }

    #[test]
    fn reading_creates_nothing() {
        let place = tempfile::tempdir().unwrap();
        let data = place.path().join("data");
        assert_eq!(Ledger::read(&data).unwrap(), Ledger::default());
        assert!(!data.exists());
    }

    #[test]
    fn a_refused_change_leaves_the_file_as_it_was() {
        let data = tempfile::tempdir().unwrap();
        let refused = Ledger::update(data.path(), |ledger| -> Result<()> {
            ledger.links.insert(name("a"), "/x".into());
            Err(Error::NotLinked { name: name("a") })
        });
        assert!(refused.is_err());
        assert_eq!(Ledger::read(data.path()).unwrap(), Ledger::default());
    }

    #[test]
    fn names_the_file_that_is_damaged() {
        let data = tempfile::tempdir().unwrap();
        fs_err::write(data.path().join(FILE), "links = 3").unwrap();
        let error = Ledger::read(data.path()).unwrap_err();
        assert!(error.to_string().contains("catalog.toml"), "{error}");
    }

    #[test]
    fn changes_made_at_once_are_all_kept() {
        let data = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for number in 0..16 {
                let data = data.path();
                scope.spawn(move || {
                    Ledger::update(data, |ledger| {
                        ledger.links.insert(name(&format!("r{number}")), "/x".into());
                        Ok(())
                    })
                    .unwrap();
                });
            }
        });
        assert_eq!(Ledger::read(data.path()).unwrap().links.len(), 16);
    }
}
