//! Which files a query admits, by path and language, and the part of each repository that is left.

use globset::{GlobBuilder, GlobMatcher};

use super::Query;
use crate::index::FileRecord;
use crate::{Error, Language, RepositoryIndex, Result};

/// The limits of a query, ready to be applied.
pub(crate) struct Filter {
    glob: Option<GlobMatcher>,
    language: Option<Language>,
}

impl Filter {
    /// Reads the limits of a query.
    pub(crate) fn of(query: &Query) -> Result<Self> {
        let glob = query.path_glob.as_deref().filter(|glob| !glob.is_empty()).map(matcher).transpose()?;
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

fn matcher(glob: &str) -> Result<GlobMatcher> {
    let trimmed = glob.trim_start_matches("./").trim_start_matches('/');
    // As in ignore files: a pattern without a folder means every folder, a folder means what is in it.
    let anchored = if trimmed.trim_end_matches('/').contains('/') {
        trimmed.to_owned()
    } else {
        format!("**/{trimmed}")
    };
    let whole = if anchored.ends_with('/') { anchored + "**" } else { anchored };
    GlobBuilder::new(&whole)
        .literal_separator(true)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|error| Error::InvalidGlob { glob: glob.to_owned(), problem: error.kind().to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_globs_as_ignore_files_do() {
        for (glob, path, admitted) in [
            ("*.py", "a/b/c.py", true),
            ("*.py", "a/b/c.pyc", false),
            ("examples/**/*.py", "examples/a/b.py", true),
            ("examples/**/*.py", "examples/b.py", true),
            ("examples/*.py", "examples/a/b.py", false),
            ("docs/", "a/docs/b.md", true),
            ("./docs/a/", "docs/a/b.md", true),
            ("{a,b}.md", "x/b.md", true),
        ] {
            assert_eq!(matcher(glob).unwrap().is_match(path), admitted, "{glob} on {path}");
        }
        let error = matcher("a[").unwrap_err().to_string();
        assert!(error.starts_with("`a[` is not a path pattern: "), "{error}");
    }
}
