//! Whether what is on this machine is what the registry says.

use serde::Serialize;

use crate::{Checkout, Commit, Entry, Error, Origin, Result};

/// A known repository and what this machine has of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Status {
    /// What is known of it.
    pub entry: Entry,
    /// What is here.
    #[serde(flatten)]
    pub state: State,
}

/// What this machine has of a repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum State {
    /// Nothing.
    NotCheckedOut,
    /// It can be served: at the pinned commit, or at an unknown one where nothing is pinned or told.
    Ready {
        /// Its files.
        checkout: Checkout,
    },
    /// It is served, at another commit than the pinned one.
    WrongCommit {
        /// The commit that is here.
        found: Commit,
        /// The pinned commit.
        wanted: Commit,
    },
    /// There should be files, and they cannot be served.
    Broken {
        /// What is the matter.
        why: String,
    },
}

impl State {
    /// Judges what was found for `entry`.
    pub(crate) fn of(entry: &Entry, found: Result<Checkout>) -> Self {
        let checkout = match found {
            Ok(checkout) => checkout,
            Err(Error::NotCheckedOut { .. }) => return Self::NotCheckedOut,
            Err(error) => return Self::Broken { why: error.to_string() },
        };
        if let Err(error) = checkout.root() {
            return Self::Broken { why: error.to_string() };
        }
        match (&checkout.commit, &entry.commit) {
            (Some(found), Some(wanted)) if found != wanted => {
                Self::WrongCommit { found: found.clone(), wanted: wanted.clone() }
            }
            (None, _) if checkout.origin == Origin::Synced => Self::Broken {
                why: format!("the git data in {} does not tell a commit", checkout.folder.display()),
            },
            _ => Self::Ready { checkout },
        }
    }
}
