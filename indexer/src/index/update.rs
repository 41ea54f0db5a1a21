//! An update: the files that changed become a new layer over those that are there. A file whose content comes back
//! needs no new documents, so switching between branches writes next to nothing. Small layers are folded into the new
//! one, so that their sizes fall like 1, 1/4, 1/16 and there are never many; too much change is a case for a build.

use std::collections::BTreeSet;

use rayon::prelude::*;
use repos::{RepositoryPath, Root};

use super::analyzed::{AnalyzedFile, analyze, read};
use super::documents::Extent;
use super::draft::{Draft, Talk};
use super::examine::{Examination, Examined, Source, examine};
use super::inventory::{Known, Stored, StoredFile, Summary};
use super::new_layer::{NewLayer, record, said_hash};
use super::pack::Parts;
use super::previous::Stock;
use super::records::{FileRecord, Records};
use crate::BuildProgress;
use crate::error::Cause;
use crate::files::{ListedFile, Listing};
use crate::mentions::{Mention, Said};

// All deltas together hold at most this part of the files of the base, or so many files where that is more.
const DELTA_SHARE: usize = 4;
const SMALL_DELTA_FILES: usize = 64;
// A layer is folded into a new one that has at least a fourth of its files: each file is then written again a few
// times at most, however many updates follow.
const FOLD_FACTOR: usize = 4;

/// The generation that follows `stock`; nothing when the change is so large that a build of all files is better.
pub(crate) fn update(
    (root, listing): (&Root, &Listing),
    stock: &Stock,
    progress: &dyn BuildProgress,
) -> Result<Option<Draft>, Cause> {
    let Some(base) = stock.layers.first().filter(|base| !base.files.is_empty()) else { return Ok(None) };
    let most = (base.files.len() / DELTA_SHARE).max(SMALL_DELTA_FILES);
    let Some(examination) = examine((root, listing), stock, most, progress) else { return Ok(None) };
    let Examination { files, skipped, files_read, files_changed } = examination;
    let summaries = stock.summaries()?;
    let talk = talk(&files, stock, &summaries);
    let owns = owns(&files, stock, &talk);
    let mut update =
        Update { stock, summaries: &summaries, talk: &talk, owns, files, layers: stock.layers.len() };
    update.fold(root);
    let Some(kept) = update.kept(most) else { return Ok(None) };
    let (layer, files) = update.write(&kept)?;
    let draft = |files| {
        let records = Records { files, skipped, links: talk.links };
        Draft { records, kept, layer, files_read, files_changed }
    };
    Ok(files.map(draft))
}

fn talk(files: &[Examined], stock: &Stock, summaries: &[Vec<Summary>]) -> Talk {
    let paths: Vec<RepositoryPath> = files.iter().map(|file| file.listed.path.clone()).collect();
    let chunks = files.iter().map(|file| match &file.source {
        Source::New(file) => u32::try_from(file.analysis.chunks.len()).unwrap_or(u32::MAX),
        Source::Stored(at) => stock.content(*at).map_or(0, |content| content.place.chunks),
    });
    let mentions = files.iter().map(|file| match &file.source {
        Source::New(file) => file.mentions.as_slice(),
        Source::Stored(at) => summaries[at.layer][at.file].mentions.as_slice(),
    });
    Talk::of(&paths, chunks, &mentions.collect::<Vec<&[Mention]>>())
}

/// Where the own documents of files lie that others say the same of.
fn owns(files: &[Examined], stock: &Stock, talk: &Talk) -> Vec<Option<Stored>> {
    let known = Known::of(stock.layers.iter().enumerate());
    let own = |(file, said): (&Examined, &Said)| known.own(&file.listed.path, file.hash, said_hash(said));
    files.par_iter().zip(&talk.said).map(own).collect()
}

/// An update under way.
struct Update<'a> {
    stock: &'a Stock,
    summaries: &'a [Vec<Summary>],
    talk: &'a Talk,
    files: Vec<Examined>,
    /// Where the own document of each file lies; nothing for one that is to be written.
    owns: Vec<Option<Stored>>,
    /// So many of the layers are not folded into the new one.
    layers: usize,
}

