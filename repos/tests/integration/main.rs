//! Syncs, links and lookups against real git, real servers and hostile repositories. One binary, so that it links once.

#![expect(
    clippy::unwrap_used,
    reason = "clippy's allowance for tests covers test functions only, not what they share"
)]

mod catalog;
mod corpus;
mod hostile;
mod http_server;
mod interrupted;
mod origin;
mod place;
mod servers;
mod sync;
