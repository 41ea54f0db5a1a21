//! `list_files`: what is in a folder, as a bounded tree or as everything that a pattern matches.

use std::collections::HashMap;
use std::fmt::Write;

use indexer::PathGlob;
use repos::{FolderListing, ListBounds, Listed, ListedKind, RepositoryPath, Root};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::nearest::nearest_folders;
use crate::paging::{cursor, in_range, offset};
use crate::tokens::{Budget, DEFAULT_TOKENS};
use crate::toolbox::blocking;
use crate::{Call, Effect, Error, Result, Tool, Toolbox, visible};

const DEFAULT_DEPTH: u32 = 2;
const MOST_DEPTH: u32 = 32;
const DEFAULT_ENTRIES: u32 = 200;
const MOST_ENTRIES: u32 = 1_000;

/// See the module.
pub struct ListFiles;

/// Which folder, how deep.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListFilesInput {
    /// Repository name.
    pub repo: String,
    /// Folder to list; the repository's own if left out.
    #[serde(default)]
    pub path: Option<String>,
    /// Only files that match, at any depth: `*.py` by name, `docs/**/*.md` by path.
    #[serde(default)]
    pub path_glob: Option<String>,
    /// Levels of folders to show.
    #[serde(default)]
    #[schemars(range(min = 1, max = 32))]
    pub depth: Option<u32>,
    /// Workspace handle, to list what stands there.
    #[serde(default)]
    pub workspace: Option<String>,
    /// How many entries.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<u32>,
    /// `next_cursor` of the answer before.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// The entries.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListFilesOutput {
    /// Repository name.
    pub repo: String,
    /// The folder, empty for the repository's own.
    pub path: String,
    /// The commit served; absent for a workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Each folder before what is in it.
    pub entries: Vec<FileEntry>,
    /// Entries in the whole list.
    pub total: usize,
    /// Pass it as `cursor` to continue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// What was left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A file, folder or link.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileEntry {
    /// Path in the repository; folders end with `/`.
    pub path: String,
    /// Size of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Files beneath a folder that is not opened here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<usize>,
    /// `link` or `other` for what is neither file nor folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

impl Tool for ListFiles {
    const NAME: &'static str = "list_files";
    const TITLE: &'static str = "List files";
    const DESCRIPTION: &'static str = "Lists a folder of a repository as a tree of a few levels, or all files that a \
        pattern matches. Use it to see how a repository is laid out; to find code by what it does, `search` is better.";
    const EFFECT: Effect = Effect::ReadsOnly;
    type Input = ListFilesInput;
    type Output = ListFilesOutput;

    async fn run(toolbox: &Toolbox, input: Self::Input, _call: &Call) -> Result<Self::Output> {
        let toolbox = toolbox.clone();
        blocking(move || list(&toolbox, &input)).await
    }

    fn render(output: &Self::Output) -> String {
        let commit = output.commit.as_ref().map_or_else(String::new, |commit| format!(" @ {commit}"));
        let mut text = format!("{}/{}{commit}, {} entries\n", output.repo, output.path, output.total);
        for entry in &output.entries {
            text.push_str(&entry.path);
            if let Some(bytes) = entry.bytes {
                let _ = write!(text, "  {bytes} B");
            }
            if let Some(files) = entry.files {
                let _ = write!(text, "  ({files} files)");
            }
            if let Some(kind) = &entry.kind {
                let _ = write!(text, "  [{kind}]");
            }
            text.push('\n');
        }
        for note in &output.notes {
            let _ = writeln!(text, "Note: {note}");
        }
        if let Some(cursor) = &output.next_cursor {
            let _ = writeln!(text, "More follows: call list_files again with cursor=\"{cursor}\".");
        }
        text
    }
}

fn list(toolbox: &Toolbox, input: &ListFilesInput) -> Result<ListFilesOutput> {
    let depth = in_range("depth", input.depth.unwrap_or(DEFAULT_DEPTH), 1..=MOST_DEPTH)? as usize;
    let limit = in_range("limit", input.limit.unwrap_or(DEFAULT_ENTRIES), 1..=MOST_ENTRIES)? as usize;
    let glob = input.path_glob.as_deref().map(PathGlob::parse).transpose()?;
    let (_, checkout) = toolbox.repository(&input.repo)?;
    let path: RepositoryPath = input.path.as_deref().unwrap_or_default().parse()?;
    let root = toolbox.root(&checkout, input.workspace.as_deref())?;
    let listing = listing(&root, &path, checkout.name.as_str())?;
    let all = match &glob {
        Some(glob) => matching(&listing, glob),
        None => tree(&listing, depth),
    };
    let identity = format!("{:?}", (&input.repo, &path, &input.path_glob, depth, &input.workspace));
    let start = offset(input.cursor.as_deref(), &identity)?;
    let total = all.len();
    let entries = page(all, start, limit);
    let next = start + entries.len();
    Ok(ListFilesOutput {
        repo: checkout.name.to_string(),
        path: path.to_string(),
        commit: input.workspace.is_none().then_some(checkout.commit).flatten().map(String::from),
        notes: notes(&listing, input, total),
        entries,
        total,
        next_cursor: (next < total).then(|| cursor(next, &identity)),
    })
}

