//! The registry joined with what is on this machine. It is opened once and asked often: what is known stays as it
//! was when the catalog was opened, until it is reopened; what is checked out is looked up anew each time, since other
//! processes sync and link meanwhile.

use std::path::{Path, PathBuf};

use crate::checkout::{CheckoutPlace, remove};
use crate::ledger::{Added, Ledger, LedgerVersion};
use crate::source::Source;
use crate::{
    Checkout, Entry, Error, Git, Pin, Registry, RepositoryName, Result, State, Status, SyncOptions,
    SyncProgress, Synced, lookup, sync,
};

/// Every known repository, and the data folder that holds those that are here.
#[derive(Clone, Debug)]
pub struct Catalog {
    data: PathBuf,
    entries: Vec<Entry>,
    git: Git,
    version: LedgerVersion,
}

/// What [`Catalog::link_all`] did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkReport {
    /// What is served in place now.
    pub linked: Vec<Checkout>,
    /// Known repositories of which the folder holds none.
    pub missing: Vec<RepositoryName>,
    /// Folders that no known repository is called like.
    pub unknown: Vec<String>,
}

impl Catalog {
    /// Opens the data folder, which need not exist yet and is not made before something is kept in it.
    pub fn open(data_folder: &Path) -> Result<Self> {
        // Asked before the file is read, so that a change in between is noticed later rather than never.
        let version = LedgerVersion::now(data_folder);
        let mut entries = Registry::built_in()?.entries;
        entries.extend(Ledger::read(data_folder)?.added.into_iter().map(Entry::from));
        Ok(Self { data: data_folder.to_owned(), entries, git: Git::default(), version })
    }

    /// Starts git as `git` says, in place of the usual places and no proxy.
    #[must_use]
    pub fn with_git(self, git: Git) -> Self {
        Self { git, ..self }
    }

    /// Whether what is known is as it was when the catalog was opened; costs one question to the file system.
    pub fn is_current(&self) -> bool {
        self.version == LedgerVersion::now(&self.data)
    }

    /// The catalog as it is now, whoever changed it.
    pub fn reopened(&self) -> Result<Self> {
        Ok(Self::open(&self.data)?.with_git(self.git.clone()))
    }

    /// The data folder.
    pub fn data_folder(&self) -> &Path {
        &self.data
    }

    /// Every known repository: the registry's in its order, then the added ones.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry of that name or alias; the error proposes up to three near names.
    pub fn entry(&self, name: &RepositoryName) -> Result<&Entry> {
        self.resolve(name.as_str())
    }

