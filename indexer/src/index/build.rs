//! One build: files are read and analyzed in batches on all cores while the batch before is written, so memory
//! stays bounded; files are ranked by what others say of them, so their documents come last.

use std::collections::BTreeMap;
use std::path::Path;

use rayon::prelude::*;
use repos::Root;
use tantivy::DocId;

use super::documents::Writer;
use super::records::{ChunkLinks, FileRecord, Records};
use crate::admission::{self, SkipReason};
use crate::analysis::Analysis;
use crate::error::Cause;
use crate::files::{ListedFile, Listing};
use crate::mentions::{Links, Mention, Resolver, mentions};
use crate::source::{Note, Source, count_notes};
use crate::{BuildProgress, Language, trigrams};

// Enough work for all cores, and little enough to hold the text of two batches in memory.
const BATCH_FILES: usize = 256;

/// What a build wrote.
#[derive(Default)]
pub(crate) struct Written {
    pub(crate) files: u64,
    pub(crate) chunks: u64,
    pub(crate) symbols: u64,
    pub(crate) bytes: u64,
    pub(crate) skipped: BTreeMap<String, u64>,
    pub(crate) notes: BTreeMap<String, u64>,
}

/// A file that was read and understood.
pub(crate) struct AnalyzedFile {
    pub(crate) record: FileRecord,
    pub(crate) analysis: Analysis,
    mentions: Vec<Mention>,
    notes: Vec<Note>,
    bytes: u64,
}

/// Writes the index of the listed files into `folder`.
pub(crate) fn build(
    root: &Root,
    listing: &Listing,
    folder: &Path,
    progress: &dyn BuildProgress,
) -> Result<Written, Cause> {
    let mut written = Written::default();
    for (reason, count) in &listing.skipped {
        written.skipped.insert(reason.name().to_owned(), *count);
    }
    progress.total(listing.files.len() as u64);
    let mut state = State {
        writer: Writer::create(folder)?,
        records: Records::default(),
        mentions: Vec::new(),
        first_chunks: Vec::new(),
        written,
    };
    let mut batches = listing.files.chunks(BATCH_FILES);
    let mut analyzed = batches.next().map(|batch| analyze_batch(root, batch, progress)).unwrap_or_default();
    while !analyzed.is_empty() {
        let next = batches.next();
        let (following, added) = rayon::join(
            || next.map(|batch| analyze_batch(root, batch, progress)).unwrap_or_default(),
            || state.add(analyzed),
        );
        added?;
        analyzed = following;
    }
    trigrams::write(root, listing, folder)?;
    state.finish(folder)
}

type Judged<'a> = (&'a ListedFile, Result<AnalyzedFile, SkipReason>);

fn analyze_batch<'a>(root: &Root, batch: &'a [ListedFile], progress: &dyn BuildProgress) -> Vec<Judged<'a>> {
    batch
        .par_iter()
        // Files differ in size by orders of magnitude; single ones balance best.
        .with_max_len(1)
        .map(|file| {
            let judged = analyze(root, file);
            progress.advance(1);
            (file, judged)
        })
        .collect()
}

fn analyze(root: &Root, file: &ListedFile) -> Result<AnalyzedFile, SkipReason> {
    if let Some(reason) = admission::refuse_by_name(file.path.as_str(), file.bytes) {
        return Err(reason);
    }
    let bytes =
        root.read(&file.path, admission::LARGEST_NOTEBOOK_BYTES).map_err(|_| SkipReason::Unreadable)?;
    let language = Language::detect(file.path.as_str(), &bytes);
    if let Some(reason) = admission::refuse_by_content(language, &bytes) {
        return Err(reason);
    }
    let hash = hash(&bytes);
    let (source, mut notes) = Source::decode(bytes);
    let analysis = language.analyze(&source);
    notes.extend(&analysis.notes);
    let tells_of_others = language.is_documentation() || language == Language::Shell;
    let lines = u32::try_from(source.line_count()).unwrap_or(u32::MAX);
    Ok(AnalyzedFile {
        record: FileRecord { path: file.path.clone(), language, hash, lines, mentions: 0 },
        mentions: if tells_of_others { mentions(&analysis.chunks) } else { Vec::new() },
        bytes: match language {
            Language::Notebook => analysis.chunks.iter().map(|chunk| chunk.body.len() as u64).sum(),
            _ => source.text().len() as u64,
        },
        analysis,
        notes,
    })
}

/// The first eight bytes of a content hash: enough to tell the copies within one repository.
fn hash(bytes: &[u8]) -> u64 {
    let hash = blake3::hash(bytes);
    let mut first = [0; 8];
    first.copy_from_slice(&hash.as_bytes()[..8]);
    u64::from_le_bytes(first)
}

/// A build under way.
struct State {
    writer: Writer,
    records: Records,
    /// Of each file in the records.
    mentions: Vec<Vec<Mention>>,
    /// The document of the first chunk of each file.
    first_chunks: Vec<DocId>,
    written: Written,
}

impl State {
    fn add(&mut self, batch: Vec<Judged<'_>>) -> Result<(), Cause> {
        for (listed, judged) in batch {
            match judged {
                Ok(file) => self.add_file(file)?,
                Err(reason) => {
                    self.records.skip(listed, reason);
                    *self.written.skipped.entry(reason.name().to_owned()).or_default() += 1;
                }
            }
        }
        Ok(())
    }

    fn add_file(&mut self, file: AnalyzedFile) -> Result<(), Cause> {
        self.written.files += 1;
        self.written.chunks += file.analysis.chunks.len() as u64;
        self.written.symbols += file.analysis.symbols.len() as u64;
        self.written.bytes += file.bytes;
        count_notes(&mut self.written.notes, &file.notes);
        self.first_chunks.push(self.writer.add(self.records.files.len() as u64, file.analysis)?);
        self.records.files.push(file.record);
        self.mentions.push(file.mentions);
        Ok(())
    }

    fn placed(&self, links: Links) -> ChunkLinks {
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        ChunkLinks {
            document: self.first_chunks[links.from] + number(links.chunk),
            files: links.to.into_iter().map(number).collect(),
        }
    }

    fn finish(mut self, folder: &Path) -> Result<Written, Cause> {
        let paths: Vec<_> = self.records.files.iter().map(|record| record.path.clone()).collect();
        let (said, links) = Resolver::new(&paths).collect(&self.mentions);
        self.records.links = links.into_iter().map(|links| self.placed(links)).collect();
        for (record, said) in self.records.files.iter_mut().zip(&said) {
            record.mentions = said.places;
        }
        self.writer.finish(&paths, &said)?;
        self.records.write(folder)?;
        Ok(self.written)
    }
}
