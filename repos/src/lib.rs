//! WHAT is served: the repositories of the registry, the folders that hold them, and the only way to open
//! a file inside one. Nothing here knows what the text means; that is `indexer`'s work.
//! Text and names that come out of a repository are untrusted input throughout.

// What is known.
mod commit;
mod entry;
mod lookup;
mod name;
mod registry;

// What is here.
mod catalog;
mod checkout;
mod held_commit;
mod ledger;
mod listing;
mod path;
mod root;
mod status;
mod writable_root;

// How it comes here.
mod bring;
mod explain;
mod git;
mod partial;
mod source;
mod sync;

// What can go wrong, and what to do then.
mod error;
mod hint;

pub use catalog::{Catalog, LinkReport};
pub use checkout::{Checkout, Origin};
pub use commit::Commit;
pub use entry::{Entry, Environment, Pin};
pub use error::{Error, Result};
pub use git::{Git, LastWords};
pub use listing::{FolderListing, ListBounds, Listed, ListedKind};
pub use name::RepositoryName;
pub use path::RepositoryPath;
pub use registry::Registry;
pub use root::{FileText, Root};
pub use status::{State, Status};
pub use sync::{SyncOptions, SyncProgress, SyncStep, Synced};
pub use writable_root::{FileOwner, WritableRoot};
