//! The benchmark's checks on an answer's text, flaws included: they need no execution and decide who is executed.

mod arguments;
mod gold;
mod kind;

pub use arguments::missing_arguments;
pub use gold::{GoldFailure, GoldReport, check_gold};
pub use kind::{is_script, kind_fits};

use serde::{Deserialize, Serialize};

use crate::Task;

/// What the static checks say of one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StaticChecks {
    /// Every argument's value occurs in the answer.
    pub arguments_ok: bool,
    /// The answer is of the kind that the task asks for.
    pub kind_ok: bool,
}

impl StaticChecks {
    /// Checks an answer to a task.
    pub fn of(task: &Task, output: &str) -> Self {
        Self {
            arguments_ok: missing_arguments(&task.arguments, output).is_empty(),
            kind_ok: kind_fits(task.kind, output),
        }
    }

    /// Whether both checks pass.
    pub fn both_ok(self) -> bool {
        self.arguments_ok && self.kind_ok
    }
}
