//! The sample: a repository, two tasks and five answers to each, written for this project and compiled in.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use include_dir::{Dir, include_dir};

/// The name under which the sample repository is served.
pub(super) const NAME: &str = "tiny-trainer";

/// What each of the five answers to a task does, in their order in `predictions.jsonl`.
pub(super) const ANSWERS: [&str; 5] =
    ["right", "right, in other words", "wrong", "does nothing", "never ends"];

static FILES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/demo");

/// The sample on disk.
#[derive(Debug)]
pub(super) struct Sample {
    pub(super) repository: PathBuf,
    pub(super) tasks: PathBuf,
    pub(super) predictions: PathBuf,
}

/// Writes the sample below `folder`.
pub(super) fn lay_out(folder: &Path) -> Result<Sample> {
    let folder = folder.join("sample");
    fs_err::create_dir_all(&folder)?;
    FILES.extract(&folder).context("could not write the sample repository")?;
    Ok(Sample {
        repository: folder.join("repository"),
        tasks: folder.join("tasks.jsonl"),
        predictions: folder.join("predictions.jsonl"),
    })
}
