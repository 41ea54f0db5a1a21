//! The tools over real folders, as an agent calls them.

mod catalog;
mod listing;
mod place;
mod workspace;
mod writing;
