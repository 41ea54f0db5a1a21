//! What a file defines: classes, functions, constants, command-line flags, headings.

use std::fmt;

use repos::{RepositoryPath, Root};
use serde::{Serialize, Serializer};

use crate::source::{Note, Source};
use crate::{Language, Result, admission};

/// What kind of thing a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SymbolKind {
    /// A class.
    Class,
    /// A struct or union.
    Struct,
    /// An enumeration.
    Enum,
    /// A function outside classes.
    Function,
    /// A function of a class.
    Method,
    /// A value set at the top of a module.
    Constant,
    /// A value of a class.
    Field,
    /// A macro.
    Macro,
    /// A named type.
    Type,
    /// A namespace.
    Namespace,
    /// A command-line flag.
    Flag,
    /// A heading of a document.
    Heading,
    /// A key of a file of settings.
    Key,
}

impl SymbolKind {
    /// The kind as one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Class => "class",
            Self::Struct => "struct",
            Self::Enum => "enum",
            Self::Function => "function",
            Self::Method => "method",
            Self::Constant => "constant",
            Self::Field => "field",
            Self::Macro => "macro",
            Self::Type => "type",
            Self::Namespace => "namespace",
            Self::Flag => "flag",
            Self::Heading => "heading",
            Self::Key => "key",
        }
    }
}

impl fmt::Display for SymbolKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl Serialize for SymbolKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A definition in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Symbol {
    /// Its own name, without that of its parent.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// How it is declared, on one line.
    pub signature: String,
    /// First line of the stored file, from 1, decorators included.
    pub start_line: u32,
    /// Last line, included.
    pub end_line: u32,
    /// The symbols around it, outermost first, joined by `.` (headings by ` > `).
    pub parent: Option<String>,
    /// Other names that find it: those under which decorators register it, as `@register("resnet")` does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub registered: Vec<String>,
    /// Whether its file says that others may use it, as `__all__` and `export` do.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub exported: bool,
    /// The cell of a notebook that holds it, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<u32>,
}

impl Symbol {
    /// Whether `name` or `Class.name` means it, case included.
    pub(crate) fn is_called(&self, wanted: &str) -> bool {
        names(self, wanted)
    }

    /// The name with that of its parents.
    pub fn qualified(&self) -> String {
        match &self.parent {
            Some(parent) if self.kind == SymbolKind::Heading => format!("{parent} > {}", self.name),
            Some(parent) => format!("{parent}.{}", self.name),
            None => self.name.clone(),
        }
    }
}

/// What a file defines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileOutline {
    /// The language that it is read as; none for a file that is no text.
    pub language: Option<Language>,
    /// How many lines it has.
    pub lines: usize,
    /// In the order of their lines.
    pub symbols: Vec<Symbol>,
    /// What was odd about it, such as `parse_errors`: some definitions may be missing.
    pub notes: Vec<&'static str>,
}

/// The symbols of one file, in the order of their lines; none for a file that defines nothing or is no text.
///
/// Errors when the file cannot be read or is larger than what is parsed.
pub fn outline(root: &Root, path: &RepositoryPath) -> Result<Vec<Symbol>> {
    Ok(file_outline(root, path)?.symbols)
}

/// The symbols of one file with what else its outline tells.
///
/// Errors when the file cannot be read or is larger than what is parsed.
pub fn file_outline(root: &Root, path: &RepositoryPath) -> Result<FileOutline> {
    let bytes = root.read(path, admission::LARGEST_NOTEBOOK_BYTES)?;
    if admission::is_binary(&bytes) {
        return Ok(FileOutline { language: None, lines: 0, symbols: Vec::new(), notes: vec!["binary"] });
    }
    let language = Language::detect(path.as_str(), &bytes);
    let (source, mut notes) = Source::decode(bytes);
    let analysis = language.analyze(&source);
    notes.extend(analysis.notes);
    Ok(FileOutline {
        language: Some(language),
        lines: source.line_count(),
        symbols: analysis.symbols,
        notes: notes.into_iter().map(Note::name).collect(),
    })
}

/// The symbol that `name` means: `name`, `Class.name` or `Class::name`; case decides only between several.
pub fn find_symbol<'a>(symbols: &'a [Symbol], name: &str) -> Option<&'a Symbol> {
    let wanted = name.trim().trim_end_matches("()").replace("::", ".");
    let exact = |symbol: &&Symbol| names(symbol, &wanted);
    let lowered = wanted.to_lowercase();
    symbols.iter().find(exact).or_else(|| {
        symbols.iter().find(|symbol| {
            let mut symbol = (*symbol).clone();
            symbol.name = symbol.name.to_lowercase();
            symbol.parent = symbol.parent.map(|parent| parent.to_lowercase());
            names(&symbol, &lowered)
        })
    })
}

/// Whether `wanted` is the symbol's name, or the end of its qualified name from some parent on.
fn names(symbol: &Symbol, wanted: &str) -> bool {
    if symbol.name == wanted || symbol.name.trim_start_matches('-') == wanted {
        return true;
    }
    if symbol.registered.iter().any(|name| name == wanted) {
        return true;
    }
    symbol.parent.is_some()
        && wanted.ends_with(&symbol.name)
        && symbol.qualified().strip_suffix(wanted).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(name: &str, parent: Option<&str>, start_line: u32) -> Symbol {
        Symbol {
            name: name.to_owned(),
            kind: SymbolKind::Method,
            signature: String::new(),
            start_line,
            end_line: start_line,
            parent: parent.map(str::to_owned),
            registered: Vec::new(),
            exported: false,
            cell: None,
        }
    }

    #[test]
    fn finds_a_symbol_by_every_way_to_write_it() {
        let symbols = [
            symbol("run", Some("Other"), 1),
            symbol("Run", None, 2),
            symbol("run", Some("Outer.Inner"), 3),
            symbol("--learning-rate", None, 4),
        ];
        for (name, line) in [
            ("run", 1),
            ("Run", 2),
            ("RUN", 1),
            ("Inner.run", 3),
            ("Outer.Inner.run", 3),
            ("Inner::run()", 3),
            ("inner.RUN", 3),
            ("learning-rate", 4),
        ] {
            assert_eq!(find_symbol(&symbols, name).map(|found| found.start_line), Some(line), "{name}");
        }
        for name in ["nner.run", "runs", "", "Outer.run"] {
            assert_eq!(find_symbol(&symbols, name), None, "{name}");
        }
    }
}
