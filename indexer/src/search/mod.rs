//! How a query becomes ranked places: its shape chooses the way, every way gives candidates of each repository,
//! and one order merges them.

mod candidates;
mod counting;
mod explain;
mod filter;
mod hit;
mod links;
mod matching;
mod merge;
mod named;
mod path_glob;
mod paths;
mod pattern;
mod present;
mod proximity;
mod query;
mod ranking;
mod route;
mod scan;
mod scoring;
mod snippet;
mod symbols;
mod text;
pub(crate) mod wording;

pub use explain::{Contribution, Explanation};
pub use hit::{Hit, SearchResults};
pub use matching::{Case, Matching};
pub use merge::{count_lines, search_all, search_all_with};
pub use path_glob::PathGlob;
pub(crate) use present::PresentFiles;
pub use query::{Mode, Query};
pub use ranking::{FieldRanking, Ranking};
pub use scan::FileCount;
pub use snippet::{SnippetSize, snippets};

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use {
    query::{asks_for_explanation, query_terms},
    route::route,
};
