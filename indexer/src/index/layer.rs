//! One layer of an index as it lies on disk: the documents of the files that one build read. It never changes; which
//! of its documents still count is told by the records.

use std::path::Path;
use std::sync::Arc;

use tantivy::columnar::ColumnValues;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::index::InvertedIndexReader;
use tantivy::schema::{Field, TantivyDocument, Value};
use tantivy::store::StoreReader;
use tantivy::{DocId, Index, SegmentReader};

use super::pack::Pack;
use super::schema::{CHUNK_FIELDS, FILE_FIELDS, Fields, schema};
use crate::analysis::ChunkKind;
use crate::error::Cause;

// A page of hits reads few labels; blocks of them are 16 kB.
const CACHED_BLOCKS: usize = 8;

/// An open layer.
pub(crate) struct Layer {
    pub(crate) chunk: [LayerTerms; CHUNK_FIELDS.len()],
    pub(crate) file: [LayerTerms; FILE_FIELDS.len()],
    symbol_exact: Arc<InvertedIndexReader>,
    symbol_lower: Arc<InvertedIndexReader>,
    symbol_words: Arc<InvertedIndexReader>,
    start_line: Arc<dyn ColumnValues<u64>>,
    end_line: Arc<dyn ColumnValues<u64>>,
    kind: Arc<dyn ColumnValues<u64>>,
    labels: StoreReader,
    fields: Fields,
    documents: DocId,
}

/// The terms of a ranked field in one layer.
#[derive(Clone)]
pub(crate) struct LayerTerms {
    pub(crate) field: Field,
    pub(crate) postings: Arc<InvertedIndexReader>,
    pub(crate) lengths: FieldNormReader,
}

/// A way to look up symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameField {
    /// By the names as written.
    Exact,
    /// By the names in lower case.
    Lower,
    /// By the parts of names.
    Words,
}

impl Layer {
    /// Opens the layer in `folder`.
    pub(crate) fn open(folder: &Path) -> Result<Self, Cause> {
        let index = Index::open(Pack::open(folder)?)?;
        let segments = index.searchable_segments()?;
        let segment = segments
            .first()
            .ok_or_else(|| tantivy::TantivyError::InternalError("a layer without documents".to_owned()))?;
        let (_, fields) = schema();
        Self::of(&SegmentReader::open(segment)?, fields)
    }

    fn of(reader: &SegmentReader, fields: Fields) -> Result<Self, Cause> {
        let column = |name| reader.fast_fields().column_first_or_default::<u64>(name);
        Ok(Self {
            chunk: terms(reader, fields.chunk)?,
            file: terms(reader, fields.file)?,
            symbol_exact: reader.inverted_index(fields.symbol_exact)?,
            symbol_lower: reader.inverted_index(fields.symbol_lower)?,
            symbol_words: reader.inverted_index(fields.symbol_words)?,
            start_line: column("start_line")?,
            end_line: column("end_line")?,
            kind: column("kind")?,
            labels: reader.get_store_reader(CACHED_BLOCKS)?,
            fields,
            documents: reader.max_doc(),
        })
    }

    /// How many documents there are.
    pub(crate) fn documents(&self) -> DocId {
        self.documents
    }

    /// First line, last line and kind of a document.
    pub(crate) fn lines(&self, document: DocId) -> (u32, u32, ChunkKind) {
        let line =
            |column: &Arc<dyn ColumnValues<u64>>| u32::try_from(column.get_val(document)).unwrap_or(u32::MAX);
        (line(&self.start_line), line(&self.end_line), ChunkKind::of_code(self.kind.get_val(document)))
    }

    /// The symbol or heading of a document.
    pub(crate) fn label(&self, document: DocId) -> Result<Option<String>, Cause> {
        let stored: TantivyDocument = self.labels.get(document)?;
        Ok(stored.get_first(self.fields.label).and_then(|value| value.as_str()).map(str::to_owned))
    }

    /// The names of symbols.
    pub(crate) fn names(&self, field: NameField) -> (&InvertedIndexReader, Field) {
        match field {
            NameField::Exact => (&self.symbol_exact, self.fields.symbol_exact),
            NameField::Lower => (&self.symbol_lower, self.fields.symbol_lower),
            NameField::Words => (&self.symbol_words, self.fields.symbol_words),
        }
    }
}

fn terms<const N: usize>(reader: &SegmentReader, fields: [Field; N]) -> Result<[LayerTerms; N], Cause> {
    let mut terms = Vec::with_capacity(N);
    for field in fields {
        let postings = reader.inverted_index(field)?;
        terms.push(LayerTerms { field, postings, lengths: reader.get_fieldnorms_reader(field)? });
    }
    // The list has one entry for each field, so this cannot fail.
    terms
        .try_into()
        .map_err(|_| tantivy::TantivyError::InternalError("fields without terms".to_owned()).into())
}
