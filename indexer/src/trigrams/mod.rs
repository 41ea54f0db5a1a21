//! Which files can hold a pattern, told from three bytes at a time: the index says for each trigram in which files
//! it stands, and a plan says which trigrams every match of a pattern must hold. What is left is searched.

mod analysis;
mod bits;
mod build;
mod lists;
mod open;
mod pieces;
mod plan;
mod text;

pub(crate) use build::{size, write};
pub(crate) use open::{Selection, Standing, TrigramIndex};
pub(crate) use plan::Plan;
