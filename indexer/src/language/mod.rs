//! The languages that are told apart, by registration: each file here names its languages, how their files are
//! recognized and how a file is read. To add one, write a file, its query, and a line in `REGISTRATIONS`.

mod c_family;
mod detection;
mod markdown;
mod notebook;
mod plain;
mod python;
mod restructured_text;
mod sections;
mod shell;

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use crate::analysis::Analysis;
use crate::source::Source;
use crate::syntax::Grammar;
use crate::{Error, Result};

pub(crate) use notebook::code as notebook_code;

/// A language in which files are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Language {
    Python,
    Shell,
    C,
    Cpp,
    Cuda,
    Markdown,
    RestructuredText,
    Notebook,
    Yaml,
    Json,
    Toml,
    JavaScript,
    Html,
    Xml,
    Css,
    Cmake,
    Make,
    Dockerfile,
    Tex,
    Text,
}

/// How the files of a language are recognized and read.
struct Registration {
    language: Language,
    /// The name to show, then other names to accept; all in lower case.
    names: &'static [&'static str],
    /// File extensions in lower case, without the dot.
    extensions: &'static [&'static str],
    /// Whole file names in lower case.
    file_names: &'static [&'static str],
    /// Interpreters of a `#!` line.
    interpreters: &'static [&'static str],
    analyze: fn(&Source) -> Analysis,
}

const REGISTRATIONS: &[&[Registration]] = &[
    python::REGISTRATIONS,
    shell::REGISTRATIONS,
    c_family::REGISTRATIONS,
    markdown::REGISTRATIONS,
    restructured_text::REGISTRATIONS,
    notebook::REGISTRATIONS,
    plain::REGISTRATIONS,
];

fn registrations() -> impl Iterator<Item = &'static Registration> {
    REGISTRATIONS.iter().copied().flatten()
}

/// The grammar of a language whose identifiers can be told from its strings and comments.
pub(crate) fn grammar(language: Language) -> Option<&'static Grammar> {
    match language {
        Language::Python => python::grammar(),
        Language::Shell => shell::grammar(),
        Language::C | Language::Cpp | Language::Cuda => c_family::grammar(language),
        _ => None,
    }
}

impl Language {
    /// The name, in lower case.
    pub fn name(self) -> &'static str {
        self.registration().map_or("text", |registration| registration.names[0])
    }

    /// The names of all languages.
    pub fn names() -> impl Iterator<Item = &'static str> {
        registrations().map(|registration| registration.names[0])
    }

    /// Whether people read it rather than run it.
    pub(crate) fn is_documentation(self) -> bool {
        matches!(
            self,
            Self::Markdown | Self::RestructuredText | Self::Notebook | Self::Text | Self::Html | Self::Tex
        )
    }

    /// Whether it is code whose syntax trees show identifiers.
    pub(crate) fn has_identifiers(self) -> bool {
        self == Self::Notebook || grammar(self).is_some()
    }

    /// Finds what a file of this language holds.
    pub(crate) fn analyze(self, source: &Source) -> Analysis {
        self.registration().map_or_else(Analysis::default, |registration| (registration.analyze)(source))
    }

    fn registration(self) -> Option<&'static Registration> {
        registrations().find(|registration| registration.language == self)
    }
}

impl fmt::Display for Language {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Language {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let lowered = text.trim().to_ascii_lowercase();
        registrations()
            .find(|registration| registration.names.contains(&lowered.as_str()))
            .map(|registration| registration.language)
            .ok_or_else(|| Error::UnknownLanguage { name: text.to_owned() })
    }
}

impl Serialize for Language {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_is_registered_once_and_found_by_its_names() {
        let mut seen = Vec::new();
        for registration in registrations() {
            assert!(!seen.contains(&registration.language), "{} twice", registration.language);
            seen.push(registration.language);
            for name in registration.names {
                assert_eq!(name.to_uppercase().parse::<Language>().unwrap(), registration.language);
            }
        }
        assert_eq!(seen.len(), 20);
    }
}
