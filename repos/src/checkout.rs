//! A repository that is really there: a folder, and the commit it holds when that is known.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{Commit, RepositoryName, Result, Root};

/// How a checkout came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Fetched by `repolab repos sync` and owned by the data folder.
    Synced,
    /// Somebody's own folder, only read.
    Linked,
}

/// A folder that holds a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkout {
    /// The name under which it is served.
    pub name: RepositoryName,
    /// The folder.
    pub folder: PathBuf,
    /// The commit that the folder holds, when its git data or export record says so.
    pub commit: Option<Commit>,
    /// How it came to be.
    pub origin: Origin,
}

impl Checkout {
    /// Opens the folder for reading files beneath it.
    pub fn root(&self) -> Result<Root> {
        Root::open(&self.folder)
    }
}
