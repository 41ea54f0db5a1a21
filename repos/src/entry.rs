//! What is known of one repository, whether or not it is on this machine.
//! The fields are those of `registry.toml`, which a test holds to the pins of the benchmark.

use serde::{Deserialize, Serialize};

use crate::{Commit, RepositoryName};

/// A known repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The name under which it is served.
    pub name: RepositoryName,
    /// Where git fetches it; none for a folder that was added.
    pub url: Option<String>,
    /// The commit at which it is served; none until an added URL is first synced, or for a folder.
    pub commit: Option<Commit>,
    /// Who chose the commit.
    pub pin: Pin,
    /// SPDX identifier of its licence, or `NOASSERTION` where none fits.
    pub licence: Option<String>,
    /// The field of machine learning, such as `graph` or `time series`.
    pub domain: Option<String>,
    /// One sentence.
    pub description: Option<String>,
    /// Its main languages as `search` calls them, the largest first.
    #[serde(default)]
    pub languages: Vec<String>,
    /// ML-Bench's number for it.
    pub github_id: Option<i64>,
    /// What its code needs to run.
    #[serde(default)]
    pub environment: Environment,
    /// Other names by which people know it, beside what its URL says.
    #[serde(default)]
    pub aliases: Vec<String>,
}

/// Who chose an entry's commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pin {
    /// ML-Bench pins it.
    Benchmark,
    /// ML-Bench uses the project without pinning it; URL and commit are the likeliest ones.
    Inferred,
    /// The user added it; an URL is pinned at what its first sync finds.
    Added,
}

/// A hint of what a repository's code needs to run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Environment {
    /// The container image.
    pub image: Option<String>,
    /// The conda environment inside that image.
    pub conda: Option<String>,
}

impl Entry {
    /// An entry of which only the name and the source are known.
    pub(crate) fn added(name: RepositoryName, url: Option<String>, commit: Option<Commit>) -> Self {
        Self {
            name,
            url,
            commit,
            pin: Pin::Added,
            licence: None,
            domain: None,
            description: None,
            languages: Vec::new(),
            github_id: None,
            environment: Environment::default(),
            aliases: Vec::new(),
        }
    }
}
