//! Where a symbol is defined and where it is used. The index says which files may hold it, as they were when it was
//! built; those alone are read and parsed as they are now, so every place that is given is really there.

mod occurrences;
mod place;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use repos::RepositoryPath;
use serde::Serialize;

use crate::index::FileRecord;
use crate::role::Role;
use crate::terms::Terms;
use crate::{RepositoryIndex, Result, Symbol, admission, outline};

// Far above what any question needs; a name that stands in more places than this means nothing in particular.
const MOST_USES: usize = 5_000;
// `forward` is defined a thousand times; each definition costs the parse of its file.
const MOST_DEFINITIONS: usize = 50;
// The commonest names of the largest repository take a tenth of it.
const LONGEST_SEARCH: Duration = Duration::from_secs(5);

/// What is sought.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReferenceQuery {
    /// `name`, `Class.name` or `Class::name`.
    pub symbol: String,
    /// Only the definition in this file is meant; its places come first.
    pub path: Option<RepositoryPath>,
}

/// A definition and its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DefinitionPlace {
    /// The file.
    pub path: RepositoryPath,
    /// The definition.
    pub symbol: Symbol,
}

/// What a use does with a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UseKind {
    /// It is called, or a class is made an object of.
    Call,
    /// It is brought into the file.
    Import,
    /// Anything else: passed on, inherited from, read.
    Other,
}

impl UseKind {
    /// The kind as one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Import => "import",
            Self::Other => "other",
        }
    }
}

/// A place where a symbol is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Use {
    /// The file.
    pub path: RepositoryPath,
    /// The line of the stored file, from 1.
    pub line: u32,
    /// The line, without its ends.
    pub text: String,
    /// The definition around it, with its parents.
    pub enclosing: Option<String>,
    /// The cell of a notebook, from 1.
    pub cell: Option<u32>,
    /// What it does.
    pub kind: UseKind,
}

/// The definitions and uses of a symbol.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct References {
    /// The definitions, ordinary files before tests; at most 50.
    pub definitions: Vec<DefinitionPlace>,
    /// How many definitions there are, those left out included.
    pub total_definitions: usize,
    /// The uses, in the order of files and lines, ordinary files before tests; at most 5,000.
    pub uses: Vec<Use>,
    /// How many files were read.
    pub files_read: usize,
    /// How many files may hold further uses and were not read, or not to their end.
    pub files_left: usize,
}

/// Finds where a symbol is defined and used in the code of a repository.
///
/// Uses are whole identifiers in Python, shell, C, C++, CUDA, JavaScript and TypeScript files and in the code of
/// notebooks, told by name: two methods of one name are not told apart. Errors when the index cannot be read.
pub fn find_references(index: &RepositoryIndex, query: &ReferenceQuery) -> Result<References> {
    let wanted = query.symbol.trim().trim_end_matches("()").replace("::", ".");
    let name = wanted.rsplit('.').next().unwrap_or_default();
    if name.is_empty() {
        return Ok(References::default());
    }
    let (definitions, total_definitions) = definitions(index, &wanted, query.path.as_ref())?;
    if definitions.is_empty() && total_definitions == 0 {
        return Ok(References::default());
    }
    // A registered name is no identifier; what it is given to is used by its own.
    let own = definitions.iter().find(|definition| definition.symbol.name == name).or(definitions.first());
    let name = own.map_or(name, |definition| definition.symbol.name.as_str());
    // A flag `--batch-size` is read as `arguments.batch_size`.
    let identifier = name.trim_start_matches('-').replace('-', "_");
    let mut found = uses(index, &identifier, query.path.as_ref())?;
    found.uses.retain(|used| !definitions.iter().any(|definition| stands_at(definition, used)));
    Ok(References { definitions, total_definitions, ..found })
}

/// Whether a use is the name in a definition of a value, which no syntax tells from setting it again.
fn stands_at(definition: &DefinitionPlace, used: &Use) -> bool {
    used.kind == UseKind::Other
        && used.path == definition.path
        && used.line == definition.symbol.start_line
        && matches!(definition.symbol.kind, crate::SymbolKind::Constant | crate::SymbolKind::Field)
}