    /// The entry that ML-Bench numbers so.
    pub fn entry_by_github_id(&self, id: i64) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.github_id == Some(id))
    }

    /// The entry that a person or an agent means: its name, an alias, `owner/name` or a URL, in any case.
    pub fn resolve(&self, text: &str) -> Result<&Entry> {
        lookup::find(&self.entries, text)
    }

    /// The folder that holds the repository now: a linked one before a synced one.
    pub fn checkout(&self, name: &RepositoryName) -> Result<Checkout> {
        self.locate(self.entry(name)?, &Ledger::read(&self.data)?)
    }

    /// All that are here, in the order of the entries; a link whose folder is gone is left out.
    pub fn checkouts(&self) -> Result<Vec<Checkout>> {
        let ledger = Ledger::read(&self.data)?;
        Ok(self.entries.iter().filter_map(|entry| self.locate(entry, &ledger).ok()).collect())
    }

    /// What is here of every known repository.
    pub fn status(&self) -> Result<Vec<Status>> {
        let ledger = Ledger::read(&self.data)?;
        let state = |entry: &Entry| State::of(&pinned(entry, &ledger), self.locate(entry, &ledger));
        Ok(self
            .entries
            .iter()
            .map(|entry| Status { state: state(entry), entry: pinned(entry, &ledger) })
            .collect())
    }

    /// Serves `folder` as the repository `name`; it is only read.
    pub fn link(&self, name: &RepositoryName, folder: &Path) -> Result<Checkout> {
        let name = &self.entry(name)?.name;
        let folder = real_folder(name, folder)?;
        Ledger::update(&self.data, |ledger| {
            ledger.links.insert(name.clone(), folder.clone());
            Ok(())
        })?;
        Ok(Checkout::linked(name, &folder))
    }

    /// Links every known repository to the folder inside `folder` that is called like it, by name or alias.
    pub fn link_all(&self, folder: &Path) -> Result<LinkReport> {
        let (mut linked, mut unknown) = (Vec::new(), Vec::new());
        for name in folders_inside(folder)? {
            let Ok(entry) = self.resolve(&name) else {
                unknown.push(name);
                continue;
            };
            let inside = real_folder(&entry.name, &folder.join(&name))?;
            // Of `timm` and `pytorch-image-models` side by side, the one with the proper name counts.
            let proper = entry.name.as_str() == name;
            match linked.iter().position(|(other, _): &(&Entry, PathBuf)| other.name == entry.name) {
                None => linked.push((entry, inside)),
                Some(position) if proper => linked[position].1 = inside,
                Some(_) => unknown.push(name),
            }
        }
        linked.sort_by_key(|(entry, _)| self.entries.iter().position(|other| other.name == entry.name));
        Ledger::update(&self.data, |ledger| {
            ledger.links.extend(linked.iter().map(|(entry, inside)| (entry.name.clone(), inside.clone())));
            Ok(())
        })?;
        let is_linked = |entry: &&Entry| !linked.iter().any(|(other, _)| other.name == entry.name);
        Ok(LinkReport {
            missing: self.entries.iter().filter(is_linked).map(|entry| entry.name.clone()).collect(),
            linked: linked.iter().map(|(entry, inside)| Checkout::linked(&entry.name, inside)).collect(),
            unknown,
        })
    }

    /// Forgets a link; the folder stays as it is, and a synced checkout is served again.
    pub fn unlink(&self, name: &RepositoryName) -> Result<()> {
        let name = &self.entry(name)?.name;
        Ledger::update(&self.data, |ledger| match ledger.links.remove(name) {
            Some(_) => Ok(()),
            None => Err(Error::NotLinked { name: name.clone() }),
        })
    }

    /// Makes another repository known: a folder, which is linked, or a URL, to be synced.
    ///
    /// Without a name it gets the last part of `source`. Names and aliases that are in use are refused.
    pub fn add(&mut self, source: &str, name: Option<RepositoryName>) -> Result<Entry> {
        let source = Source::parse(source)?;
        let name = name.map_or_else(|| source.suggested_name(), Ok)?;
        if let Ok(taken_by) = self.resolve(name.as_str()).map(|entry| entry.name.clone()) {
            return Err(Error::NameTaken { name, taken_by });
        }
        let url = if let Source::Remote(remote) = &source { Some(remote.to_string()) } else { None };
        let added = Added { name: name.clone(), url, commit: None };
        Ledger::update(&self.data, |ledger| {
            if ledger.added(&name).is_some() {
                return Err(Error::NameTaken { taken_by: name.clone(), name });
            }
            if let Source::Folder(folder) = source {
                ledger.links.insert(name, folder);
            }
            ledger.added.push(added.clone());
            Ok(())
        })?;
        let entry = Entry::from(added);
        self.entries.push(entry.clone());
        Ok(entry)
    }

    /// Forgets an added repository with what was fetched of it, or the link of a registered one.
    /// A folder that was linked stays as it is.
    pub fn remove(&mut self, name: &RepositoryName) -> Result<()> {
        let (name, pin) = self.entry(name).map(|entry| (entry.name.clone(), entry.pin))?;
        if pin != Pin::Added {
            return self.unlink(&name).map_err(|error| match error {
                Error::NotLinked { name } => Error::NotAdded { name },
                error => error,
            });
        }
        let place = CheckoutPlace::new(&self.data, &name);
        if place.folder().exists() || place.partial().exists() {
            let lock = place.lock_file()?;
            lock.lock().map_err(|source| Error::ChangeCheckout { folder: place.folder(), source })?;
            place.discard()?;
            remove(&place.partial())?;
        }
        Ledger::update(&self.data, |ledger| {
            ledger.links.remove(&name);
            ledger.added.retain(|added| added.name != name);
            Ok(())
        })?;
        self.entries.retain(|entry| entry.name != name);
        Ok(())
    }

    /// Brings repositories from git at their pinned commits; without names all that have a URL and are not linked.
    ///
    /// The results stand in the order of `names`; one that fails does not stop the others.
    pub fn sync(
        &self,
        names: &[RepositoryName],
        options: &SyncOptions,
        progress: &dyn SyncProgress,
    ) -> Vec<(RepositoryName, Result<Synced>)> {
        if !names.is_empty() {
            return sync::all(self, names, options, progress);
        }
        let links = Ledger::read(&self.data).unwrap_or_default().links;
        let fetchable =
            self.entries.iter().filter(|entry| entry.url.is_some() && !links.contains_key(&entry.name));
        let names: Vec<RepositoryName> = fetchable.map(|entry| entry.name.clone()).collect();
        sync::all(self, &names, options, progress)
    }

    /// The entry as it is now, with the commit that another process may have pinned it at.
    pub(crate) fn current(&self, name: &RepositoryName) -> Result<Entry> {
        Ok(pinned(self.entry(name)?, &Ledger::read(&self.data)?))
    }

    /// How git is started.
    pub(crate) fn git(&self) -> &Git {
        &self.git
    }

    fn locate(&self, entry: &Entry, ledger: &Ledger) -> Result<Checkout> {
        let name = &entry.name;
        match ledger.links.get(name) {
            Some(folder) if folder.is_dir() => Ok(Checkout::linked(name, folder)),
            Some(folder) => Err(Error::LinkIsGone { name: name.clone(), folder: folder.clone() }),
            None => CheckoutPlace::new(&self.data, name)
                .checkout()
                .ok_or_else(|| Error::NotCheckedOut { name: name.clone() }),
        }
    }
}

/// The entry with the commit that the data folder records for an added one.
fn pinned(entry: &Entry, ledger: &Ledger) -> Entry {
    let recorded = ledger.added(&entry.name).and_then(|added| added.commit.clone());
    Entry { commit: entry.commit.clone().or(recorded), ..entry.clone() }
}

/// The folder without links in its path, so that it means the same wherever the next process is started.
fn real_folder(name: &RepositoryName, folder: &Path) -> Result<PathBuf> {
    let failed = |source| Error::Link { name: name.clone(), folder: folder.to_owned(), source };
    let real = fs_err::canonicalize(folder).map_err(failed)?;
    if real.is_dir() { Ok(real) } else { Err(failed(std::io::ErrorKind::NotADirectory.into())) }
}

/// The names of the visible folders in `folder`, sorted.
fn folders_inside(folder: &Path) -> Result<Vec<String>> {
    let failed = |source| Error::ListFolder { folder: folder.to_owned(), source };
    let mut names = Vec::new();
    for entry in fs_err::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') && entry.path().is_dir() {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}
