//! The first pass of ranking: how often, and in which fields, each word of a query stands in each chunk and file.
//! A count is weighed by its field and shortened by the field's length; words of a chunk count for its file too.

use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, Term};

use super::query::QueryTerm;
use super::ranking::{FieldRanking, Ranking};
use crate::RepositoryIndex;
use crate::error::{Cause, Result};
use crate::index::{CHUNK_FIELDS, FILE_FIELDS, RankedTerms, Segment};

/// The bit of a file's posting that says: in the text of one of its chunks.
const CONTENT_BIT: u8 = 1 << FILE_FIELDS.len();

/// A word in a chunk or file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Posting {
    /// The document of a chunk, or the number of a file.
    pub(crate) number: u32,
    pub(crate) count: f32,
    /// One bit for each field that holds the word.
    pub(crate) fields: u8,
}

/// Where one word stands.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) chunks: Vec<Posting>,
    pub(crate) files: Vec<Posting>,
}

impl Counts {
    /// The names of the fields in which the word stands for this place.
    pub(crate) fn fields(&self, document: Option<DocId>, file: usize) -> impl Iterator<Item = &'static str> {
        let bits = |postings: &[Posting], number: u32| {
            postings.iter().find(|posting| posting.number == number).map_or(0, |posting| posting.fields)
        };
        let chunk = document.map_or(0, |document| bits(&self.chunks, document));
        let file = bits(&self.files, u32::try_from(file).unwrap_or(u32::MAX));
        let set = |bits: u8, number: usize| bits & (1 << number) != 0;
        let of_chunk = CHUNK_FIELDS.iter().enumerate().filter(move |(number, _)| set(chunk, *number));
        let of_file = FILE_FIELDS.iter().enumerate().filter(move |(number, _)| set(file, *number));
        of_chunk.chain(of_file).map(|(_, field)| field.shown)
    }
}

/// Counts each word in one repository.
pub(crate) fn count(index: &RepositoryIndex, terms: &[QueryTerm], ranking: &Ranking) -> Result<Vec<Counts>> {
    let Some(segment) = index.segment() else { return Ok(Vec::new()) };
    let mut counter = Counter {
        segment,
        ranking,
        chunk_factors: factors(&segment.chunk, &ranking.chunk),
        file_factors: factors(&segment.file, &ranking.file),
        chunks: Tally::new(segment.chunk_count()),
        files: Tally::new(index.files().len()),
        best: vec![0.0; index.files().len()],
    };
    terms
        .iter()
        .map(|term| counter.count(&term.text))
        .collect::<Result<_, Cause>>()
        .map_err(|error| index.failed(error))
}

struct Counter<'a> {
    segment: &'a Segment,
    ranking: &'a Ranking,
    chunk_factors: Vec<[f32; 256]>,
    file_factors: Vec<[f32; 256]>,
    chunks: Tally,
    files: Tally,
    /// The best saturated count of a chunk, by file.
    best: Vec<f32>,
}

impl Counter<'_> {
    fn count(&mut self, text: &str) -> Result<Counts, Cause> {
        let segment = self.segment;
        for (number, terms) in segment.chunk.iter().enumerate() {
            add(terms, text, &self.chunk_factors[number], |document, count| {
                self.chunks.add(document as usize, count, 1 << number);
            })?;
        }
        for (number, terms) in segment.file.iter().enumerate() {
            add(terms, text, &self.file_factors[number], |document, count| {
                self.files.add(segment.file_of_own(document), count, 1 << number);
            })?;
        }
        let chunks = self.chunks.drain();
        self.add_content(&chunks);
        Ok(Counts { chunks, files: self.files.drain() })
    }

    /// Lets the best chunk of each file count for the file.
    fn add_content(&mut self, chunks: &[Posting]) {
        let mut touched = Vec::new();
        for posting in chunks {
            let file = self.segment.file_of(posting.number);
            if self.best[file] == 0.0 {
                touched.push(file);
            }
            let saturated = posting.count / (posting.count + self.ranking.chunk_saturation);
            self.best[file] = self.best[file].max(saturated);
        }
        for file in touched {
            self.files.add(file, self.ranking.content * self.best[file], CONTENT_BIT);
            self.best[file] = 0.0;
        }
    }
}

/// Reads the postings of a word in one field.
fn add(
    terms: &RankedTerms,
    text: &str,
    factors: &[f32; 256],
    mut sink: impl FnMut(DocId, f32),
) -> Result<(), Cause> {
    let term = Term::from_field_text(terms.field, text);
    let Some(mut block) = terms.postings.read_block_postings(&term, IndexRecordOption::WithFreqs)? else {
        return Ok(());
    };
    while !block.docs().is_empty() {
        for (document, frequency) in block.docs().iter().zip(block.freqs()) {
            let factor = factors[usize::from(terms.lengths.fieldnorm_id(*document))];
            sink(*document, *frequency as f32 * factor);
        }
        block.advance();
    }
    Ok(())
}

fn factors<const N: usize>(fields: &[RankedTerms; N], rankings: &[FieldRanking; N]) -> Vec<[f32; 256]> {
    fields.iter().zip(rankings).map(|(terms, ranking)| terms.factors(*ranking)).collect()
}

/// Sums by number, with a list of the numbers that have one.
struct Tally {
    counts: Vec<f32>,
    fields: Vec<u8>,
    touched: Vec<u32>,
}

impl Tally {
    fn new(size: usize) -> Self {
        Self { counts: vec![0.0; size], fields: vec![0; size], touched: Vec::new() }
    }

    fn add(&mut self, number: usize, count: f32, field: u8) {
        if self.fields[number] == 0 {
            self.touched.push(u32::try_from(number).unwrap_or(u32::MAX));
        }
        self.fields[number] |= field;
        self.counts[number] += count;
    }

    fn drain(&mut self) -> Vec<Posting> {
        let mut postings = Vec::with_capacity(self.touched.len());
        for number in self.touched.drain(..) {
            let at = number as usize;
            postings.push(Posting { number, count: self.counts[at], fields: self.fields[at] });
            (self.counts[at], self.fields[at]) = (0.0, 0);
        }
        postings
    }
}
