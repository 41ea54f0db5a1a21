//! A small repository in a temporary folder, with a store beside it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use indexer::{Hit, IndexStore, Mode, Query, RepositoryIndex, search_all};
use repos::{Checkout, Origin};

/// A repository and a place for its index.
pub(crate) struct Fixture {
    folder: tempfile::TempDir,
    pub(crate) checkout: Checkout,
    pub(crate) store: IndexStore,
}

impl Fixture {
    /// Writes these files, each as path and content.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let repository = folder.path().join("repository");
        fs_err::create_dir_all(&repository).unwrap();
        let checkout = checkout("sample", &repository);
        let store = IndexStore::new(folder.path().join("indexes"));
        let fixture = Self { folder, checkout, store };
        for (path, content) in files {
            fixture.write(path, content);
        }
        fixture
    }

    /// Writes a file of the repository.
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.checkout.folder.join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, content).unwrap();
    }

    /// Where the store keeps this repository's index.
    pub(crate) fn index_folder(&self) -> PathBuf {
        self.folder.path().join("indexes/sample")
    }

    /// The names in the index folder, without the parts that differ from run to run.
    pub(crate) fn index_entries(&self) -> Vec<String> {
        let entries = fs_err::read_dir(self.index_folder()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
            .iter()
            .map(|name| name.split_once('-').map_or(name.as_str(), |(kind, _)| kind).to_owned())
            .collect()
    }

    /// The index, built when it is not current.
    pub(crate) fn index(&self) -> Arc<RepositoryIndex> {
        Arc::new(self.store.open_or_build(&self.checkout, &()).unwrap())
    }

    /// The hits of a query in the built index.
    pub(crate) fn search(&self, mode: Mode, text: &str) -> Vec<Hit> {
        search_all(&[self.index()], &query(mode, text)).unwrap().hits
    }

    /// The hits as `path:first-last kind symbol`.
    pub(crate) fn places(&self, mode: Mode, text: &str) -> Vec<String> {
        self.search(mode, text).iter().map(place).collect()
    }
}

/// A checkout of a folder, without a commit.
pub(crate) fn checkout(name: &str, folder: &Path) -> Checkout {
    Checkout { name: name.parse().unwrap(), folder: folder.to_owned(), commit: None, origin: Origin::Linked }
}

/// A query for up to 50 hits.
pub(crate) fn query(mode: Mode, text: &str) -> Query {
    Query { text: text.to_owned(), mode, limit: 50, ..Query::default() }
}

/// A hit as `path:first-last kind symbol`.
pub(crate) fn place(hit: &Hit) -> String {
    let symbol = hit.symbol.as_deref().unwrap_or("-");
    format!("{}:{}-{} {} {symbol}", hit.path, hit.start_line, hit.end_line, hit.kind)
}
