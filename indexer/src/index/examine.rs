//! What became of each listed file since the generation before: only those whose size or time differs are read, and
//! only those whose content no layer holds are analyzed.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use rayon::prelude::*;
use repos::Root;

use super::analyzed::{AnalyzedFile, analyze, read};
use super::inventory::{Known, Stored};
use super::previous::Stock;
use super::records::FileRecord;
use crate::BuildProgress;
use crate::admission::SkipReason;
use crate::files::{ListedFile, Listing};

/// Where the content of a file comes from.
pub(crate) enum Source {
    /// It lies in a layer.
    Stored(Stored),
    /// It is to be written.
    New(Box<AnalyzedFile>),
}

impl Source {
    /// Where the content lies, if it lies anywhere.
    pub(crate) fn stored(&self) -> Option<Stored> {
        match self {
            Self::Stored(at) => Some(*at),
            Self::New(_) => None,
        }
    }
}

/// A file to be indexed.
pub(crate) struct Examined {
    pub(crate) listed: ListedFile,
    pub(crate) hash: u64,
    pub(crate) source: Source,
}

/// All listed files.
pub(crate) struct Examination {
    /// In the order of their paths.
    pub(crate) files: Vec<Examined>,
    pub(crate) skipped: Vec<(ListedFile, SkipReason)>,
    pub(crate) files_read: u64,
    /// Files with other content than before, or none before, and files that are gone.
    pub(crate) files_changed: u64,
}

/// Examines the listed files; nothing when more than `most` of them are new.
pub(crate) fn examine(
    (root, listing): (&Root, &Listing),
    stock: &Stock,
    most: usize,
    progress: &dyn BuildProgress,
) -> Option<Examination> {
    let examiner = Examiner::of(root, stock, progress);
    let unread = listing.files.iter().filter(|listed| examiner.unchanged(listed).is_none());
    progress.total(unread.count() as u64);
    let judge = |listed: &ListedFile| {
        (examiner.new.load(Ordering::Relaxed) <= most).then(|| examiner.judge(listed)).ok_or(())
    };
    let judged: Vec<_> = listing.files.par_iter().map(judge).collect::<Result<_, ()>>().ok()?;
    if examiner.new.load(Ordering::Relaxed) > most {
        return None;
    }
    let (mut files, mut skipped) = (Vec::with_capacity(judged.len()), Vec::new());
    for (listed, judged) in listing.files.iter().zip(judged) {
        match judged {
            Ok((hash, source)) => files.push(Examined { listed: listed.clone(), hash, source }),
            Err(reason) => skipped.push((listed.clone(), reason)),
        }
    }
    let files_changed = examiner.changed(&files);
    Some(Examination { files, skipped, files_read: examiner.read.into_inner(), files_changed })
}

type Judged = Result<(u64, Source), SkipReason>;

struct Examiner<'a> {
    root: &'a Root,
    known: Known<'a>,
    files: HashMap<&'a str, &'a FileRecord>,
    skipped: HashMap<&'a str, (&'a ListedFile, SkipReason)>,
    progress: &'a dyn BuildProgress,
    read: AtomicU64,
    new: AtomicUsize,
}

impl<'a> Examiner<'a> {
    fn of(root: &'a Root, stock: &'a Stock, progress: &'a dyn BuildProgress) -> Self {
        Self {
            root,
            known: Known::of(stock.layers.iter().enumerate()),
            files: stock.files_by_path(),
            skipped: stock.skipped_by_path(),
            progress,
            read: AtomicU64::new(0),
            new: AtomicUsize::new(0),
        }
    }

    fn judge(&self, listed: &ListedFile) -> Judged {
        if let Some(judged) = self.unchanged(listed) {
            return judged;
        }
        let judged = self.examine(listed);
        self.progress.advance(1);
        judged
    }

    /// The judgement of a file that is listed as before.
    fn unchanged(&self, listed: &ListedFile) -> Option<Judged> {
        let path = listed.path.as_str();
        if let Some(file) = self.files.get(path).filter(|file| file.is_unchanged(listed)) {
            let stored = self.known.content(&listed.path, file.hash)?;
            return Some(Ok((file.hash, Source::Stored(stored))));
        }
        let (before, reason) = self.skipped.get(path)?;
        // What could not be read may be readable now, which changes neither size nor time.
        (*before == listed && *reason != SkipReason::Unreadable).then_some(Err(*reason))
    }

    /// How many files have other content than before, or had none before, or are gone.
    fn changed(&self, files: &[Examined]) -> u64 {
        let before = |file: &&Examined| self.files.get(file.listed.path.as_str());
        let stayed = files.iter().filter(|file| before(file).is_some()).count();
        let same = files.iter().filter(|file| before(file).is_some_and(|before| before.hash == file.hash));
        (files.len() - same.count() + self.files.len() - stayed) as u64
    }

    fn examine(&self, listed: &ListedFile) -> Judged {
        let (bytes, hash) = read(self.root, listed)?;
        self.read.fetch_add(1, Ordering::Relaxed);
        if let Some(stored) = self.known.content(&listed.path, hash) {
            return Ok((hash, Source::Stored(stored)));
        }
        let file = analyze(listed, bytes, hash)?;
        self.new.fetch_add(1, Ordering::Relaxed);
        Ok((hash, Source::New(Box::new(file))))
    }
}
