//! HOW WELL agents do: the benchmark's tasks, recorded answers to them, trials in a sandbox, verdicts by the
//! published rules, and the figures that follow. A task suite is data; a rule is data and pure functions.
//! What an answer did and what a rule makes of it always stand side by side.

mod arguments;
mod attempt;
mod checks;
mod error;
mod json_lines;
mod prediction;
mod python_text;
mod replay;
mod retrieval;
mod rule;
mod task;
mod task_set;
mod trial;
mod truth;

pub use arguments::Arguments;
pub use checks::{
    GoldFailure, GoldReport, StaticChecks, check_gold, is_script, kind_fits, missing_arguments,
};
pub use error::{Error, Result};
pub use json_lines::Problem;
pub use prediction::{Prediction, Predictions};
pub use replay::{
    Executed, Execution, FirstK, FiveOnly, OutputCount, Place, PlaceError, Places, ReplayOptions,
    ReplayProgress, ReplayReport, RepositoryRow, RuleFigures, Stage, replay,
};
pub use retrieval::{
    Found, Group, RankFigures, RankingReport, Ranks, Scope, halves, search_questions, single_repositories,
};
pub use rule::{Form, Rule, Verdict};
pub use task::{Kind, Task, TaskKey};
pub use task_set::TaskSet;
pub use trial::{Trial, TrialExecution, TrialOutcome, Verdicts};
pub use truth::{Answers, Because, Grade, JudgedFile, JudgedSection, Question, Split, Truth, splits};
