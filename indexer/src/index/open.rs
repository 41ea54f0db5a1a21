//! An index that is open for searching. Opening maps files and reads the records; nothing else is loaded.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use repos::{Checkout, Commit, RepositoryName, Root};
use tantivy::columnar::ColumnValues;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::index::InvertedIndexReader;
use tantivy::schema::{Field, TantivyDocument, Value};
use tantivy::store::StoreReader;
use tantivy::{DocId, Index, SegmentReader};

use super::records::{FileRecord, Records};
use super::schema::{CHUNK_FIELDS, FILE_FIELDS, Fields, schema};
use crate::analysis::ChunkKind;
use crate::error::{Cause, Error, Result};
use crate::search::PresentFiles;
use crate::{BuildReport, FieldRanking};

// A page of hits reads few labels; blocks of them are 16 kB.
const CACHED_BLOCKS: usize = 8;

/// An open index of one repository, to be shared between threads.
pub struct RepositoryIndex {
    name: RepositoryName,
    report: BuildReport,
    records: Records,
    weights: Vec<f32>,
    fame: Vec<f32>,
    documentation: Vec<bool>,
    root: Root,
    segment: Option<Segment>,
    present: PresentFiles,
}

/// The one segment of an index.
pub(crate) struct Segment {
    pub(crate) chunk: [RankedTerms; CHUNK_FIELDS.len()],
    pub(crate) file: [RankedTerms; FILE_FIELDS.len()],
    pub(crate) symbol_exact: Arc<InvertedIndexReader>,
    pub(crate) symbol_lower: Arc<InvertedIndexReader>,
    pub(crate) symbol_words: Arc<InvertedIndexReader>,
    /// The file of each document; every ranking reads it for thousands of them.
    files: Vec<u32>,
    start_line: Arc<dyn ColumnValues<u64>>,
    end_line: Arc<dyn ColumnValues<u64>>,
    kind: Arc<dyn ColumnValues<u64>>,
    labels: StoreReader,
    pub(crate) fields: Fields,
    /// The document of the first file; the others follow in order.
    first_file: DocId,
    chunk_count: usize,
}

/// The terms of a ranked field.
pub(crate) struct RankedTerms {
    pub(crate) field: Field,
    pub(crate) postings: Arc<InvertedIndexReader>,
    pub(crate) lengths: FieldNormReader,
    /// By the code that `lengths` gives, the length beside the average one.
    lengths_by_code: [f32; 256],
    /// What a word counts by the same code, for the first ranking that asked.
    factors: OnceLock<(FieldRanking, [f32; 256])>,
}

/// Where a document stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) file: usize,
    pub(crate) start_line: u32,
    pub(crate) end_line: u32,
    pub(crate) kind: ChunkKind,
}

impl RepositoryIndex {
    /// Opens the generation in `folder`.
    pub(super) fn open(checkout: &Checkout, report: BuildReport, folder: &Path) -> Result<Self> {
        let root = checkout.root()?;
        let explain =
            |source| Error::Open { repository: checkout.name.clone(), folder: folder.to_owned(), source };
        let records = Records::read(folder).map_err(explain)?;
        let segment = Segment::open(folder, &report).map_err(explain)?;
        let present = PresentFiles::open(folder).map_err(explain)?;
        let weights = records.files.iter().map(|file| file.role().weight()).collect();
        let fame = records.files.iter().map(|file| (1.0 + file.mentions as f32).log2()).collect();
        let documentation = records.files.iter().map(|file| file.language.is_documentation()).collect();
        Ok(Self {
            name: checkout.name.clone(),
            report,
            records,
            weights,
            fame,
            documentation,
            root,
            segment,
            present,
        })
    }

    /// The repository.
    pub fn name(&self) -> &RepositoryName {
        &self.name
    }

    /// The commit that was indexed, when known.
    pub fn commit(&self) -> Option<&Commit> {
        self.report.commit.as_ref()
    }

    /// What the build did.
    pub fn report(&self) -> &BuildReport {
        &self.report
    }

    /// The repository's files.
    pub(crate) fn root(&self) -> &Root {
        &self.root
    }

    /// The files as they are on disk, for exact search.
    pub(crate) fn present(&self) -> &PresentFiles {
        &self.present
    }

    /// The indexed files, by number.
    pub(crate) fn files(&self) -> &[FileRecord] {
        &self.records.files
    }

    /// What the scores of each file are multiplied by.
    pub(crate) fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// How often each file is mentioned, in doublings.
    pub(crate) fn fame(&self) -> &[f32] {
        &self.fame
    }

    /// Whether people read each file rather than run it.
    pub(crate) fn documentation(&self) -> &[bool] {
        &self.documentation
    }