impl Update<'_> {
    /// How many files are to be written.
    fn gathered(&self) -> usize {
        let is_written =
            |(file, own): &(&Examined, &Option<Stored>)| file.source.stored().is_none() || own.is_none();
        self.files.iter().zip(&self.owns).filter(is_written).count()
    }

    /// Takes the files of small layers into the new one, newest first.
    fn fold(&mut self, root: &Root) {
        while self.layers > 1 {
            let (layer, gathered) = (self.layers - 1, self.gathered());
            if gathered == 0 || self.stock.layers[layer].files.len() > FOLD_FACTOR * gathered {
                return;
            }
            let again = |(number, file): (usize, &Examined)| {
                let is_there = file.source.stored().is_some_and(|at| at.layer == layer);
                is_there.then(|| Some((number, analyze_again(root, file)?)))
            };
            let again: Option<Vec<_>> = self.files.par_iter().enumerate().filter_map(again).collect();
            // What changed while it was read stays where it is; the next update sees the change.
            let Some(again) = again else { return };
            for (number, file) in again {
                self.files[number].source = Source::New(Box::new(file));
                self.owns[number] = None;
            }
            for own in &mut self.owns {
                *own = own.filter(|own| own.layer != layer);
            }
            self.layers = layer;
        }
    }

    /// The layers that stay; nothing when they would hold too much of the past.
    fn kept(&self, most: usize) -> Option<Vec<usize>> {
        let contents = || self.files.iter().filter_map(|file| file.source.stored()).map(|at| at.layer);
        let owns = self.owns.iter().flatten().map(|own| own.layer);
        let needed: BTreeSet<usize> = contents().chain(owns).collect();
        let of_base = contents().filter(|layer| *layer == 0).count();
        if !needed.contains(&0) || of_base < self.stock.layers[0].files.len() / 2 {
            return None;
        }
        let gathered = self.gathered();
        let fits = |layers: &Vec<usize>| {
            let deltas = layers.iter().filter(|layer| **layer > 0);
            deltas.map(|layer| self.stock.layers[*layer].files.len()).sum::<usize>() + gathered <= most
        };
        // A layer that nothing needs is kept, while there is room, for the day when its files come back.
        [(0..self.layers).collect(), needed.into_iter().collect()].into_iter().find(fits)
    }

    /// Writes the new layer, where there is anything to write, and the records over it and the kept ones, where none is
    /// missing.
    fn write(self, kept: &[usize]) -> Result<(Option<Parts>, Option<Vec<FileRecord>>), Cause> {
        let Self { stock, summaries, talk, files, owns, .. } = self;
        let (mut layer, mut said) = (NewLayer::create(Extent::Part)?, Vec::new());
        let mut placed = Vec::with_capacity(files.len());
        for ((file, own), about) in files.into_iter().zip(owns).zip(&talk.said) {
            let content = file.source.stored();
            placed.push(Placed { listed: file.listed.clone(), content, own, written: said.len(), about });
            match file.source {
                Source::New(analyzed) => layer.add(*analyzed)?,
                Source::Stored(at) if own.is_none() => {
                    layer.add_own(file.listed.path, file.hash, &summaries[at.layer][at.file]);
                }
                Source::Stored(_) => continue,
            }
            said.push(about);
        }
        let (parts, new) = if said.is_empty() {
            (None, Vec::new())
        } else {
            let (parts, new) = layer.finish(&said)?;
            (Some(parts), new)
        };
        let layers = Layers { stock, kept, new: &new };
        Ok((parts, placed.into_iter().map(|placed| layers.record(placed)).collect()))
    }
}

/// A file whose documents have their places.
struct Placed<'a> {
    listed: ListedFile,
    content: Option<Stored>,
    own: Option<Stored>,
    /// The number of the file in the new layer, for what is in no other.
    written: usize,
    about: &'a Said,
}

/// The layers of the new generation.
struct Layers<'a> {
    stock: &'a Stock,
    kept: &'a [usize],
    /// The files of the new layer.
    new: &'a [StoredFile],
}

impl Layers<'_> {
    fn record(&self, placed: Placed<'_>) -> Option<FileRecord> {
        let (layer, content) = self.file(placed.content, placed.written)?;
        let own = self.file(placed.own, placed.written)?;
        Some(record(placed.listed, (layer, content.content.as_ref()?), own, placed.about.places))
    }

    /// A file with the number of its layer in the new generation.
    fn file(&self, stored: Option<Stored>, written: usize) -> Option<(u32, &StoredFile)> {
        let (layer, file) = match stored {
            Some(at) => {
                let layer = self.kept.iter().position(|kept| *kept == at.layer)?;
                (layer, &self.stock.layers[at.layer].files[at.file])
            }
            None => (self.kept.len(), self.new.get(written)?),
        };
        Some((u32::try_from(layer).ok()?, file))
    }
}

/// The file of an older layer read and understood again; nothing when it has changed meanwhile.
fn analyze_again(root: &Root, file: &Examined) -> Option<AnalyzedFile> {
    let (bytes, hash) = read(root, &file.listed).ok()?;
    if hash != file.hash {
        return None;
    }
    analyze(&file.listed, bytes, hash).ok()
}
