//! The documents of a layer, in an order that depends on nothing but the files: chunks in the order of paths and
//! lines, then symbols in the same order, then one document for each file. Chunks come first since every ranking
//! keeps a number for each of them.

use std::path::Path;

use repos::RepositoryPath;
use tantivy::directory::{Directory, RamDirectory};
use tantivy::schema::TantivyDocument;
use tantivy::{DocId, Index, SingleSegmentIndexWriter};

use super::inventory::Summary;
use super::pack::Parts;
use super::records::Content;
use super::schema::{Fields, schema, tokenizer_name};
use crate::analysis::{Chunk, ChunkKind, in_cell};
use crate::error::Cause;
use crate::symbol::Symbol;
use crate::terms::TermTokenizer;

const META: &str = "meta.json";

/// How much a segment is to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// A repository.
    Whole,
    /// The few files of it that changed.
    Part,
}

impl Extent {
    /// What decides the size of the first table of terms; it grows as it must.
    fn memory_budget_bytes(self) -> usize {
        match self {
            Self::Whole => 16 << 20,
            Self::Part => 1 << 20,
        }
    }
}

/// Writes documents into one segment on one thread. Threads of tantivy's usual writer would race for the order
/// of documents, and with it for the order of equal scores.
pub(crate) struct Writer {
    segment: SingleSegmentIndexWriter,
    directory: RamDirectory,
    fields: Fields,
    /// They follow when all chunks are written.
    symbols: Vec<Symbol>,
    written: DocId,
}

impl Writer {
    /// Starts a segment.
    pub(crate) fn create(extent: Extent) -> Result<Self, Cause> {
        let (schema, fields) = schema();
        let directory = RamDirectory::create();
        let tokenizers = tantivy::tokenizer::TokenizerManager::default();
        tokenizers.register(tokenizer_name(), TermTokenizer::default());
        let builder = Index::builder().schema(schema).tokenizers(tokenizers);
        let segment = builder.single_segment_index_writer(directory.clone(), extent.memory_budget_bytes())?;
        Ok(Self { segment, directory, fields, symbols: Vec::new(), written: 0 })
    }

    /// Adds the chunks of a file and keeps its symbols for later; where they lie, symbols counted from the first of all.
    pub(crate) fn add(&mut self, chunks: &[Chunk], symbols: Vec<Symbol>) -> Result<Content, Cause> {
        let (fields, first_chunk) = (self.fields, self.written);
        for chunk in chunks {
            let mut document = self.place(chunk.start_line, chunk.end_line, chunk.kind);
            if let Some(title) = &chunk.title {
                document.add_text(fields.chunk[0], title);
            }
            if let Some(label) = chunk.label() {
                document.add_text(fields.label, label);
            }
            document.add_text(fields.chunk[1], &chunk.body);
            self.push(document)?;
        }
        let content = Content {
            layer: 0,
            first_chunk,
            chunks: self.written - first_chunk,
            first_symbol: number(self.symbols.len()),
            symbols: number(symbols.len()),
        };
        self.symbols.extend(symbols);
        Ok(content)
    }

    /// Adds the symbols of all files; the document of the first.
    pub(crate) fn add_symbols(&mut self) -> Result<DocId, Cause> {
        let first = self.written;
        for symbol in std::mem::take(&mut self.symbols) {
            self.add_symbol(&symbol)?;
        }
        Ok(first)
    }

    /// Adds the own document of a file, of which others say `words`.
    pub(crate) fn add_own(
        &mut self,
        path: &RepositoryPath,
        summary: &Summary,
        words: &str,
    ) -> Result<DocId, Cause> {
        let mut document = self.place(1, 1, ChunkKind::File);
        // The name of a file says more than its folders, so it counts once more.
        let path = format!("{path} {}", path.file_name());
        let texts = [path.as_str(), &summary.flags, &summary.about, words];
        for (field, text) in self.fields.file.into_iter().zip(texts) {
            document.add_text(field, text);
        }
        self.push(document)?;
        Ok(self.written - 1)
    }

    /// Completes the segment: everything that the search engine needs to open it.
    pub(crate) fn finish(self) -> Result<Parts, Cause> {
        let index = self.segment.finalize()?;
        let mut parts = Parts::default();
        let mut files: Vec<_> = index.load_metas()?.list_segment_files().into_iter().collect();
        files.sort();
        for file in files {
            add(&mut parts, &self.directory, &file)?;
        }
        add(&mut parts, &self.directory, Path::new(META))?;
        Ok(parts)
    }

    fn add_symbol(&mut self, symbol: &Symbol) -> Result<(), Cause> {
        let fields = self.fields;
        let mut document = self.place(symbol.start_line, symbol.end_line, ChunkKind::Symbol(symbol.kind));
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

    fn place(&self, start: u32, end: u32, kind: ChunkKind) -> TantivyDocument {
        let mut document = TantivyDocument::default();
        document.add_u64(self.fields.start_line, u64::from(start));
        document.add_u64(self.fields.end_line, u64::from(end));
        document.add_u64(self.fields.kind, kind.code());
        document
    }
}

/// Adds a file of the search engine, where it wrote one.
fn add(parts: &mut Parts, directory: &RamDirectory, file: &Path) -> Result<(), Cause> {
    if directory.exists(file).map_err(tantivy::TantivyError::from)? {
        let bytes = directory.atomic_read(file).map_err(tantivy::TantivyError::from)?;
        parts.add(&file.to_string_lossy(), bytes);
    }
    Ok(())
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
