//! The files of one repository as judgements need them: which paths exist, their texts, and who repeats whom.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use repos::{Checkout, ListBounds, ListedKind, RepositoryPath, Root};

use crate::{Error, Result};

/// No source file or document that somebody wrote is longer.
const LARGEST_TEXT_BYTES: u64 = 4 << 20;
/// A package stands beside one of these when `pip install` puts it where `import` finds it.
const BUILD_FILES: [&str; 3] = ["setup.py", "pyproject.toml", "setup.cfg"];

/// The files of a repository.
pub(crate) struct Files {
    root: Root,
    sizes: BTreeMap<RepositoryPath, u64>,
    hashes: RefCell<HashMap<RepositoryPath, Option<blake3::Hash>>>,
}

impl Files {
    /// Lists the files of a checkout.
    pub(crate) fn of(checkout: &Checkout) -> Result<Self> {
        let explain = |source| Error::ReadRepository { repository: checkout.name.clone(), source };
        let root = checkout.root().map_err(explain)?;
        let listing = root.list(&RepositoryPath::top(), ListBounds::default()).map_err(explain)?;
        let files = listing.entries.into_iter().filter(|entry| entry.kind == ListedKind::File);
        let sizes = files.filter_map(|file| Some((file.path.parse().ok()?, file.bytes))).collect();
        Ok(Self { root, sizes, hashes: RefCell::default() })
    }

    /// The folder that they are in.
    pub(crate) fn root(&self) -> &Root {
        &self.root
    }

    /// All paths, in order.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &RepositoryPath> {
        self.sizes.keys()
    }

    /// The file that `path`, written relative to `folder`, leads to; none for an empty one, which says nothing.
    pub(crate) fn at(&self, folder: &str, path: &str) -> Option<RepositoryPath> {
        let path = joined(folder, path)?.parse().ok()?;
        self.sizes.get(&path).is_some_and(|bytes| *bytes > 0).then_some(path)
    }

    /// The one file beneath `folder` with this name; none if there are several.
    pub(crate) fn only_beneath(&self, folder: &str, name: &str) -> Option<RepositoryPath> {
        let is_beneath = |path: &RepositoryPath| {
            folder.is_empty() || path.as_str().strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
        };
        let mut found = self.paths().filter(|path| path.file_name() == name && is_beneath(path));
        let only = found.next()?;
        found.next().is_none().then(|| only.clone())
    }

    /// The folder that `path`, written relative to `folder`, leads to.
    pub(crate) fn folder_at(&self, folder: &str, path: &str) -> Option<String> {
        let joined = joined(folder, path)?;
        self.root.is_folder(&joined.parse().ok()?).then_some(joined)
    }

    /// The text of a file; empty where it cannot be read.
    pub(crate) fn text(&self, path: &RepositoryPath) -> String {
        self.root.read_text(path, LARGEST_TEXT_BYTES).map(|file| file.text).unwrap_or_default()
    }

    /// Folders beside whose build file a package is installed from, the highest first.
    pub(crate) fn installable(&self) -> Vec<String> {
        let build_files = self.paths().filter(|path| BUILD_FILES.contains(&path.file_name()));
        let mut folders: Vec<String> = build_files.map(|path| parent(path.as_str()).to_owned()).collect();
        folders.sort_by_key(|folder| (folder.matches('/').count(), folder.clone()));
        folders.dedup();
        folders
    }

    /// The other files with the same bytes.
    pub(crate) fn copies(&self, path: &RepositoryPath) -> Vec<RepositoryPath> {
        let Some((size, hash)) = self.sizes.get(path).zip(self.hash(path)) else { return Vec::new() };
        let same_size = self.sizes.iter().filter(|(other, bytes)| *bytes == size && *other != path);
        same_size.map(|(other, _)| other).filter(|other| self.hash(other) == Some(hash)).cloned().collect()
    }

    fn hash(&self, path: &RepositoryPath) -> Option<blake3::Hash> {
        let hash = || self.root.read(path, LARGEST_TEXT_BYTES).ok().map(|bytes| blake3::hash(&bytes));
        *self.hashes.borrow_mut().entry(path.clone()).or_insert_with(hash)
    }
}

/// The folder that holds a file; the empty text for the top.
pub(crate) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A path relative to a folder, with `.` and `..` worked out; none where it leads out of the repository.
fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')).filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop()?;
        } else {
            parts.push(part);
        }
    }
    (!path.starts_with('/')).then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use repos::RepositoryPath;

    use crate::truth::sample::files;

    #[test]
    fn finds_files_relative_to_a_folder_and_never_outside() {
        let (_folder, files) = files(&[("a/b/run.py", "x"), ("a/empty.py", ""), ("top.sh", "x")]);
        let at = |folder: &str, path: &str| files.at(folder, path).map(|path| path.to_string());
        assert_eq!(at("a", "./b//run.py").as_deref(), Some("a/b/run.py"));
        assert_eq!(at("a/b", "../../top.sh").as_deref(), Some("top.sh"));
        for (folder, path) in
            [("a", "empty.py"), ("", "../top.sh"), ("", "/top.sh"), ("", "a"), ("b", "run.py")]
        {
            assert_eq!(at(folder, path), None, "{folder} {path}");
        }
        assert_eq!(files.folder_at("a/b", "..").as_deref(), Some("a"));
        assert_eq!(files.folder_at("", "nowhere"), None);
    }

    #[test]
    fn tells_copies_from_files_of_the_same_size() {
        let (_folder, files) = files(&[("a.py", "one"), ("b/c.py", "one"), ("d.py", "two")]);
        let copies = files.copies(&"a.py".parse().unwrap());
        assert_eq!(copies.iter().map(RepositoryPath::as_str).collect::<Vec<_>>(), ["b/c.py"]);
    }

    #[test]
    fn packages_stand_beside_build_files() {
        let (_folder, files) =
            files(&[("lib/deep/setup.py", "x"), ("lib/pyproject.toml", "x"), ("c.py", "x")]);
        assert_eq!(files.installable(), ["lib", "lib/deep"]);
    }
}
