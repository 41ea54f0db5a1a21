//! A file that a gold answer leads to, before copies are added.

use repos::RepositoryPath;

use super::answers::{Because, Grade};

/// A file with its judgement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) path: RepositoryPath,
    pub(crate) because: Because,
    pub(crate) grade: Grade,
}

impl Named {
    /// A file that was sought.
    pub(crate) fn full(path: RepositoryPath, because: Because) -> Self {
        Self { path, because, grade: Grade::Full }
    }

    /// A file that helps.
    pub(crate) fn partial(path: RepositoryPath, because: Because) -> Self {
        Self { path, because, grade: Grade::Partial }
    }
}
