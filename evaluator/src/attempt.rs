//! One output of a prediction beside the task it answers: what rules look at.

use crate::{StaticChecks, Task};

/// One output of a prediction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attempt<'a> {
    pub(crate) task: &'a Task,
    /// From 1.
    pub(crate) number: usize,
    pub(crate) output: &'a str,
    pub(crate) checks: StaticChecks,
}

impl<'a> Attempt<'a> {
    pub(crate) fn new(task: &'a Task, number: usize, output: &'a str) -> Self {
        Self { task, number, output, checks: StaticChecks::of(task, output) }
    }
}
