//! One file, read and understood.

use repos::Root;

use crate::Language;
use crate::admission::{self, SkipReason};
use crate::analysis::Analysis;
use crate::files::ListedFile;
use crate::mentions::{Mention, mentions};
use crate::source::{Note, Source};

/// A file that was read and understood.
pub(crate) struct AnalyzedFile {
    pub(crate) listed: ListedFile,
    pub(crate) language: Language,
    pub(crate) hash: u64,
    pub(crate) lines: u32,
    /// Bytes of text that are indexed; of a notebook only its cells count.
    pub(crate) text_bytes: u64,
    pub(crate) notes: Vec<Note>,
    pub(crate) mentions: Vec<Mention>,
    pub(crate) analysis: Analysis,
}

/// The bytes of a file that may be indexed, with their hash.
pub(crate) fn read(root: &Root, listed: &ListedFile) -> Result<(Vec<u8>, u64), SkipReason> {
    if let Some(reason) = admission::refuse_by_name(listed.path.as_str(), listed.bytes) {
        return Err(reason);
    }
    let limit = admission::LARGEST_NOTEBOOK_BYTES;
    let bytes = root.read(&listed.path, limit).map_err(|_| SkipReason::Unreadable)?;
    let hash = hash(&bytes);
    Ok((bytes, hash))
}

/// Understands the bytes of a file; what it finds depends on them and the path alone.
pub(crate) fn analyze(listed: &ListedFile, bytes: Vec<u8>, hash: u64) -> Result<AnalyzedFile, SkipReason> {
    let language = Language::detect(listed.path.as_str(), &bytes);
    if let Some(reason) = admission::refuse_by_content(language, &bytes) {
        return Err(reason);
    }
    let (source, mut notes) = Source::decode(bytes);
    let analysis = language.analyze(&source);
    notes.extend(&analysis.notes);
    let tells_of_others = language.is_documentation() || language == Language::Shell;
    Ok(AnalyzedFile {
        listed: listed.clone(),
        language,
        hash,
        lines: u32::try_from(source.line_count()).unwrap_or(u32::MAX),
        mentions: if tells_of_others { mentions(&analysis.chunks) } else { Vec::new() },
        text_bytes: match language {
            Language::Notebook => analysis.chunks.iter().map(|chunk| chunk.body.len() as u64).sum(),
            _ => source.text().len() as u64,
        },
        analysis,
        notes,
    })
}

/// The first eight bytes of a content hash: enough to tell the versions and copies within one repository.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let hash = blake3::hash(bytes);
    let mut first = [0; 8];
    first.copy_from_slice(&hash.as_bytes()[..8]);
    u64::from_le_bytes(first)
}
