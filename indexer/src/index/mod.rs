//! The index of one repository on disk: how it is laid out, built, brought up to date, and opened.

mod analyzed;
mod build;
mod documents;
mod draft;
mod examine;
mod generations;
mod inventory;
mod layer;
mod manifest;
mod names;
mod new_layer;
mod numbering;
mod open;
mod pack;
mod previous;
mod records;
mod schema;
mod segment;
mod store;
mod terms;
mod update;

pub(crate) use layer::NameField;
pub use open::RepositoryIndex;
pub(crate) use records::{ChunkLinks, FileRecord};
pub(crate) use schema::{CHUNK_FIELDS, FILE_FIELDS};
pub(crate) use segment::{Place, Segment};
pub use store::{IndexState, IndexStore};
pub(crate) use terms::TermReader;

/// The format of the index; it grows with every change to what is stored or how text becomes terms, and an
/// index of another format is built anew.
pub const FORMAT_VERSION: u32 = 3;
