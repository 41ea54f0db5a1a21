//! What a right answer to a question is, as plain data: judged files and sections, each with the reason. The same
//! data serve the derived truth, hand-written queries, and judgements for other tools.

use repos::{RepositoryName, RepositoryPath};
use serde::Serialize;

use crate::TaskKey;

/// A question with everything that answers it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Question {
    /// The task it comes from.
    pub key: TaskKey,
    /// The repository that is asked about.
    pub repository: RepositoryName,
    /// What the user wants, in plain words.
    pub text: String,
    /// What answers it.
    pub answers: Answers,
    /// Why no code file answers it, where none does.
    pub without_code: Option<String>,
    /// Why no section of a document answers it, where none does.
    pub without_section: Option<String>,
}

/// The places in a repository that answer a question.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Answers {
    /// Files, by path.
    pub files: Vec<JudgedFile>,
    /// Sections of documents, by path and line.
    pub sections: Vec<JudgedSection>,
}

/// A file that answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JudgedFile {
    /// The file.
    pub path: RepositoryPath,
    /// Why it answers.
    pub because: Because,
    /// How well it answers.
    pub grade: Grade,
    /// The judged file whose bytes it repeats, if it answers only as a copy.
    pub copy_of: Option<RepositoryPath>,
}

/// Why a file answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Because {
    /// The gold answer runs it by its path.
    Script,
    /// The gold answer runs it with `-m`.
    Module,
    /// The gold answer imports it.
    Import,
    /// It defines what the gold answer uses through a package that only passes it on.
    Member,
    /// The gold answer hands it to a program as configuration.
    Configuration,
}

impl Because {
    /// Whether the file is code that the answer needs; configuration alone is not.
    pub fn is_code(self) -> bool {
        self != Self::Configuration
    }

    /// Whether the gold answer itself names the file, so that nothing had to be followed.
    pub fn is_named(self) -> bool {
        matches!(self, Self::Script | Self::Module | Self::Import)
    }
}

/// How well a place answers; numbers as judgement files have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// It helps: 1.
    Partial,
    /// It is what was sought: 2.
    Full,
}

impl Grade {
    /// 1 or 2.
    pub fn number(self) -> u8 {
        match self {
            Self::Partial => 1,
            Self::Full => 2,
        }
    }
}

impl Serialize for Grade {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(self.number())
    }
}

/// A section of a document that answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JudgedSection {
    /// The document.
    pub path: RepositoryPath,
    /// First line, from 1.
    pub start_line: u32,
    /// Last line, included.
    pub end_line: u32,
    /// Share of the oracle text that it holds, 0 to 1.
    pub coverage: f64,
    /// How well it answers.
    pub grade: Grade,
    /// The judged document whose bytes this one repeats, if it answers only as a copy.
    pub copy_of: Option<RepositoryPath>,
}

impl Answers {
    /// Whether some code file answers.
    pub fn has_code(&self) -> bool {
        self.files.iter().any(|file| file.because.is_code())
    }

    /// Whether anything answers.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.sections.is_empty()
    }
}
