//! The repositories that are known without being added: `registry.toml`, compiled in, so that a binary knows them
//! wherever it runs.

use serde::Deserialize;

use crate::{Entry, Error, Result};

/// A list of known repositories.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registry {
    /// In the order of the file.
    #[serde(rename = "repository")]
    pub entries: Vec<Entry>,
}

impl Registry {
    /// The registry that this binary brings along.
    pub fn built_in() -> Result<Self> {
        Self::parse(include_str!("../registry.toml"))
    }

    /// Reads the text of a registry file; an unknown field is an error.
    pub fn parse(text: &str) -> Result<Self> {
        toml::from_str(text).map_err(|source| Error::InvalidRegistry { source: Box::new(source) })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::Pin;
    use crate::lookup;

    /// Each name, its commit, and whether ML-Bench pins it (a submodule of the benchmark's repository).
    const PINS: &str = "\
        dgl 8c3fc0d37439887215ea4626ac258b81d167ebfd benchmark
        bert eedf5716ce1268e56f0a50264a88cafad334ac61 benchmark
        lavis 7f00a0891b2890843f61c002a8e9532a40343648 benchmark
        if ffc8163891682beaca0c5eb6b9077860a3bc6509 benchmark
        vid2vid 2e6d13755fc2e33200e7d4c0c44f2692d6ab0898 benchmark
        esm 2b369911bb5b4b0dda914521b9475cad1656b2ac benchmark
        open_clip 91923dfc376afb9d44577a0c9bd0930389349438 benchmark
        time-series-library 51e80b6f76b7823fea2512d6d170b1b83b149d2d benchmark
        external-attention-pytorch 90e774ed4a2a734fe91dde6a4a737de0f0c54122 benchmark
        pytorch-gan 36d3c77e5ff20ebe0aeefd322326a134a279b93e benchmark
        pytorch-image-models c82598fc5eb8dd696bf55db112b7c3fda24f69b8 benchmark
        learning3d becc4a0017488390d3f04e4bc2ce9efb368115c5 benchmark
        muzic 9d52ff30b209a19fe51606242797c51a1bf7d7c1 benchmark
        grounded-segment-anything d1c510118c0fdffb87bab3cd3dfe3e6b02a36f8b benchmark
        stable-diffusion cf1d67a6fd5ea1aa600c4df58e5b47da45f6bdbf inferred
        tensor2tensor bafdc1b67730430d38d6ab802cbd51f9d053ba2e inferred
        dagnn b065cd5e17ca37d56ae1d8f1ad3f25c03cfabe91 inferred
        medical-zoo 8f40dab689841d7ff0e36aa5e583a1a1509fac3d inferred";

    fn entries() -> Vec<Entry> {
        Registry::built_in().unwrap().entries
    }

    #[test]
    fn names_the_eighteen_repositories_at_their_pins() {
        let found: Vec<String> = entries()
            .iter()
            .map(|entry| {
                let pin = if entry.pin == Pin::Benchmark { "benchmark" } else { "inferred" };
                format!("{} {} {pin}", entry.name, entry.commit.as_ref().unwrap())
            })
            .collect();
        let wanted: Vec<&str> = PINS.lines().map(str::trim).collect();
        assert_eq!(found, wanted);
        assert!(entries().iter().all(|entry| entry.pin != Pin::Added));
    }

    #[test]
    fn numbers_them_as_the_benchmark_does() {
        let numbers: Vec<i64> = entries().iter().filter_map(|entry| entry.github_id).collect();
        assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15]);
        for entry in entries() {
            assert_eq!(entry.github_id.is_some(), entry.pin == Pin::Benchmark, "{}", entry.name);
        }
    }

    #[test]
    fn says_everything_of_every_repository() {
        for entry in entries() {
            let url = url::Url::parse(entry.url.as_ref().unwrap()).unwrap();
            assert_eq!((url.scheme(), url.host_str()), ("https", Some("github.com")), "{}", entry.name);
            assert_eq!(url.path_segments().unwrap().count(), 2, "{url}");
            for text in [&entry.licence, &entry.domain, &entry.description, &entry.environment.image] {
                assert!(text.as_ref().is_some_and(|text| !text.trim().is_empty()), "{}", entry.name);
            }
            assert!(entry.description.as_ref().unwrap().ends_with('.'), "{}", entry.name);
            assert!(!entry.languages.is_empty(), "{}", entry.name);
        }
    }

    #[test]
    fn no_spelling_means_two_repositories() {
        let mut owners: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for entry in entries() {
            for spelling in lookup::spellings(&entry) {
                owners.entry(spelling).or_default().insert(entry.name.to_string());
            }
        }
        owners.retain(|_, names| names.len() > 1);
        assert!(owners.is_empty(), "{owners:?}");
    }

    #[test]
    fn refuses_a_field_that_is_not_known() {
        let text = "[[repository]]\nname = \"a\"\npin = \"benchmark\"\nlicense = \"MIT\"\n";
        let error = Registry::parse(text).unwrap_err();
        assert!(std::error::Error::source(&error).unwrap().to_string().contains("license"));
    }
}
