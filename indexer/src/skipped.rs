//! Which files of a repository are not indexed, one by one. A report only counts them, so they are judged anew when
//! somebody asks; the walk is one of its own, so that nothing which an index misses can be missed here as well.

use std::collections::BTreeSet;

use repos::{Checkout, RepositoryPath, Root};
use serde::Serialize;
use walkdir::{DirEntry, WalkDir};

use crate::admission::{self, SkipReason};
use crate::files::{EXPORT_RECORD, Listing};
use crate::{Language, Result};

/// A file that is not indexed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct SkippedFile {
    /// Its path in the repository, as well as it can be written.
    pub path: String,
    /// Why, as reports count it: `binary`, `data_file`, `symlink` and the like.
    pub reason: &'static str,
}

/// The files of a checkout that an index of it leaves out, by path. Every file is read.
///
/// Errors when the files cannot be listed.
pub fn skipped_files(checkout: &Checkout) -> Result<Vec<SkippedFile>> {
    let listing = Listing::of(&checkout.folder)?;
    let root = checkout.root()?;
    let mut skipped = Vec::new();
    for file in &listing.files {
        if let Some(reason) = refusal(&root, &file.path, file.bytes) {
            skipped.push(SkippedFile { path: file.path.to_string(), reason: reason.name() });
        }
    }
    let listed: BTreeSet<&str> = listing.files.iter().map(|file| file.path.as_str()).collect();
    let walk = WalkDir::new(&checkout.folder).follow_root_links(true).into_iter().filter_entry(is_served);
    for entry in walk {
        // A folder that cannot be entered.
        let Ok(entry) = entry else {
            skipped.push(SkippedFile { path: String::new(), reason: SkipReason::Unreadable.name() });
            continue;
        };
        let path = entry.path().strip_prefix(&checkout.folder).unwrap_or(entry.path()).to_string_lossy();
        if let Some(reason) = kind(&entry).filter(|_| !listed.contains(&*path)) {
            skipped.push(SkippedFile { path: path.into_owned(), reason: reason.name() });
        }
    }
    skipped.sort();
    Ok(skipped)
}

/// Why a regular file is not indexed, as a build judges it.
fn refusal(root: &Root, path: &RepositoryPath, bytes: u64) -> Option<SkipReason> {
    if let Some(reason) = admission::refuse_by_name(path.as_str(), bytes) {
        return Some(reason);
    }
    let Ok(content) = root.read(path, admission::LARGEST_NOTEBOOK_BYTES) else {
        return Some(SkipReason::Unreadable);
    };
    admission::refuse_by_content(Language::detect(path.as_str(), &content), &content)
}

/// Why a walk does not list what it meets; none for folders.
fn kind(entry: &DirEntry) -> Option<SkipReason> {
    let kind = entry.file_type();
    if kind.is_dir() {
        None
    } else if kind.is_symlink() {
        Some(SkipReason::Symlink)
    } else if kind.is_file() {
        Some(SkipReason::OddName)
    } else {
        Some(SkipReason::NotAFile)
    }
}

fn is_served(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    !(name.eq_ignore_ascii_case(".git") || entry.depth() == 1 && name == EXPORT_RECORD)
}
