//! HOW repositories are understood: files become syntax trees, symbols and chunks, chunks become an index, and
//! a query becomes ranked places. tree-sitter and tantivy are used here and nowhere else.
//! Repository content is untrusted: nothing in it may stop a build, and nothing is read but through `repos::Root`.

mod admission;
mod analysis;
mod error;
mod files;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
mod index;
mod language;
mod mentions;
mod progress;
#[cfg(test)]
mod properties;
mod references;
mod report;
mod role;
mod search;
mod skipped;
mod source;
mod symbol;
mod syntax;
mod terms;
mod trigrams;
mod walk;

pub use analysis::ChunkKind;
pub use error::{Cause, Error, Result};
pub use index::{FORMAT_VERSION, IndexState, IndexStore, RepositoryIndex};
pub use language::Language;
pub use progress::BuildProgress;
pub use references::{DefinitionPlace, ReferenceQuery, References, Use, UseKind, find_references};
pub use report::BuildReport;
pub use search::{
    Case, Contribution, Explanation, FieldRanking, FileCount, Hit, Matching, Mode, PathGlob, Query, Ranking,
    SearchResults, SnippetSize, count_lines, search_all, search_all_with, snippets,
};
pub use skipped::{SkippedFile, skipped_files};
pub use symbol::{FileOutline, Symbol, SymbolKind, file_outline, find_symbol, outline};
