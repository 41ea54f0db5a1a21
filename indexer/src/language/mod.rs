//! The languages that are told apart, by registration: each file here names its languages, how their files are
//! recognized and how a file is read. A new one is a grammar in `Cargo.toml`, a query in `queries/`, a registration
//! like those of `shell.rs` with its test, and its name in [`Language`]. Uses of its names are told from
//! definitions by the node names in `references/place.rs`.

mod c_family;
mod detection;
mod javascript;
mod markdown;
mod notebook;
mod plain;
mod python;
mod reader;
mod restructured_text;
mod sections;
mod settings;
mod shell;
#[cfg(test)]
mod testing;

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use crate::analysis::Analysis;
use crate::source::Source;
use crate::syntax::Grammar;
use crate::{Error, Result};

pub(crate) use notebook::code as notebook_code;
use reader::Reader;

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
    Ini,
    JavaScript,
    TypeScript,
    Tsx,
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
    reader: Reader,
}

static REGISTRATIONS: [&[Registration]; 9] = [
    &python::REGISTRATIONS,
    &shell::REGISTRATIONS,
    &c_family::REGISTRATIONS,
    &javascript::REGISTRATIONS,
    &markdown::REGISTRATIONS,
    &restructured_text::REGISTRATIONS,
    &notebook::REGISTRATIONS,
    &settings::REGISTRATIONS,
    &plain::REGISTRATIONS,
];

fn registrations() -> impl Iterator<Item = &'static Registration> {
    REGISTRATIONS.into_iter().flatten()
}

/// The grammar of a language whose identifiers can be told from its strings and comments.
pub(crate) fn grammar(language: Language) -> Option<&'static Grammar> {
    language.registration()?.reader.grammar()?.get().ok()
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
        self == Self::Notebook
            || self.registration().is_some_and(|registration| registration.reader.grammar().is_some())
    }

    /// Finds what a file of this language holds.
    pub(crate) fn analyze(self, source: &Source) -> Analysis {
        self.registration().map_or_else(Analysis::default, |registration| registration.reader.analyze(source))
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
        assert_eq!(seen.len(), 23);
    }

    #[test]
    fn every_query_fits_its_grammar() {
        for registration in registrations() {
            let grammar = match &registration.reader {
                Reader::Code(grammar) | Reader::Keys(grammar, _) => grammar,
                Reader::Own(_, Some(grammar)) => grammar,
                Reader::Own(_, None) => continue,
            };
            assert_eq!(grammar.complaint(), None, "{}", registration.language);
        }
    }
}
