//! How well a ranking finds what answers questions: ranks of right answers, figures over groups of repositories, and
//! the text in which a change of ranking shows.

mod figures;
mod measure;
mod ranks;
mod report;

pub use figures::RankFigures;
pub use measure::{Found, Scope, search_questions};
pub use ranks::Ranks;
pub use report::{Group, RankingReport, halves, single_repositories};
