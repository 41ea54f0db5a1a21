//! A repository that is really there: a folder, and the commit it holds when that is known; and where the data
//! folder keeps those that were fetched.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::held_commit::{checked_out_commit, held_commit};
use crate::{Commit, Error, RepositoryName, Result, Root};

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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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

    /// Somebody's own folder.
    pub(crate) fn linked(name: &RepositoryName, folder: &Path) -> Self {
        let commit = held_commit(folder);
        Self { name: name.clone(), folder: folder.to_owned(), commit, origin: Origin::Linked }
    }
}

/// Where the data folder keeps what it has fetched of one repository.
///
/// Names start with a letter or digit, so nothing that starts with a dot can be taken for a checkout.
#[derive(Clone, Debug)]
pub(crate) struct CheckoutPlace {
    parent: PathBuf,
    name: RepositoryName,
}

impl CheckoutPlace {
    /// Creates nothing.
    pub(crate) fn new(data: &Path, name: &RepositoryName) -> Self {
        Self { parent: data.join("checkouts"), name: name.clone() }
    }

    /// The complete checkout's folder.
    pub(crate) fn folder(&self) -> PathBuf {
        self.parent.join(self.name.as_str())
    }

    /// Where a sync works until all is verified.
    pub(crate) fn partial(&self) -> PathBuf {
        self.parent.join(format!(".partial-{}", self.name))
    }

    /// The checkout, when it is there.
    pub(crate) fn checkout(&self) -> Option<Checkout> {
        let folder = self.folder();
        // A fetched repository may bring a false export record along, so git's data alone counts here.
        folder.is_dir().then(|| Checkout {
            name: self.name.clone(),
            commit: checked_out_commit(&folder),
            folder,
            origin: Origin::Synced,
        })
    }

    /// Opens the file that is locked by whoever changes this place.
    pub(crate) fn lock_file(&self) -> Result<fs_err::File> {
        let failed = |source| Error::ChangeCheckout { folder: self.parent.clone(), source };
        fs_err::create_dir_all(&self.parent).map_err(failed)?;
        let path = self.parent.join(format!(".lock-{}", self.name));
        fs_err::OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(failed)
    }

    /// Makes a complete folder the checkout, in place of an older one.
    pub(crate) fn put_in_place(&self, complete: &Path) -> Result<Checkout> {
        self.discard()?;
        let failed = |source| Error::ChangeCheckout { folder: self.folder(), source };
        fs_err::rename(complete, self.folder()).map_err(failed)?;
        self.checkout().ok_or_else(|| failed(std::io::ErrorKind::NotFound.into()))
    }

    /// Removes the checkout, which disappears at once however long the removal takes.
    pub(crate) fn discard(&self) -> Result<()> {
        let old = self.parent.join(format!(".old-{}", self.name));
        remove(&old)?;
        if !self.folder().exists() {
            return Ok(());
        }
        fs_err::rename(self.folder(), &old)
            .map_err(|source| Error::ChangeCheckout { folder: self.folder(), source })?;
        remove(&old)
    }
}

/// Removes a folder that may not be there.
pub(crate) fn remove(folder: &Path) -> Result<()> {
    match fs_err::remove_dir_all(folder) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::ChangeCheckout { folder: folder.to_owned(), source })
        }
        _ => Ok(()),
    }
}
