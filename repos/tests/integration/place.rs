//! A data folder of its own for each test.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use repos::{Catalog, Commit, RepositoryName, Result, SyncOptions, SyncProgress, SyncStep, Synced};

/// A temporary folder with a data folder in it.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

/// Remembers the steps that it hears.
#[derive(Default)]
pub(crate) struct Steps(Mutex<Vec<SyncStep>>);

impl Place {
    /// An empty one.
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A path inside.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The data folder.
    pub(crate) fn data(&self) -> PathBuf {
        self.path("data")
    }

    /// Opens the catalog anew, as another process would.
    pub(crate) fn catalog(&self) -> Catalog {
        Catalog::open(&self.data()).unwrap()
    }

    /// Makes the URL known as `origin`, to be served at `commit`.
    pub(crate) fn pin(&self, url: &str, commit: &Commit) {
        fs_err::create_dir_all(self.data()).unwrap();
        let text = format!("[[added]]\nname = \"origin\"\nurl = \"{url}\"\ncommit = \"{commit}\"\n");
        fs_err::write(self.data().join("catalog.toml"), text).unwrap();
    }

    /// Syncs `origin`.
    pub(crate) fn sync(&self) -> Result<Synced> {
        sync(&self.catalog(), &options(), &())
    }

    /// The folder in which `origin` is served.
    pub(crate) fn checkout(&self) -> PathBuf {
        self.data().join("checkouts/origin")
    }

    /// What lies in the folder of checkouts, but lock files.
    pub(crate) fn checkouts(&self) -> Vec<String> {
        let Ok(entries) = fs_err::read_dir(self.data().join("checkouts")) else { return Vec::new() };
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| !name.starts_with(".lock-")).collect();
        names.sort();
        names
    }
}

impl Steps {
    /// What was heard, without the percentages.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.0.lock().unwrap().iter().map(|step| word(*step)).collect();
        names.dedup();
        names
    }
}

impl SyncProgress for Steps {
    fn update(&self, _name: &RepositoryName, step: SyncStep) {
        self.0.lock().unwrap().push(step);
    }
}

/// A step's name.
pub(crate) fn word(step: SyncStep) -> String {
    format!("{step:?}").split(' ').next().unwrap().to_owned()
}

/// The name under which tests serve what they fetch.
pub(crate) fn name() -> RepositoryName {
    "origin".parse().unwrap()
}

/// Enough time for a slow machine.
pub(crate) fn options() -> SyncOptions {
    SyncOptions { parallel: 2, timeout: Duration::from_secs(120) }
}

/// Syncs `origin` as told.
pub(crate) fn sync(catalog: &Catalog, options: &SyncOptions, progress: &dyn SyncProgress) -> Result<Synced> {
    let mut results = catalog.sync(&[name()], options, progress);
    assert_eq!(results.len(), 1);
    results.remove(0).1
}

/// A file's text.
pub(crate) fn text(path: impl AsRef<Path>) -> String {
    fs_err::read_to_string(path.as_ref()).unwrap()
}

/// An error with its causes on one line.
pub(crate) fn sentence(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(deeper) = cause {
        text = format!("{text}: {deeper}");
        cause = deeper.source();
    }
    text
}
