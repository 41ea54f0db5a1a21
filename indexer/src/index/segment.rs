//! All documents of an index that count, as if one build had just written them as one segment.

use std::path::PathBuf;
use std::sync::Arc;

use tantivy::DocId;
use tantivy::index::InvertedIndexReader;
use tantivy::postings::TermInfo;
use tantivy::schema::IndexRecordOption;
use tantivy::termdict::TermStreamer;

use super::layer::{Layer, LayerTerms, NameField};
use super::numbering::Numbering;
use super::records::FileRecord;
use super::schema::{CHUNK_FIELDS, FILE_FIELDS};
use super::terms::RankedTerms;
use crate::analysis::ChunkKind;
use crate::error::Cause;

/// The documents of an index: chunks in the order of paths and lines, then symbols, then one for each file.
pub(crate) struct Segment {
    pub(crate) chunk: [RankedTerms; CHUNK_FIELDS.len()],
    pub(crate) file: [RankedTerms; FILE_FIELDS.len()],
    layers: Vec<Layer>,
    numbering: Arc<Numbering>,
    /// The file of each document; every ranking reads it for thousands of them.
    files: Vec<u32>,
    /// The document of the first file; the others follow in order.
    first_file: DocId,
    chunk_count: DocId,
}

/// Where a document stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) file: usize,
    pub(crate) start_line: u32,
    pub(crate) end_line: u32,
    pub(crate) kind: ChunkKind,
}

impl Segment {
    /// Opens the layers that hold `files`; none where there are no files.
    pub(super) fn open(layers: &[PathBuf], files: &[FileRecord]) -> Result<Option<Self>, Cause> {
        if files.is_empty() {
            return Ok(None);
        }
        let layers = layers.iter().map(|folder| Layer::open(folder)).collect::<Result<Vec<_>, _>>()?;
        let sizes: Vec<DocId> = layers.iter().map(Layer::documents).collect();
        let numbering = Arc::new(Numbering::of(files, &sizes));
        let owners = owners(files);
        let count = |of: fn(&FileRecord) -> u32| files.iter().map(of).sum::<DocId>();
        let (chunks, symbols) = (count(|file| file.content.chunks), count(|file| file.content.symbols));
        let first_file = chunks + symbols;
        let all = DocId::try_from(owners.len()).unwrap_or(DocId::MAX);
        let terms = |of: &dyn Fn(&Layer) -> LayerTerms, counted| {
            RankedTerms::new(layers.iter().map(of).collect(), numbering.clone(), counted)
        };
        let chunk = std::array::from_fn(|field| terms(&|layer| layer.chunk[field].clone(), 0..chunks));
        let file = std::array::from_fn(|field| terms(&|layer| layer.file[field].clone(), first_file..all));
        Ok(Some(Self { chunk, file, layers, numbering, files: owners, first_file, chunk_count: chunks }))
    }

    /// How many chunks there are; their documents come first.
    pub(crate) fn chunk_count(&self) -> usize {
        self.chunk_count as usize
    }

    /// The number of the file that a document belongs to.
    pub(crate) fn file_of(&self, document: DocId) -> usize {
        self.files[document as usize] as usize
    }

    /// The number of the file that a file's own document stands for.
    pub(crate) fn file_of_own(&self, document: DocId) -> usize {
        document.saturating_sub(self.first_file) as usize
    }

    /// Where a document stands.
    pub(crate) fn place(&self, document: DocId) -> Place {
        let local = self.numbering.local(document);
        let (start_line, end_line, kind) = self.layers[local.layer].lines(local.document);
        Place { file: self.file_of(document), start_line, end_line, kind }
    }

    /// The symbol or heading of a document.
    pub(crate) fn label(&self, document: DocId) -> Result<Option<String>, Cause> {
        let local = self.numbering.local(document);
        self.layers[local.layer].label(local.document)
    }

    /// The documents of the symbols that have a name or word, in order.
    pub(crate) fn symbols(&self, field: NameField, text: &str) -> Result<Vec<DocId>, Cause> {
        let mut documents = Vec::new();
        for (number, layer) in self.layers.iter().enumerate() {
            let (reader, field) = layer.names(field);
            if let Some(term) = reader.get_term_info(&tantivy::Term::from_field_text(field, text))? {
                documents.extend(self.live(number, reader, &term)?);
            }
        }
        documents.sort_unstable();
        Ok(documents)
    }

    /// Calls `each` with the names of symbols from `beginning` on, in the order of their bytes, until it says no.
    pub(crate) fn each_name(
        &self,
        field: NameField,
        beginning: &str,
        mut each: impl FnMut(&str) -> bool,
    ) -> Result<(), Cause> {
        let mut streams = Vec::with_capacity(self.layers.len());
        for layer in &self.layers {
            let (reader, _) = layer.names(field);
            let mut stream = reader.terms().range().ge(beginning.as_bytes()).into_stream()?;
            let left = stream.advance();
            streams.push(Names { reader, stream, left });
        }
        loop {
            let least = streams.iter().filter(|names| names.left).map(|names| names.stream.key()).min();
            let Some(least) = least.map(<[u8]>::to_vec) else { return Ok(()) };
            let mut is_live = false;
            for (number, names) in streams.iter_mut().enumerate() {
                if names.left && names.stream.key() == least {
                    is_live = is_live || self.is_live(number, names.reader, names.stream.value())?;
                    names.left = names.stream.advance();
                }
            }
            if is_live && str::from_utf8(&least).is_ok_and(|name| !each(name)) {
                return Ok(());
            }
        }
    }

    fn is_live(&self, layer: usize, reader: &InvertedIndexReader, term: &TermInfo) -> Result<bool, Cause> {
        Ok(*self.numbering == Numbering::Same || !self.live(layer, reader, term)?.is_empty())
    }

    fn live(&self, layer: usize, reader: &InvertedIndexReader, term: &TermInfo) -> Result<Vec<DocId>, Cause> {
        let mut block = reader.read_block_postings_from_terminfo(term, IndexRecordOption::Basic)?;
        let mut documents = Vec::with_capacity(term.doc_freq as usize);
        while !block.docs().is_empty() {
            documents
                .extend(block.docs().iter().filter_map(|document| self.numbering.number(layer, *document)));
            block.advance();
        }
        Ok(documents)
    }
}

/// The names of one layer on the way through all.
struct Names<'a> {
    reader: &'a InvertedIndexReader,
    stream: TermStreamer<'a>,
    left: bool,
}

/// The number of the file of each document.
fn owners(files: &[FileRecord]) -> Vec<u32> {
    let mut owners = Vec::with_capacity(files.iter().map(FileRecord::documents).sum());
    let counts: [fn(&FileRecord) -> u32; 3] =
        [|file| file.content.chunks, |file| file.content.symbols, |_| 1];
    for count in counts {
        for (number, file) in (0_u32..).zip(files) {
            owners.extend(std::iter::repeat_n(number, count(file) as usize));
        }
    }
    owners
}
