//! Looking things up in an index by their names rather than by rank: which files hold a term, where a symbol is
//! defined, and which names there are to suggest.

use std::collections::BTreeSet;

use tantivy::index::InvertedIndexReader;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, Term};

use super::{RepositoryIndex, Segment};
use crate::error::Cause;
use crate::{ChunkKind, Result, SymbolKind};

impl RepositoryIndex {
    /// Calls `each` with the name of every symbol, without its parents and as often as the index holds a spelling.
    ///
    /// Errors when the index cannot be read.
    pub fn each_symbol_name(&self, mut each: impl FnMut(&str)) -> Result<()> {
        let Some(segment) = self.segment() else { return Ok(()) };
        let mut names = segment.symbol_exact.terms().stream().map_err(|error| self.failed(error))?;
        while let Some((name, _)) = names.next() {
            if let Ok(name) = str::from_utf8(name) {
                each(name);
            }
        }
        Ok(())
    }

    /// The paths of the indexed files, in order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files().iter().map(|file| file.path.as_str())
    }

    /// The numbers of the files whose text has a term, in order.
    pub(crate) fn files_with_term(&self, term: &str) -> Result<Vec<usize>> {
        let Some(segment) = self.segment() else { return Ok(Vec::new()) };
        let mut files = BTreeSet::new();
        for ranked in &segment.chunk {
            let found = documents(&ranked.postings, ranked.field, term);
            let found = found.map_err(|error| self.failed(error))?;
            files.extend(found.into_iter().map(|document| segment.file_of(document)));
        }
        Ok(files.into_iter().collect())
    }

    /// Where symbols called `name` or `Class.name` are defined: the numbers of their files and their first lines.
    pub(crate) fn defining_places(&self, name: &str) -> Result<Vec<(usize, u32)>> {
        let Some(segment) = self.segment() else { return Ok(Vec::new()) };
        places(segment, name).map_err(|error| self.failed(error))
    }
}

fn places(segment: &Segment, name: &str) -> Result<Vec<(usize, u32)>, Cause> {
    let own = name.rsplit('.').next().unwrap_or(name);
    let mut places = Vec::new();
    for document in documents(&segment.symbol_exact, segment.fields.symbol_exact, own)? {
        let place = segment.place(document);
        let is_code = place.kind != ChunkKind::Symbol(SymbolKind::Heading);
        if is_code && (own == name || segment.label(document)?.is_some_and(|label| ends_with(&label, name))) {
            places.push((place.file, place.start_line));
        }
    }
    places.sort_unstable();
    Ok(places)
}

fn ends_with(label: &str, name: &str) -> bool {
    label.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with(['.', ' ']))
}

/// The documents that have a term, in order.
pub(crate) fn documents(reader: &InvertedIndexReader, field: Field, text: &str) -> Result<Vec<DocId>, Cause> {
    let term = Term::from_field_text(field, text);
    let mut documents = Vec::new();
    if let Some(mut block) = reader.read_block_postings(&term, IndexRecordOption::Basic)? {
        while !block.docs().is_empty() {
            documents.extend_from_slice(block.docs());
            block.advance();
        }
    }
    Ok(documents)
}
