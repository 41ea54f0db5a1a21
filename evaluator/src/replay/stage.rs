//! Where a replay runs and who watches it: all that it does not decide itself.

use repos::{Checkout, RepositoryName};
use sandbox::Sandbox;
use tokio_util::sync::CancellationToken;

use crate::Trial;

/// Where the answers for a repository run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The repository's name; jobs see it as `/workspace/<name>`.
    pub repository: RepositoryName,
    /// The folder that every trial gets a copy of.
    pub checkout: Checkout,
    /// The image that suits the repository, if one is known.
    pub image: Option<String>,
    /// The conda environment that the benchmark's own image has for the repository, if one is known.
    pub conda_environment: Option<String>,
}

/// Why a repository is not at hand.
pub type PlaceError = Box<dyn std::error::Error + Send + Sync>;

/// Finds the repository of a task. Any function from the benchmark's number to a [`Place`] will do.
pub trait Places: Sync {
    /// The place for the repository with the benchmark's number `github_id`.
    fn place(&self, github_id: i64) -> Result<Place, PlaceError>;
}

impl<F> Places for F
where
    F: Fn(i64) -> Result<Place, PlaceError> + Sync,
{
    fn place(&self, github_id: i64) -> Result<Place, PlaceError> {
        self(github_id)
    }
}

/// Is told of each trial that was executed.
pub trait ReplayProgress: Sync {
    /// `done` of `total` trials are over; `trial` was the last.
    fn trial(&self, done: usize, total: usize, trial: &Trial);
}

/// Nobody watches.
impl ReplayProgress for () {
    fn trial(&self, _: usize, _: usize, _: &Trial) {}
}

/// Where a replay runs and who watches it.
#[derive(Clone)]
pub struct Stage<'a> {
    /// Where answers are executed; not needed if none are.
    pub sandbox: Option<&'a Sandbox>,
    /// Finds the repositories.
    pub places: &'a dyn Places,
    /// Is told of each executed trial.
    pub progress: &'a dyn ReplayProgress,
    /// Ends the replay early.
    pub cancel: CancellationToken,
}

impl Stage<'static> {
    /// For a replay that executes nothing.
    pub fn without_sandbox() -> Self {
        Self { sandbox: None, places: &NoPlaces, progress: &(), cancel: CancellationToken::new() }
    }
}

impl std::fmt::Debug for Stage<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Stage").field("sandbox", &self.sandbox).finish_non_exhaustive()
    }
}

struct NoPlaces;

impl Places for NoPlaces {
    fn place(&self, _: i64) -> Result<Place, PlaceError> {
        Err("no repositories were given".into())
    }
}
