//! The name by which a person and an agent call a repository.
//! It doubles as a folder name, so its alphabet rules out everything a file system could read differently.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// A repository's name: 1 to 64 of `a-z 0-9 - _ .`, starting with a letter or digit.
///
/// Upper-case input is accepted and lowered, since people write `DGL` and `PyTorch-GAN`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RepositoryName(String);

impl RepositoryName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for RepositoryName {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let lowered = text.to_ascii_lowercase();
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        let starts_well = lowered.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
        if starts_well && lowered.len() <= 64 && lowered.bytes().all(allowed) {
            Ok(Self(lowered))
        } else {
            Err(Error::InvalidName { text: text.to_owned() })
        }
    }
}

impl TryFrom<String> for RepositoryName {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<RepositoryName> for String {
    fn from(name: RepositoryName) -> Self {
        name.0
    }
}

impl fmt::Display for RepositoryName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_the_names_people_write() {
        for (text, name) in [("dgl", "dgl"), ("PyTorch-GAN", "pytorch-gan"), ("open_clip", "open_clip")] {
            assert_eq!(text.parse::<RepositoryName>().unwrap().as_str(), name);
        }
    }

    #[test]
    fn refuses_names_that_are_no_plain_folder_names() {
        for text in ["", ".", "..", ".git", "-x", "a/b", "a\\b", "a\0", "ä", &"a".repeat(65)] {
            assert!(text.parse::<RepositoryName>().is_err(), "{text:?} was accepted");
        }
    }
}
