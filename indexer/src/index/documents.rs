//! The documents of an index, in an order that depends on nothing but the files: chunks in the order of paths and
//! lines, then symbols in the same order, then one document for each file. Chunks come first since every ranking
//! keeps a number for each of them.

use std::path::Path;

use repos::RepositoryPath;
use tantivy::directory::MmapDirectory;
use tantivy::schema::TantivyDocument;
use tantivy::{DocId, Index, SingleSegmentIndexWriter};

use super::schema::{Fields, schema, tokenizer_name};
use crate::analysis::{Analysis, ChunkKind, in_cell};
use crate::error::Cause;
use crate::mentions::Said;
use crate::symbol::Symbol;
use crate::terms::TermTokenizer;

// It sets the size of the first table only; the table grows with the repository.
const MEMORY_BUDGET_BYTES: usize = 16 << 20;

/// Writes documents into one segment on one thread. Threads of tantivy's usual writer would race for the order
/// of documents, and with it for the order of equal scores.
pub(crate) struct Writer {
    segment: SingleSegmentIndexWriter,
    fields: Fields,
    summaries: Vec<Summary>,
    /// With the number of the file.
    symbols: Vec<(u64, Symbol)>,
    written: u32,
}

/// What is kept of a file until its own document is written.
struct Summary {
    flags: String,
    about: String,
}

impl Writer {
    /// Starts an index in an empty folder.
    pub(crate) fn create(folder: &Path) -> Result<Self, Cause> {
        let (schema, fields) = schema();
        let directory = MmapDirectory::open(folder).map_err(tantivy::TantivyError::from)?;
        let builder = Index::builder().schema(schema);
        let tokenizers = tantivy::tokenizer::TokenizerManager::default();
        tokenizers.register(tokenizer_name(), TermTokenizer::default());
        let segment =
            builder.tokenizers(tokenizers).single_segment_index_writer(directory, MEMORY_BUDGET_BYTES)?;
        Ok(Self { segment, fields, summaries: Vec::new(), symbols: Vec::new(), written: 0 })
    }

    /// Adds the chunks of the file with this number, and keeps the rest for later; gives the document of its first chunk, which
    /// the others follow in order.
    pub(crate) fn add(&mut self, number: u64, analysis: Analysis) -> Result<DocId, Cause> {
        let fields = self.fields;
        let first = self.written;
        for chunk in &analysis.chunks {
            let mut document = self.place(number, chunk.start_line, chunk.end_line, chunk.kind);
            if let Some(title) = &chunk.title {
                document.add_text(fields.chunk[0], title);
            }
            if let Some(label) = chunk.label() {
                document.add_text(fields.label, label);
            }
            document.add_text(fields.chunk[1], &chunk.body);
            self.push(document)?;
        }
        self.symbols.extend(analysis.symbols.into_iter().map(|symbol| (number, symbol)));
        self.summaries.push(Summary { flags: analysis.flags, about: analysis.about });
        Ok(first)
    }

    /// Adds the documents of symbols and files and makes the index last.
    pub(crate) fn finish(mut self, paths: &[RepositoryPath], said: &[Said]) -> Result<(), Cause> {
        let fields = self.fields;
        for (number, symbol) in std::mem::take(&mut self.symbols) {
            self.add_symbol(number, &symbol)?;
        }
        let summaries = std::mem::take(&mut self.summaries);
        for (number, ((path, said), summary)) in paths.iter().zip(said).zip(&summaries).enumerate() {
            let mut document = self.place(number as u64, 1, 1, ChunkKind::File);
            // The name of a file says more than its folders, so it counts once more.
            let path = format!("{path} {}", path.file_name());
            let texts = [path.as_str(), &summary.flags, &summary.about, &said.words];
            for (field, text) in fields.file.into_iter().zip(texts) {
                document.add_text(field, text);
            }
            self.push(document)?;
        }
        self.segment.finalize()?;
        Ok(())
    }

    fn add_symbol(&mut self, number: u64, symbol: &Symbol) -> Result<(), Cause> {
        let fields = self.fields;
        let kind = ChunkKind::Symbol(symbol.kind);
        let mut document = self.place(number, symbol.start_line, symbol.end_line, kind);
        let qualified = symbol.qualified();
        let bare = symbol.name.trim_start_matches('-');
        let mut names = vec![symbol.name.as_str(), bare, &qualified];
        names.dedup();
        names.extend(symbol.registered.iter().map(String::as_str));
        for name in names {
            document.add_text(fields.symbol_exact, name);
            document.add_text(fields.symbol_lower, name.to_lowercase());
        }
        document.add_text(fields.symbol_words, &symbol.name);
        for name in &symbol.registered {
            document.add_text(fields.symbol_words, name);
        }
        let label = symbol.cell.map_or_else(|| qualified.clone(), |cell| in_cell(cell, &qualified));
        document.add_text(fields.label, label);
        self.push(document)
    }

    fn push(&mut self, document: TantivyDocument) -> Result<(), Cause> {
        self.segment.add_document(document)?;
        self.written += 1;
        Ok(())
    }

    fn place(&self, number: u64, start: u32, end: u32, kind: ChunkKind) -> TantivyDocument {
        let mut document = TantivyDocument::default();
        document.add_u64(self.fields.file_number, number);
        document.add_u64(self.fields.start_line, u64::from(start));
        document.add_u64(self.fields.end_line, u64::from(end));
        document.add_u64(self.fields.kind, kind.code());
        document
    }
}