fn definitions(
    index: &RepositoryIndex,
    wanted: &str,
    path: Option<&RepositoryPath>,
) -> Result<(Vec<DefinitionPlace>, usize)> {
    let mut places = index.defining_places(wanted)?;
    places.retain(|(file, _)| path.is_none_or(|path| index.files()[*file].path == *path));
    let total = places.len();
    let mut files: Vec<usize> = places.into_iter().map(|(file, _)| file).collect();
    files.dedup();
    sort(index, &mut files, path);
    // Settings give values to what code defines.
    files.sort_by_key(|file| !index.files()[*file].language.has_identifiers());
    files.truncate(MOST_DEFINITIONS);
    let of_file = |file: &usize| {
        let path = &index.files()[*file].path;
        // A file that is gone defines nothing any more.
        let symbols = outline(index.root(), path).unwrap_or_default();
        let named = symbols.into_iter().filter(|symbol| symbol.is_called(wanted));
        named.map(|symbol| DefinitionPlace { path: path.clone(), symbol }).collect::<Vec<_>>()
    };
    let mut found: Vec<DefinitionPlace> = files.par_iter().flat_map_iter(of_file).collect();
    let total = if files.len() < MOST_DEFINITIONS { found.len() } else { total.max(found.len()) };
    found.truncate(MOST_DEFINITIONS);
    Ok((found, total))
}

fn uses(index: &RepositoryIndex, identifier: &str, first: Option<&RepositoryPath>) -> Result<References> {
    let mut files = candidates(index, identifier)?;
    sort(index, &mut files, first);
    let (started, count, left) = (Instant::now(), AtomicUsize::new(0), AtomicUsize::new(0));
    let of_file = |file: &usize| {
        if count.load(Ordering::Relaxed) >= MOST_USES || started.elapsed() > LONGEST_SEARCH {
            left.fetch_add(1, Ordering::Relaxed);
            return Vec::new();
        }
        let found = in_file(index, &index.files()[*file], identifier);
        left.fetch_add(usize::from(!found.complete), Ordering::Relaxed);
        count.fetch_add(found.uses.len(), Ordering::Relaxed);
        found.uses
    };
    // In batches, so that what is left out is the end of the order.
    let mut uses = Vec::new();
    for batch in files.chunks(64) {
        uses.extend(batch.par_iter().map(of_file).collect::<Vec<_>>().into_iter().flatten());
    }
    uses.truncate(MOST_USES);
    let files_left = left.into_inner();
    Ok(References { uses, files_read: files.len() - files_left, files_left, ..References::default() })
}

/// Indexed code whose text holds the identifier in any case.
fn candidates(index: &RepositoryIndex, identifier: &str) -> Result<Vec<usize>> {
    let is_code = |file: &usize| index.files()[*file].language.has_identifiers();
    // Names that are no term, such as `x`, stand in every file.
    let files = match Terms::default().list(identifier).last() {
        Some(term) => index.files_with_term(term)?,
        None => (0..index.files().len()).collect(),
    };
    Ok(files.into_iter().filter(is_code).collect())
}

/// The wanted file first, ordinary files before tests and vendored ones, then by path.
fn sort(index: &RepositoryIndex, files: &mut [usize], first: Option<&RepositoryPath>) {
    let key = |file: usize| {
        let path = &index.files()[file].path;
        (first != Some(path), Role::of(path.as_str()).weight(), path)
    };
    files.sort_by(|a, b| {
        let (a, b) = (key(*a), key(*b));
        a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(b.2))
    });
}

fn in_file(index: &RepositoryIndex, file: &FileRecord, identifier: &str) -> occurrences::Found {
    match index.root().read(&file.path, admission::LARGEST_NOTEBOOK_BYTES) {
        Ok(bytes) => occurrences::find(&file.path, file.language, bytes, identifier),
        // A file that is gone uses nothing any more.
        Err(_) => occurrences::Found::default(),
    }
}
