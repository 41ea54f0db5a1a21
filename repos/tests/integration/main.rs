//! Syncs, links and lookups against real git, real servers and hostile repositories. One binary, so that it links once.

mod catalog;
mod corpus;
mod hostile;
mod http_server;
mod interrupted;
mod origin;
mod place;
mod servers;
mod sync;
