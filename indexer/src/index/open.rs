//! An index that is open for searching. Opening maps files and reads the records; nothing else is loaded.

use std::collections::HashSet;
use std::path::Path;
use std::sync::OnceLock;

use repos::{Checkout, Commit, RepositoryName, Root};

use super::manifest::Manifest;
use super::records::{FileRecord, Records};
use super::segment::Segment;
use crate::BuildReport;
use crate::error::{Cause, Error, Result};
use crate::search::PresentFiles;

/// An open index of one repository, to be shared between threads.
pub struct RepositoryIndex {
    name: RepositoryName,
    report: BuildReport,
    records: Records,
    weights: Vec<f32>,
    fame: Vec<f32>,
    documentation: Vec<bool>,
    root: Root,
    segment: Option<Segment>,
    present: PresentFiles,
    /// Of files and folders in lower case, once a search asked.
    names: OnceLock<HashSet<String>>,
}

impl RepositoryIndex {
    /// Opens the generation that a manifest in `folder` names.
    pub(super) fn open(checkout: &Checkout, manifest: Manifest, folder: &Path) -> Result<Self> {
        let root = checkout.root()?;
        let explain =
            |source| Error::Open { repository: checkout.name.clone(), folder: folder.to_owned(), source };
        let records = Records::read(&manifest.records_path(folder)).map_err(explain)?;
        let segment = Segment::open(&manifest.layer_folders(folder), &records.files).map_err(explain)?;
        let base = manifest.layer_folders(folder).into_iter().next();
        let present = PresentFiles::open(base.as_deref()).map_err(explain)?;
        let report = manifest.report;
        let weights = records.files.iter().map(|file| file.role().weight()).collect();
        let fame = records.files.iter().map(|file| (1.0 + file.mentions as f32).log2()).collect();
        let documentation = records.files.iter().map(|file| file.language.is_documentation()).collect();
        Ok(Self {
            name: checkout.name.clone(),
            report,
            records,
            weights,
            fame,
            documentation,
            root,
            segment,
            present,
            names: OnceLock::new(),
        })
    }

    /// The repository.
    pub fn name(&self) -> &RepositoryName {
        &self.name
    }

    /// The commit that was indexed, when known.
    pub fn commit(&self) -> Option<&Commit> {
        self.report.commit.as_ref()
    }

    /// What the build did.
    pub fn report(&self) -> &BuildReport {
        &self.report
    }

    /// The repository's files.
    pub(crate) fn root(&self) -> &Root {
        &self.root
    }

    /// Whether a file or folder of the repository is called like the last part of `path`, in any case.
    pub(crate) fn has_name_of(&self, path: &str) -> bool {
        let names = self.names.get_or_init(|| {
            let parts = self.records.files.iter().flat_map(|file| file.path.as_str().split('/'));
            parts.map(str::to_lowercase).collect()
        });
        names.contains(&path.rsplit('/').next().unwrap_or(path).to_lowercase())
    }

    /// The files as they are on disk, for exact search.
    pub(crate) fn present(&self) -> &PresentFiles {
        &self.present
    }

    /// The indexed files, by number.
    pub(crate) fn files(&self) -> &[FileRecord] {
        &self.records.files
    }

    /// What the scores of each file are multiplied by.
    pub(crate) fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// How often each file is mentioned, in doublings.
    pub(crate) fn fame(&self) -> &[f32] {
        &self.fame
    }

    /// Whether people read each file rather than run it.
    pub(crate) fn documentation(&self) -> &[bool] {
        &self.documentation
    }

    /// What is remembered of all files.
    pub(crate) fn records(&self) -> &Records {
        &self.records
    }

    /// The documents; an index of no files has none.
    pub(crate) fn segment(&self) -> Option<&Segment> {
        self.segment.as_ref()
    }

    /// Names this index in a failure to read it.
    pub(crate) fn failed(&self, source: impl Into<Cause>) -> Error {
        Error::Search { repository: self.name.clone(), source: source.into() }
    }
}
