//! A pattern for paths, read as in ignore files: what people write for the file name alone holds in every folder.

use globset::{GlobBuilder, GlobMatcher};

use crate::{Error, Result};

/// A pattern for paths; one without `/` matches file names in every folder.
#[derive(Clone, Debug)]
pub struct PathGlob(GlobMatcher);

impl PathGlob {
    /// Reads a pattern such as `*.py`, `examples/**/*.md` or `docs/`.
    pub fn parse(glob: &str) -> Result<Self> {
        let trimmed = glob.trim_start_matches("./").trim_start_matches('/');
        // A pattern without a folder means every folder, a folder means what is in it.
        let anchored = if trimmed.trim_end_matches('/').contains('/') {
            trimmed.to_owned()
        } else {
            format!("**/{trimmed}")
        };
        let whole = if anchored.ends_with('/') { anchored + "**" } else { anchored };
        GlobBuilder::new(&whole)
            .literal_separator(true)
            .build()
            .map(|glob| Self(glob.compile_matcher()))
            .map_err(|error| Error::InvalidGlob { glob: glob.to_owned(), problem: error.kind().to_string() })
    }

    /// Whether the path or a folder on its way matches.
    pub fn is_match(&self, path: &str) -> bool {
        let folders = path.match_indices('/').map(|(end, _)| &path[..end]);
        self.0.is_match(path) || folders.into_iter().any(|folder| self.0.is_match(folder))
    }
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
            ("docs", "a/docs/x/b.md", true),
            ("a/docs", "a/docs/b.md", true),
            ("docs", "a/docs.md", false),
        ] {
            assert_eq!(PathGlob::parse(glob).unwrap().is_match(path), admitted, "{glob} on {path}");
        }
        let error = PathGlob::parse("a[").unwrap_err().to_string();
        assert!(error.starts_with("`a[` is not a path pattern: "), "{error}");
    }
}