    /// What is remembered of all files.
    pub(crate) fn records(&self) -> &Records {
        &self.records
    }

    /// The segment; an index of no files has none.
    pub(crate) fn segment(&self) -> Option<&Segment> {
        self.segment.as_ref()
    }

    /// Names this index in a failure to read it.
    pub(crate) fn failed(&self, source: impl Into<Cause>) -> Error {
        Error::Search { repository: self.name.clone(), source: source.into() }
    }
}

impl Segment {
    fn open(folder: &Path, report: &BuildReport) -> Result<Option<Self>, Cause> {
        // A generation never changes, so it is read without tantivy's lock file: that works in a read-only folder, too.
        let segments = Index::open_in_dir(folder)?.searchable_segments()?;
        let Some(segment) = segments.first() else { return Ok(None) };
        let reader = &SegmentReader::open(segment)?;
        if reader.max_doc() == 0 {
            return Ok(None);
        }
        let (_, fields) = schema();
        Self::of(reader, fields, report).map(Some)
    }

    fn of(reader: &SegmentReader, fields: Fields, report: &BuildReport) -> Result<Self, Cause> {
        let column = |name| reader.fast_fields().column_first_or_default::<u64>(name);
        let files = u32::try_from(report.files).unwrap_or(u32::MAX);
        Ok(Self {
            chunk: ranked_terms(reader, fields.chunk, report.chunks)?,
            file: ranked_terms(reader, fields.file, report.files)?,
            symbol_exact: reader.inverted_index(fields.symbol_exact)?,
            symbol_lower: reader.inverted_index(fields.symbol_lower)?,
            symbol_words: reader.inverted_index(fields.symbol_words)?,
            files: file_numbers(column("file_number")?.as_ref(), reader.max_doc()),
            start_line: column("start_line")?,
            end_line: column("end_line")?,
            kind: column("kind")?,
            labels: reader.get_store_reader(CACHED_BLOCKS)?,
            fields,
            chunk_count: usize::try_from(report.chunks).unwrap_or_default(),
            first_file: reader.max_doc().saturating_sub(files),
        })
    }

    /// How many chunks there are; their documents come first.
    pub(crate) fn chunk_count(&self) -> usize {
        self.chunk_count
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
        let line =
            |column: &Arc<dyn ColumnValues<u64>>| u32::try_from(column.get_val(document)).unwrap_or(u32::MAX);
        Place {
            file: self.file_of(document),
            start_line: line(&self.start_line),
            end_line: line(&self.end_line),
            kind: ChunkKind::of_code(self.kind.get_val(document)),
        }
    }

    /// The symbol or heading of a document.
    pub(crate) fn label(&self, document: DocId) -> Result<Option<String>, Cause> {
        let stored: TantivyDocument = self.labels.get(document)?;
        Ok(stored.get_first(self.fields.label).and_then(|value| value.as_str()).map(str::to_owned))
    }
}

impl RankedTerms {
    /// By length code, what one word in the field counts.
    pub(crate) fn factors(&self, ranking: FieldRanking) -> [f32; 256] {
        let compute = || {
            let penalty = ranking.length_penalty;
            self.lengths_by_code.map(|relative| ranking.weight / (1.0 - penalty + penalty * relative))
        };
        let (known, factors) = self.factors.get_or_init(|| (ranking, compute()));
        if *known == ranking { *factors } else { compute() }
    }
}

fn file_numbers(column: &dyn ColumnValues<u64>, documents: DocId) -> Vec<u32> {
    let mut numbers = vec![0; documents as usize];
    column.get_range(0, &mut numbers);
    numbers.into_iter().map(|number| u32::try_from(number).unwrap_or(u32::MAX)).collect()
}

fn ranked_terms<const N: usize>(
    reader: &SegmentReader,
    fields: [Field; N],
    documents: u64,
) -> Result<[RankedTerms; N], Cause> {
    let mut terms = Vec::with_capacity(N);
    for field in fields {
        let postings = reader.inverted_index(field)?;
        let average = (postings.total_num_tokens() as f32 / documents.max(1) as f32).max(1.0);
        let length = |code: usize| FieldNormReader::id_to_fieldnorm(u8::try_from(code).unwrap_or(u8::MAX));
        let lengths_by_code = std::array::from_fn(|code| length(code) as f32 / average);
        terms.push(RankedTerms {
            field,
            postings,
            lengths: reader.get_fieldnorms_reader(field)?,
            lengths_by_code,
            factors: OnceLock::new(),
        });
    }
    // The list has one entry for each field, so this cannot fail.
    terms
        .try_into()
        .map_err(|_| tantivy::TantivyError::InternalError("fields without terms".to_owned()).into())
}
