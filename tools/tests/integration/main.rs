//! The tools over real folders, as an agent calls them.
#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "tests may panic and print")]

mod catalog;
mod listing;
mod place;
mod searching;
mod workspace;
mod writing;
