//! A build of all files: they are read and analyzed in batches on all cores while the batch before is written, so
//! memory stays bounded; files are ranked by what others say of them, so their documents come last.

use rayon::prelude::*;
use repos::{RepositoryPath, Root};

use super::analyzed::{AnalyzedFile, analyze, read};
use super::documents::Extent;
use super::draft::{Draft, Talk};
use super::inventory::Summary;
use super::new_layer::{NewLayer, record};
use super::records::Records;
use crate::BuildProgress;
use crate::admission::SkipReason;
use crate::error::Cause;
use crate::files::{ListedFile, Listing};
use crate::mentions::Mention;

// Enough work for all cores, and little enough to hold the text of two batches in memory.
const BATCH_FILES: usize = 256;

/// Reads all listed files into one layer.
pub(crate) fn build(root: &Root, listing: &Listing, progress: &dyn BuildProgress) -> Result<Draft, Cause> {
    progress.total(listing.files.len() as u64);
    let mut state =
        State { layer: NewLayer::create(Extent::Whole)?, listed: Vec::new(), skipped: Vec::new() };
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
    state.finish(listing.files.len() as u64)
}

type Judged<'a> = (&'a ListedFile, Result<AnalyzedFile, SkipReason>);

fn analyze_batch<'a>(root: &Root, batch: &'a [ListedFile], progress: &dyn BuildProgress) -> Vec<Judged<'a>> {
    batch
        .par_iter()
        // Files differ in size by orders of magnitude; single ones balance best.
        .with_max_len(1)
        .map(|file| {
            let judged = read(root, file).and_then(|(bytes, hash)| analyze(file, bytes, hash));
            progress.advance(1);
            (file, judged)
        })
        .collect()
}

/// A build under way.
struct State {
    layer: NewLayer,
    /// The files of the layer.
    listed: Vec<ListedFile>,
    skipped: Vec<(ListedFile, SkipReason)>,
}

impl State {
    fn add(&mut self, batch: Vec<Judged<'_>>) -> Result<(), Cause> {
        for (listed, judged) in batch {
            match judged {
                Ok(file) => {
                    self.layer.add(file)?;
                    self.listed.push(listed.clone());
                }
                Err(reason) => self.skipped.push((listed.clone(), reason)),
            }
        }
        Ok(())
    }

    fn finish(self, files_read: u64) -> Result<Draft, Cause> {
        let paths: Vec<RepositoryPath> = self.listed.iter().map(|listed| listed.path.clone()).collect();
        let contents = self.layer.files.iter().map(|file| file.content.as_ref());
        let chunks = contents.map(|content| content.map_or(0, |content| content.place.chunks));
        let talk = Talk::of(&paths, chunks, &self.layer.summaries);
        let (parts, stored) = self.layer.finish(&talk.said.iter().collect::<Vec<_>>())?;
        let files =
            self.listed.into_iter().zip(&stored).zip(&talk.said).filter_map(|((listed, file), said)| {
                Some(record(listed, (0, file.content.as_ref()?), (0, file), said.places))
            });
        let records = Records { files: files.collect(), skipped: self.skipped, links: talk.links };
        let files_changed = records.files.len() as u64;
        Ok(Draft { records, kept: Vec::new(), layer: Some(parts), files_read, files_changed })
    }
}

impl AsRef<[Mention]> for Summary {
    fn as_ref(&self) -> &[Mention] {
        &self.mentions
    }
}
