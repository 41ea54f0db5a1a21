//! The index of one repository on disk: how it is laid out, built, replaced as a whole, and opened.

mod build;
mod documents;
mod generations;
mod manifest;
mod names;
mod open;
mod records;
mod schema;
mod store;

pub(crate) use names::documents;
pub use open::RepositoryIndex;
pub(crate) use open::{Place, RankedTerms, Segment};
pub(crate) use records::{ChunkLinks, FileRecord};
pub(crate) use schema::{CHUNK_FIELDS, FILE_FIELDS};
pub use store::{IndexState, IndexStore};

/// The format of the index; it grows with every change to what is stored or how text becomes terms, and an
/// index of another format is built anew.
pub const FORMAT_VERSION: u32 = 3;
