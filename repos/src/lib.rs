//! WHAT is served: the repositories of the registry, the folders that hold them, and the only way to open
//! a file inside one. Nothing here knows what the text means; that is `indexer`'s work.
//! Text and names that come out of a repository are untrusted input throughout.

mod checkout;
mod commit;
mod error;
mod name;
mod path;
mod root;

pub use checkout::{Checkout, Origin};
pub use commit::Commit;
pub use error::{Error, Result};
pub use name::RepositoryName;
pub use path::RepositoryPath;
pub use root::{FileText, Root};
