//! Who defines a symbol and who uses it: whole identifiers of code, as the syntax tree sees them, so that comments,
//! strings and longer names do not count. Uses are found by name, not by type: what two classes call alike is shown for
//! both.

mod file;

use std::time::{Duration, Instant};

use rayon::prelude::*;
use repos::RepositoryPath;

use crate::{RepositoryIndex, Result, Symbol};

// Names such as `forward` stand everywhere; an agent narrows the question before it reads this many.
const MOST_USES: usize = 5_000;
// The largest repository takes a tenth of a second; what takes this long is hostile.
const LONGEST: Duration = Duration::from_secs(10);

/// What is looked for.
#[derive(Clone, Debug)]
pub struct ReferenceQuery {
    /// `name`, `Class.name` or `Class::name`.
    pub symbol: String,
    /// Only definitions in this file; its uses come first.
    pub path: Option<RepositoryPath>,
}

/// Definitions and uses of one name in one repository.
#[derive(Clone, Debug, Default)]
pub struct References {
    /// Where it is defined, the most important file first.
    pub definitions: Vec<Definition>,
    /// Where it is used: files that define it first, then the most important.
    pub uses: Vec<Use>,
    /// Files that hold the name and were not looked into, because it took too long or there was too much.
    pub unread_files: usize,
}

/// A definition and its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The file.
    pub path: RepositoryPath,
    /// What is defined there.
    pub symbol: Symbol,
}

/// One use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// The file.
    pub path: RepositoryPath,
    /// The line, from 1.
    pub line: u32,
    /// The text of the line, without the blanks around it.
    pub text: String,
    /// The definition around it, with its parents.
    pub inside: Option<String>,
    /// How it is used.
    pub kind: UseKind,
}

/// How a symbol is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UseKind {
    /// It is called.
    Call,
    /// A class is derived from it.
    Base,
    /// It decorates a definition.
    Decorator,
    /// It is imported or included.
    Import,
    /// It is named in another way.
    Other,
}

impl UseKind {
    /// The kind as one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Base => "base",
            Self::Decorator => "decorator",
            Self::Import => "import",
            Self::Other => "other",
        }
    }
}

/// Finds definitions and uses in the files as they stand on disk now; which files there are, the index says.
pub fn references(index: &RepositoryIndex, query: &ReferenceQuery) -> Result<References> {
    let wanted = query.symbol.trim().trim_end_matches("()").replace("::", ".");
    let name = wanted.rsplit('.').next().unwrap_or_default();
    if name.is_empty() {
        return Ok(References::default());
    }
    let started = Instant::now();
    let files = index.files();
    let read = |number: usize| -> Option<file::Found> {
        let record = &files[number];
        let grammar = record.language.grammar()?;
        if started.elapsed() > LONGEST {
            return Some(file::Found::unread());
        }
        file::look(index.root(), &record.path, grammar, &wanted)
    };
    let found: Vec<(usize, file::Found)> =
        (0..files.len()).into_par_iter().filter_map(|number| Some((number, read(number)?))).collect();
    Ok(collect(index, query, found))
}

/// Puts the files into the order of the answer.
fn collect(
    index: &RepositoryIndex,
    query: &ReferenceQuery,
    mut found: Vec<(usize, file::Found)>,
) -> References {
    let asked = |path: &RepositoryPath| query.path.as_ref() == Some(path);
    found.sort_by(|(one, one_found), (other, other_found)| {
        let (one_path, other_path) = (&index.files()[*one].path, &index.files()[*other].path);
        let weight = |number: usize| index.weights()[number];
        asked(other_path)
            .cmp(&asked(one_path))
            .then(other_found.definitions.is_empty().cmp(&one_found.definitions.is_empty()).reverse())
            .then(weight(*other).total_cmp(&weight(*one)))
            .then_with(|| one_path.cmp(other_path))
    });
    let mut references = References::default();
    for (_, file) in found {
        references.unread_files += usize::from(file.unread || references.uses.len() >= MOST_USES);
        if references.uses.len() < MOST_USES {
            references.uses.extend(file.uses);
        }
        let admitted = file.definitions.into_iter().filter(|one| query.path.is_none() || asked(&one.path));
        references.definitions.extend(admitted);
    }
    references
}