fn listing(root: &Root, path: &RepositoryPath, repository: &str) -> Result<FolderListing> {
    root.list(path, ListBounds::default()).map_err(|error| match error {
        repos::Error::FileNotFound { path } => Error::NoSuchFolder {
            repository: repository.to_owned(),
            nearest: nearest_folders(root, path.as_str()),
            path: path.to_string(),
        },
        repos::Error::NotAFolder { path } => Error::FileInsteadOfFolder { path: path.to_string() },
        other => other.into(),
    })
}

/// All files that match, by path.
fn matching(listing: &FolderListing, glob: &PathGlob) -> Vec<FileEntry> {
    let files = listing.entries.iter().filter(|entry| entry.kind != ListedKind::Folder);
    files.filter(|entry| glob.is_match(&entry.path)).map(|entry| describe(entry, None)).collect()
}

/// The first levels; folders on the last one with how much is beneath them.
fn tree(listing: &FolderListing, depth: usize) -> Vec<FileEntry> {
    let beneath = files_beneath(listing, depth);
    let shown = listing.entries.iter().filter(|entry| entry.depth <= depth);
    shown.map(|entry| describe(entry, beneath.get(entry.path.as_str()).copied())).collect()
}

/// How many files each folder at that depth holds, at any level.
fn files_beneath(listing: &FolderListing, depth: usize) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    let mut current = None;
    // Each folder comes before what is in it, so one pass sees every folder's own.
    for entry in &listing.entries {
        if entry.depth <= depth {
            current =
                (entry.depth == depth && entry.kind == ListedKind::Folder).then_some(entry.path.as_str());
            counts.extend(current.map(|folder| (folder, 0)));
        } else if entry.kind != ListedKind::Folder
            && let Some(count) = current.and_then(|folder| counts.get_mut(folder))
        {
            *count += 1;
        }
    }
    counts
}

fn describe(entry: &Listed, files: Option<usize>) -> FileEntry {
    let end = if entry.kind == ListedKind::Folder { "/" } else { "" };
    FileEntry {
        path: format!("{}{end}", visible(&entry.path)),
        bytes: (entry.kind == ListedKind::File).then_some(entry.bytes),
        files,
        kind: match entry.kind {
            ListedKind::Link => Some("link".to_owned()),
            ListedKind::Other => Some("other".to_owned()),
            ListedKind::File | ListedKind::Folder => None,
        },
    }
}

/// What fits an answer, of at most `limit` entries.
fn page(all: Vec<FileEntry>, start: usize, limit: usize) -> Vec<FileEntry> {
    let mut budget = Budget::of(DEFAULT_TOKENS);
    // The structure names the fields of each entry, which the text does not.
    let fits = |entry: &FileEntry| budget.take(&format!("{{\"path\":\"{}\",\"bytes\":123456}},", entry.path));
    let mut fits = fits;
    all.into_iter().skip(start).take(limit).take_while(|entry| fits(entry)).collect()
}

fn notes(listing: &FolderListing, input: &ListFilesInput, total: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if total == 0 && input.path_glob.is_some() {
        notes.push(
            "nothing matches; a pattern without `/` is for file names, one with `/` for whole paths"
                .to_owned(),
        );
    } else if total == 0 {
        notes.push("the folder is empty".to_owned());
    }
    if listing.cut {
        notes.push("the folder holds more than is looked at; list one of its folders".to_owned());
    }
    if listing.unopened > 0 {
        notes.push(format!("{} folders could not be looked into", listing.unopened));
    }
    if listing.escaped > 0 {
        notes.push(format!(
            "{} names are no plain text and stand escaped; they cannot be read",
            listing.escaped
        ));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(files: &[&str]) -> FolderListing {
        let folder = tempfile::tempdir().unwrap();
        for path in files {
            let path = folder.path().join(path);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, "12345").unwrap();
        }
        Root::open(folder.path()).unwrap().list(&RepositoryPath::top(), ListBounds::default()).unwrap()
    }

    fn paths(entries: &[FileEntry]) -> Vec<String> {
        let files = |entry: &FileEntry| entry.files.map_or_else(String::new, |files| format!(" {files}"));
        entries.iter().map(|entry| format!("{}{}", entry.path, files(entry))).collect()
    }

    #[test]
    fn a_tree_shows_some_levels_and_counts_the_rest() {
        let listing = listing(&["a/b/c/one", "a/b/two", "a/three", "z", "e/f"]);
        assert_eq!(paths(&tree(&listing, 1)), ["a/ 3", "e/ 1", "z"]);
        assert_eq!(paths(&tree(&listing, 2)), ["a/", "a/b/ 2", "a/three", "e/", "e/f", "z"]);
    }

    #[test]
    fn a_pattern_reaches_every_level() {
        let listing = listing(&["a/b/c.py", "d.py", "a/x.md"]);
        let matched = |glob: &str| paths(&matching(&listing, &PathGlob::parse(glob).unwrap()));
        assert_eq!(matched("*.py"), ["a/b/c.py", "d.py"]);
        assert_eq!(matched("a/**/*.py"), ["a/b/c.py"]);
        assert_eq!(matched("a/*.py"), [""; 0]);
    }

    #[test]
    fn an_answer_stops_where_it_is_full() {
        let names: Vec<String> =
            (0..3_000).map(|number| format!("{}/{number:04}", "long_name".repeat(10))).collect();
        let listing = listing(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let entries = page(tree(&listing, 9), 0, 1_000);
        assert!((50..1_000).contains(&entries.len()), "{}", entries.len());
    }
}
