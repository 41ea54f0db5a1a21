//! Everything that can go wrong around an evaluation, one variant per attempt. What an answer does wrong is never
//! an error: it is a trial with its ending.

use std::path::PathBuf;

use repos::RepositoryName;

use crate::TaskKey;
use crate::replay::PlaceError;

/// The result of an operation of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// What was attempted, on what.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file of tasks or predictions could not be read.
    #[error("could not read the {what} in {}", path.display())]
    ReadInput {
        /// What it should hold, in the plural.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file says that it is parquet and cannot be read as such.
    #[error("could not read {} as parquet", path.display())]
    ReadParquet {
        /// The file.
        path: PathBuf,
        /// Why.
        source: parquet::errors::ParquetError,
    },
    /// The file holds nothing of use.
    #[error("there are no {what} in {}{}", path.display(), first_problem.as_ref().map(|why| format!("; {why}")).unwrap_or_default())]
    NothingUsable {
        /// What was wanted, in the plural.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The first row's problem, if there is a row at all.
        first_problem: Option<String>,
    },
    /// The files of a repository could not be listed.
    #[error("could not look through the repository `{repository}`")]
    ReadRepository {
        /// The repository.
        repository: RepositoryName,
        /// Why.
        source: repos::Error,
    },
    /// A question could not be searched for.
    #[error("could not search for the question {key}")]
    Search {
        /// The question.
        key: TaskKey,
        /// Why.
        source: Box<indexer::Error>,
    },
    /// The text names no rule.
    #[error("`{text}` is not a scoring rule")]
    UnknownRule {
        /// The text as given.
        text: String,
    },
    /// The folder for a run holds something already.
    #[error("the run folder {} is not empty", folder.display())]
    RunFolderInUse {
        /// The folder.
        folder: PathBuf,
    },
    /// A file of a run could not be written.
    #[error("could not write {} of the run", path.display())]
    WriteRun {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Answers are to be executed, and no sandbox was given.
    #[error("executing answers needs a sandbox")]
    NoSandbox,
    /// The repository of a task is not at hand.
    #[error("could not find the repository with ML-Bench's number {github_id}")]
    FindRepository {
        /// The benchmark's number for it.
        github_id: i64,
        /// Why.
        source: PlaceError,
    },
    /// Nobody says in which image the answers for a repository run.
    #[error("no image is known for the repository `{repository}`")]
    NoImage {
        /// The repository.
        repository: RepositoryName,
    },
    /// The image could not be tried out before the run.
    #[error("could not start anything in the image `{image}`: {why}")]
    TryImage {
        /// The image.
        image: String,
        /// How the attempt ended.
        why: String,
    },
    /// The image lacks a program without which every answer would fail.
    #[error("the image `{image}` has no `{program}`")]
    ImageLacks {
        /// The image.
        image: String,
        /// The missing program.
        program: &'static str,
    },
    /// The caller gave up.
    #[error("the replay was cancelled after {done} of {total} trials")]
    Cancelled {
        /// Trials that are complete.
        done: usize,
        /// Trials that were planned.
        total: usize,
    },
}

impl Error {
    /// The next step, where one is known.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::ReadInput { what: "tasks", .. } => {
                "give the dataset's file: JSONL or parquet, as `super-dainiu/ml-bench` publishes it"
            }
            Self::ReadInput { .. } => {
                "give a file of JSON lines, each {\"id\": …, \"github_id\": …, \"output\": [\"…\"]}"
            }
            Self::ReadParquet { .. } => "fetch the file again, or give the same rows as JSONL",
            Self::NothingUsable { what: "tasks", .. } => {
                "a task has the columns github_id, github, repo_id, id, path, arguments, instruction, oracle, type, prefix_code and output"
            }
            Self::NothingUsable { .. } => {
                "a prediction is one line {\"id\": 12, \"github_id\": 9, \"output\": [\"…\", \"…\"]}"
            }
            // Their causes have the hints.
            Self::ReadRepository { source, .. } => return source.hint(),
            Self::Search { source, .. } => return source.hint(),
            Self::UnknownRule { .. } => "use `ml-bench-l` or `ml-bench-a`",
            Self::RunFolderInUse { .. } => "give a folder that does not exist yet; runs are never mixed",
            Self::WriteRun { .. } => "check that the run folder is writable and the disk not full",
            Self::NoSandbox => "start a container engine, or score without executing (`--no-execute`)",
            // Its cause knows whether the repository is unknown or only not fetched, and has the hint.
            Self::FindRepository { .. } => return None,
            Self::NoImage { .. } => "name one with `--image`, or score without executing (`--no-execute`)",
            Self::TryImage { .. } => "see `repolab doctor`, or name another image with `--image`",
            Self::ImageLacks { .. } => "name an image that has it with `--image`",
            Self::Cancelled { .. } => "the complete trials are in the run folder's trials.jsonl",
        };
        Some(hint.to_owned())
    }
}
