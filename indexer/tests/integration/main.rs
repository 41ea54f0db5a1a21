//! Tests of indexes as their users see them: built from real folders, opened, searched, replaced and killed.

#![expect(
    clippy::unwrap_used,
    reason = "clippy's allowance for tests covers test functions only, not what they share"
)]

mod corpus;
mod ctags;
mod durability;
mod exact;
mod fixture;
mod hostile;
mod patterns;
mod scanning;
mod searching;
mod skipping;
mod state;
mod updates;
