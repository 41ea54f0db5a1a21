//! A commit as git names it: the full hash and nothing else.
//! Branches, tags and short hashes move or clash, so no result may depend on one.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// A full SHA-1 commit hash in lower case.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Commit(String);

impl Commit {
    /// All 40 digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first ten digits, for people.
    pub fn short(&self) -> &str {
        &self.0[..10]
    }
}

impl FromStr for Commit {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            Ok(Self(text.to_ascii_lowercase()))
        } else {
            Err(Error::InvalidCommit { text: text.to_owned() })
        }
    }
}

impl TryFrom<String> for Commit {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<Commit> for String {
    fn from(commit: Commit) -> Self {
        commit.0
    }
}

impl fmt::Display for Commit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_full_hash_in_lower_case() {
        let commit: Commit = "8C3FC0D37439887215EA4626AC258B81D167EBFD".parse().unwrap();
        assert_eq!(commit.to_string(), "8c3fc0d37439887215ea4626ac258b81d167ebfd");
        assert_eq!(commit.short(), "8c3fc0d374");
    }

    #[test]
    fn refuses_what_moves_or_clashes() {
        for text in
            ["", "main", "HEAD", "8c3fc0d", &"g".repeat(40), &"1".repeat(64), &format!("-{}", "1".repeat(39))]
        {
            assert!(text.parse::<Commit>().is_err(), "{text:?} was accepted");
        }
    }
}
