//! A layer on its way to disk: the documents of its files, and the inventory by which later updates find them.

use repos::RepositoryPath;

use super::analyzed::{AnalyzedFile, hash};
use super::documents::{Extent, Writer};
use super::inventory::{self, StoredContent, StoredFile, Summary};
use super::pack::Parts;
use super::records::{Content, FileRecord, Own};
use crate::error::Cause;
use crate::files::ListedFile;
use crate::mentions::Said;

/// A layer that is being made.
pub(crate) struct NewLayer {
    writer: Writer,
    pub(crate) files: Vec<StoredFile>,
    /// Of the files, in the same order.
    pub(crate) summaries: Vec<Summary>,
}

impl NewLayer {
    /// Starts a layer.
    pub(crate) fn create(extent: Extent) -> Result<Self, Cause> {
        Ok(Self { writer: Writer::create(extent)?, files: Vec::new(), summaries: Vec::new() })
    }

    /// Adds a file with all that was found in it.
    pub(crate) fn add(&mut self, file: AnalyzedFile) -> Result<(), Cause> {
        let analysis = file.analysis;
        let content = StoredContent {
            language: file.language,
            lines: file.lines,
            text_bytes: file.text_bytes,
            notes: file.notes,
            place: self.writer.add(&analysis.chunks, analysis.symbols)?,
        };
        self.push(file.listed.path, file.hash, Some(content));
        self.summaries.push(Summary {
            flags: analysis.flags,
            about: analysis.about,
            mentions: file.mentions,
        });
        Ok(())
    }

    /// Adds a file whose content lies in another layer, since others say something new of it.
    pub(crate) fn add_own(&mut self, path: RepositoryPath, hash: u64, summary: &Summary) {
        self.push(path, hash, None);
        let (flags, about) = (summary.flags.clone(), summary.about.clone());
        self.summaries.push(Summary { flags, about, mentions: Vec::new() });
    }

    /// Completes the layer; `said` is what others say of each file, in the order in which they were added.
    pub(crate) fn finish(mut self, said: &[&Said]) -> Result<(Parts, Vec<StoredFile>), Cause> {
        let first_symbol = self.writer.add_symbols()?;
        for ((file, summary), said) in self.files.iter_mut().zip(&self.summaries).zip(said) {
            if let Some(content) = &mut file.content {
                content.place.first_symbol += first_symbol;
            }
            file.document = self.writer.add_own(&file.path, summary, &said.words)?;
            file.said = said_hash(said);
        }
        let mut parts = self.writer.finish()?;
        inventory::add(&mut parts, &self.files, &self.summaries)?;
        Ok((parts, self.files))
    }

    fn push(&mut self, path: RepositoryPath, hash: u64, content: Option<StoredContent>) {
        self.files.push(StoredFile { path, hash, document: 0, said: 0, content });
    }
}

/// Tells what others say of a file.
pub(crate) fn said_hash(said: &Said) -> u64 {
    hash(said.words.as_bytes())
}

/// The record of a file as it is listed, whose content and own document lie in these layers.
pub(crate) fn record(
    listed: ListedFile,
    content: (u32, &StoredContent),
    own: (u32, &StoredFile),
    mentions: u32,
) -> FileRecord {
    let ((layer, content), (own_layer, own)) = (content, own);
    FileRecord {
        path: listed.path,
        language: content.language,
        hash: own.hash,
        lines: content.lines,
        mentions,
        bytes: listed.bytes,
        modified: listed.modified,
        text_bytes: content.text_bytes,
        notes: content.notes.clone(),
        content: Content { layer, ..content.place },
        own: Own { layer: own_layer, document: own.document, said: own.said },
    }
}
