//! The first pass of ranking: how often, and in which fields, each word of a query stands in each chunk and file.
//! A count is weighed by its field and shortened by the field's length; words of a chunk count for its file too.

use tantivy::DocId;

use super::query::QueryTerm;
use super::ranking::Ranking;
use crate::RepositoryIndex;
use crate::error::{Cause, Result};
use crate::index::{CHUNK_FIELDS, FILE_FIELDS, Segment, TermReader};

const TITLE_BIT: u8 = 1;
const BODY_BIT: u8 = 2;
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
    let mut counter = Counter::new(index, segment, ranking);
    let counts: Result<_, Cause> = terms.iter().map(|term| counter.count(&term.text)).collect();
    counts.map_err(|error| index.failed(error))
}

struct Counter<'a> {
    segment: &'a Segment,
    ranking: &'a Ranking,
    titles: TermReader<'a>,
    bodies: TermReader<'a>,
    files: Vec<TermReader<'a>>,
    tally: Tally,
}

impl<'a> Counter<'a> {
    fn new(index: &RepositoryIndex, segment: &'a Segment, ranking: &'a Ranking) -> Self {
        let [titles, bodies] = &segment.chunk;
        let files = segment.file.iter().zip(&ranking.file);
        Self {
            segment,
            ranking,
            titles: titles.reader(ranking.chunk[0]),
            bodies: bodies.reader(ranking.chunk[1]),
            files: files.map(|(terms, ranking)| terms.reader(*ranking)).collect(),
            tally: Tally::new(index.files().len()),
        }
    }

    fn count(&mut self, text: &str) -> Result<Counts, Cause> {
        let chunks = self.count_in_chunks(text)?;
        for (number, reader) in self.files.iter_mut().enumerate() {
            reader.find(text)?;
            reader.each(|document, count| {
                self.tally.add(self.segment.file_of_own(document), count, 1 << number);
            });
            // All other fields are made of the text of chunks, so after the path nothing can follow.
            if chunks.is_empty() {
                break;
            }
        }
        self.add_content(&chunks);
        Ok(Counts { chunks, files: self.tally.drain() })
    }

    /// Merges the titles and bodies that hold a word, both in the order of the documents.
    fn count_in_chunks(&mut self, text: &str) -> Result<Vec<Posting>, Cause> {
        let mut titled = Vec::with_capacity(self.titles.find(text)?);
        self.titles.each(|number, count| titled.push(Posting { number, count, fields: TITLE_BIT }));
        let mut postings = Vec::with_capacity(self.bodies.find(text)? + titled.len());
        let mut titled = titled.into_iter().peekable();
        self.bodies.each(|number, count| {
            while let Some(title) = titled.next_if(|title| title.number < number) {
                postings.push(title);
            }
            let title = titled.next_if(|title| title.number == number);
            let (more, fields) = title.map_or((0.0, 0), |title| (title.count, title.fields));
            postings.push(Posting { number, count: count + more, fields: fields | BODY_BIT });
        });
        postings.extend(titled);
        Ok(postings)
    }

    /// Lets the best chunk of each file count for the file.
    fn add_content(&mut self, chunks: &[Posting]) {
        let file = |posting: &Posting| self.segment.file_of(posting.number);
        for of_file in chunks.chunk_by(|a, b| file(a) == file(b)) {
            let best = of_file.iter().map(|posting| posting.count).fold(0.0, f32::max);
            let saturated = best / (best + self.ranking.chunk_saturation);
            self.tally.add(file(&of_file[0]), self.ranking.content * saturated, CONTENT_BIT);
        }
    }
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
