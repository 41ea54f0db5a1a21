//! What a language finds in a file: chunks to rank, symbols to look up, and a few words about the whole.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::source::Note;
use crate::symbol::{Symbol, SymbolKind};

/// What kind of place a hit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ChunkKind {
    /// A whole file, found by its name or by what refers to it.
    File,
    /// Code outside functions and classes.
    TopLevel,
    /// Lines of a file without structure.
    Window,
    /// A section of a document.
    Section,
    /// A cell of a notebook.
    Cell,
    /// A line that a literal or regular expression matches.
    Line,
    /// A definition.
    Symbol(SymbolKind),
}

impl ChunkKind {
    const ALL: [Self; 19] = [
        Self::File,
        Self::TopLevel,
        Self::Window,
        Self::Section,
        Self::Cell,
        Self::Line,
        Self::Symbol(SymbolKind::Class),
        Self::Symbol(SymbolKind::Struct),
        Self::Symbol(SymbolKind::Enum),
        Self::Symbol(SymbolKind::Function),
        Self::Symbol(SymbolKind::Method),
        Self::Symbol(SymbolKind::Constant),
        Self::Symbol(SymbolKind::Macro),
        Self::Symbol(SymbolKind::Type),
        Self::Symbol(SymbolKind::Namespace),
        Self::Symbol(SymbolKind::Flag),
        Self::Symbol(SymbolKind::Heading),
        Self::Symbol(SymbolKind::Field),
        Self::Symbol(SymbolKind::Key),
    ];

    /// The kind in words joined by `_`.
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::TopLevel => "top_level",
            Self::Window => "window",
            Self::Section => "section",
            Self::Cell => "cell",
            Self::Line => "line",
            Self::Symbol(kind) => kind.name(),
        }
    }

    /// The number that the index stores for it.
    pub(crate) fn code(self) -> u64 {
        Self::ALL.iter().position(|kind| *kind == self).unwrap_or_default() as u64
    }

    /// The kind of a number that the index stored.
    pub(crate) fn of_code(code: u64) -> Self {
        usize::try_from(code).ok().and_then(|code| Self::ALL.get(code)).copied().unwrap_or(Self::File)
    }
}

impl fmt::Display for ChunkKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl Serialize for ChunkKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A place that a search can return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chunk {
    pub(crate) kind: ChunkKind,
    /// First line of the stored file, from 1.
    pub(crate) start_line: u32,
    /// Last line, included.
    pub(crate) end_line: u32,
    /// The symbol or heading, with its parents.
    pub(crate) title: Option<String>,
    /// The cell of a notebook that it is, from 1.
    pub(crate) cell: Option<u32>,
    /// The words that are ranked.
    pub(crate) body: String,
}

impl Chunk {
    /// What a hit is called: its cell and its title.
    pub(crate) fn label(&self) -> Option<String> {
        match (self.cell, &self.title) {
            (None, title) => title.clone(),
            (Some(cell), None) => Some(format!("cell {cell}")),
            (Some(cell), Some(title)) => Some(in_cell(cell, title)),
        }
    }
}

/// The name of what stands in a cell of a notebook.
pub(crate) fn in_cell(cell: u32, name: &str) -> String {
    format!("cell {cell}: {name}")
}

/// Everything found in a file.
#[derive(Debug, Default)]
pub(crate) struct Analysis {
    pub(crate) chunks: Vec<Chunk>,
    pub(crate) symbols: Vec<Symbol>,
    /// What the file says about itself: its opening comment, docstrings, first heading.
    pub(crate) about: String,
    /// Names and help texts of its command-line flags.
    pub(crate) flags: String,
    pub(crate) notes: Vec<Note>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_own_code_and_name() {
        for (code, kind) in ChunkKind::ALL.into_iter().enumerate() {
            assert_eq!((kind.code(), ChunkKind::of_code(code as u64)), (code as u64, kind));
        }
        let mut names: Vec<_> = ChunkKind::ALL.map(ChunkKind::name).to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ChunkKind::ALL.len());
    }
}
