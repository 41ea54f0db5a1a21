//! Which files a query admits, by path and language, and the part of each repository that is left.

use super::{PathGlob, Query};
use crate::index::FileRecord;
use crate::{Language, RepositoryIndex, Result};

/// The limits of a query, ready to be applied.
pub(crate) struct Filter {
    glob: Option<PathGlob>,
    language: Option<Language>,
}

impl Filter {
    /// Reads the limits of a query.
    pub(crate) fn of(query: &Query) -> Result<Self> {
        let glob = query.path_glob.as_deref().filter(|glob| !glob.is_empty());
        let glob = glob.map(PathGlob::parse).transpose()?;
        Ok(Self { glob, language: query.language })
    }

    /// Whether files at `path` in `language` are admitted.
    pub(crate) fn admits(&self, path: &str, language: Language) -> bool {
        self.language.is_none_or(|wanted| wanted == language)
            && self.glob.as_ref().is_none_or(|glob| glob.is_match(path))
    }

    /// Whether files at `path` may be admitted, before their language is known.
    pub(crate) fn admits_path(&self, path: &str) -> bool {
        let language = self.language.zip(Language::by_name(path));
        language.is_none_or(|(wanted, found)| wanted == found)
            && self.glob.as_ref().is_none_or(|glob| glob.is_match(path))
    }

    /// The part of a repository that is admitted.
    pub(crate) fn part<'a>(&self, number: usize, index: &'a RepositoryIndex) -> Part<'a> {
        let limited = self.glob.is_some() || self.language.is_some();
        let admits = |file: &FileRecord| self.admits(file.path.as_str(), file.language);
        Part { number, index, mask: limited.then(|| index.files().iter().map(admits).collect()) }
    }
}

/// The part of one repository that a query admits.
pub(crate) struct Part<'a> {
    /// Its number in the search.
    pub(crate) number: usize,
    pub(crate) index: &'a RepositoryIndex,
    /// By file; nothing when all are admitted.
    mask: Option<Vec<bool>>,
}

impl Part<'_> {
    /// Whether the indexed file of that number is admitted.
    pub(crate) fn admits(&self, file: usize) -> bool {
        self.mask.as_ref().is_none_or(|mask| mask[file])
    }
}
