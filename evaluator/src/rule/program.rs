//! What a rule runs: files to put into the repository and one command.

use std::borrow::Cow;

use repos::RepositoryPath;
use shlex::Quoter;

/// Files to put into a repository, and the command that is run on them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    /// The folder in which the command starts.
    pub(crate) folder: RepositoryPath,
    /// The folder into which the files are put.
    pub(crate) files_folder: RepositoryPath,
    /// Name and content of each.
    pub(crate) files: Vec<(&'static str, String)>,
    /// The command.
    pub(crate) argv: Vec<String>,
    /// The shell commands in it, to be kept with the trial.
    pub(crate) script: String,
}

/// The conda environment that the benchmark uses for a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Conda<'a> {
    pub(crate) environment: &'a str,
    pub(crate) installed: bool,
}

/// A word as a shell reads it back; the dataset and the registry never hold the NUL that has no quoted form.
pub(super) fn quoted(word: &str) -> String {
    Quoter::new().quote(word).map_or_else(|_| word.replace('\0', ""), Cow::into_owned)
}

pub(super) fn owned<const N: usize>(argv: [&str; N]) -> Vec<String> {
    argv.map(str::to_owned).to_vec()
}
