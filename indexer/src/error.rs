//! Everything that can go wrong with an index, one variant per attempt.
//! The cause stands in `source`, never in the text; `hint` names the next step where there is one.

use std::path::PathBuf;

use repos::RepositoryName;

/// The result of an operation of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What was attempted, on what.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder of the repository itself.
    #[error(transparent)]
    Repository(#[from] repos::Error),
    /// No build has ended yet.
    #[error("`{repository}` is not indexed")]
    NotBuilt {
        /// The repository.
        repository: RepositoryName,
    },
    /// The index was written by another version of this program.
    #[error("the index of `{repository}` has format {found}, this program reads format {wanted}")]
    FormatChanged {
        /// The repository.
        repository: RepositoryName,
        /// The format on disk.
        found: u32,
        /// The format that can be read.
        wanted: u32,
    },
    /// The index could not be opened, although it was built.
    #[error("could not open the index of `{repository}` in {}", folder.display())]
    Open {
        /// The repository.
        repository: RepositoryName,
        /// The folder of the index.
        folder: PathBuf,
        /// Why.
        source: Cause,
    },
    /// The index could not be written.
    #[error("could not write the index of `{repository}` in {}", folder.display())]
    Build {
        /// The repository.
        repository: RepositoryName,
        /// The folder of the index.
        folder: PathBuf,
        /// Why.
        source: Cause,
    },
    /// The files of the repository could not be listed.
    #[error("could not list the files of {}", folder.display())]
    List {
        /// The folder.
        folder: PathBuf,
        /// Why.
        source: ignore::Error,
    },
    /// The index could not be read during a search.
    #[error("could not read the index of `{repository}` for a search")]
    Search {
        /// The repository.
        repository: RepositoryName,
        /// Why.
        source: Cause,
    },
    /// The pattern is no regular expression.
    #[error("`{pattern}` is not a regular expression: {problem} at character {position}")]
    InvalidRegex {
        /// The pattern as given.
        pattern: String,
        /// What is wrong.
        problem: String,
        /// Which character, counted from 1.
        position: usize,
    },
    /// The pattern is a regular expression that is not searched.
    #[error("the pattern `{pattern}` cannot be searched: {problem}")]
    UnsupportedPattern {
        /// The pattern as given.
        pattern: String,
        /// Which rule it breaks.
        problem: String,
    },
    /// The glob cannot be understood.
    #[error("`{glob}` is not a path pattern: {problem}")]
    InvalidGlob {
        /// The glob as given.
        glob: String,
        /// What is wrong.
        problem: String,
    },
    /// No language has that name.
    #[error("`{name}` is not a language that is told apart")]
    UnknownLanguage {
        /// The name as given.
        name: String,
    },
}

/// A failure of the search engine or of the file system.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Cause {
    /// The search engine.
    #[error(transparent)]
    Engine(#[from] tantivy::TantivyError),
    /// The file system.
    #[error(transparent)]
    File(#[from] std::io::Error),
    /// A record of the index that is damaged.
    #[error(transparent)]
    Record(#[from] serde_json::Error),
    /// A part of the index that is damaged.
    #[error(transparent)]
    Part(#[from] postcard::Error),
    /// A compressed part of the index that is damaged.
    #[error(transparent)]
    Compressed(#[from] lz4_flex::block::DecompressError),
}

impl Error {
    /// The next step, where one is known.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Repository(_) | Self::List { .. } => None,
            Self::NotBuilt { repository }
            | Self::FormatChanged { repository, .. }
            | Self::Open { repository, .. }
            | Self::Search { repository, .. } => {
                Some(format!("build the index anew with `repolab index --force {repository}`"))
            }
            Self::Build { .. } => {
                Some("check that the folder can be written and that the disk has room; an older index, if there is one, still answers".to_owned())
            }
            Self::InvalidRegex { .. } => {
                Some("escape special characters with a backslash, or use mode `literal`".to_owned())
            }
            Self::UnsupportedPattern { .. } => {
                Some("shorten the pattern, or repeat less of it; what it becomes must fit into 10 MB".to_owned())
            }
            Self::InvalidGlob { .. } => Some("write it like `examples/**/*.py` or `*.md`".to_owned()),
            Self::UnknownLanguage { .. } => {
                Some(format!("use one of {}", crate::Language::names().collect::<Vec<_>>().join(", ")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_the_languages_when_one_is_unknown() {
        let error = "klingon".parse::<crate::Language>().unwrap_err();
        assert_eq!(error.to_string(), "`klingon` is not a language that is told apart");
        assert!(error.hint().unwrap().contains("python"));
    }
}
