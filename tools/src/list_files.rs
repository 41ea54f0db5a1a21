//! `list_files`: what is in a repository or a workspace, as a list that fits an answer.
//! Without a depth it goes as deep as one answer holds, so that the first call shows the shape of any repository.

use std::fmt::Write;

use indexer::PathGlob;
use repos::{FolderListing, ListBounds, Listed, ListedKind, RepositoryPath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::nearest::nearest;
use crate::paging::{cursor, in_range, offset};
use crate::tokens::{Budget, DEFAULT_TOKENS};
use crate::toolbox::blocking;
use crate::{Call, Effect, Error, Result, Tool, Toolbox, visible};

const MOST_ENTRIES: u32 = 1_000;
const MOST_DEPTH: u32 = 64;
// What the structure writes around a path: `{"path":"","kind":"folder","files":1234},`.
const ROW_OVERHEAD: &str = r#"{"path":"","kind":"folder","files":1234},"#;

/// See the module.
pub struct ListFiles;

/// Which part of what.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListFilesInput {
    /// Repository name.
    pub repo: String,
    /// Folder; all without it.
    #[serde(default)]
    pub path: Option<String>,
    /// Only matches, at all depths: `*.py`, `docs/**/*.md`.
    #[serde(default)]
    pub path_glob: Option<String>,
    /// Levels; as many as fit without it.
    #[serde(default)]
    #[schemars(range(min = 1, max = 64))]
    pub depth: Option<u32>,
    /// Handle, to list the files there.
    #[serde(default)]
    pub workspace: Option<String>,
    /// Most entries.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<u32>,
    /// `next_cursor` from before.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// What is there.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListFilesOutput {
    /// Repository name.
    pub repo: String,
    /// Folder.
    pub path: String,
    /// Commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// Levels shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
    /// Folders before what is in them.
    pub entries: Vec<FileEntry>,
    /// Over all pages.
    pub total_entries: usize,
    /// At all depths.
    pub total_files: usize,
    /// At all depths.
    pub total_folders: usize,
    /// Of all files.
    pub total_bytes: u64,
    /// What was left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Continues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A file, folder or link.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileEntry {
    /// Path.
    pub path: String,
    /// `file`, `folder`, `link` or `other`.
    pub kind: &'static str,
    /// Size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Files inside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<usize>,
}

impl Tool for ListFiles {
    const NAME: &'static str = "list_files";
    const TITLE: &'static str = "List files";
    const DESCRIPTION: &'static str = "Lists files and folders of a repository or workspace with sizes, as deep as \
        fits, or those that match `path_glob`. Use `search` to find code by what it does.";
    const EFFECT: Effect = Effect::ReadsOnly;
    type Input = ListFilesInput;
    type Output = ListFilesOutput;

    async fn run(toolbox: &Toolbox, input: Self::Input, _call: &Call) -> Result<Self::Output> {
        let toolbox = toolbox.clone();
        blocking(move || list(&toolbox, &input)).await
    }

    fn render(output: &Self::Output) -> String {
        let mut text = format!("{}/{}", output.repo, output.path);
        if let Some(commit) = &output.commit {
            let _ = write!(text, " @ {commit}");
        }
        if let Some(workspace) = &output.workspace {
            let _ = write!(text, " (workspace {workspace})");
        }
        let _ = match output.depth {
            Some(_) => write!(text, ": "),
            None => write!(text, ": {} entries match, of ", output.total_entries),
        };
        let _ = write!(
            text,
            "{} files, {} folders, {} bytes in all",
            output.total_files, output.total_folders, output.total_bytes
        );
        if let Some(depth) = output.depth {
            let _ = write!(text, "; {depth} level(s) shown");
        }
        text.push('\n');
        for entry in &output.entries {
            let _ = match (entry.kind, entry.bytes, entry.files) {
                ("folder", _, Some(files)) => writeln!(text, "{}/ ({files} files)", entry.path),
                (_, Some(bytes), _) => writeln!(text, "{}  {bytes}", entry.path),
                (kind, ..) => writeln!(text, "{} ({kind})", entry.path),
            };
        }
        for note in &output.notes {
            let _ = writeln!(text, "Note: {note}");
        }
        if let Some(next) = &output.next_cursor {
            let _ = writeln!(
                text,
                "{} of {} entries shown. To continue, call list_files again with cursor=\"{next}\".",
                output.entries.len(),
                output.total_entries
            );
        }
        text
    }
}

fn list(toolbox: &Toolbox, input: &ListFilesInput) -> Result<ListFilesOutput> {
    let limit = in_range("limit", input.limit.unwrap_or(MOST_ENTRIES), 1..=MOST_ENTRIES)? as usize;
    let depth = input.depth.map(|depth| in_range("depth", depth, 1..=MOST_DEPTH)).transpose()?;
    let glob = input.path_glob.as_deref().filter(|glob| !glob.is_empty()).map(PathGlob::parse).transpose()?;
    let (_, checkout) = toolbox.repository(&input.repo)?;
    let path: RepositoryPath = input.path.as_deref().unwrap_or_default().parse()?;
    let root = toolbox.root(&checkout, input.workspace.as_deref())?;
    let listing = root
        .list(&path, ListBounds::default())
        .map_err(|error| explain(error, checkout.name.as_str(), &root))?;
    let wanted = Wanted { glob: glob.as_ref(), top: path.as_str(), depth: depth.map(|depth| depth as usize) };
    let (rows, depth) = wanted.rows(&listing);
    let query =
        format!("{}\n{path}\n{:?}\n{:?}\n{:?}", checkout.name, input.path_glob, input.depth, input.workspace);
    let from = offset(input.cursor.as_deref(), &query)?.min(rows.len());
    let mut budget = Budget::of(DEFAULT_TOKENS);
    let shown = rows[from..].iter().take(limit).take_while(|row| budget.take(&row.text())).count().max(1);
    let end = (from + shown).min(rows.len());
    Ok(ListFilesOutput {
        repo: checkout.name.to_string(),
        path: path.as_str().to_owned(),
        commit: checkout.commit.map(String::from),
        workspace: input.workspace.clone(),
        depth,
        entries: rows[from..end].iter().map(Row::entry).collect(),
        total_entries: rows.len(),
        total_files: count(&listing.entries, ListedKind::File),
        total_folders: count(&listing.entries, ListedKind::Folder),
        total_bytes: listing.entries.iter().map(|entry| entry.bytes).sum(),
        notes: notes(&listing, depth, rows.is_empty(), glob.is_some()),
        next_cursor: (end < rows.len()).then(|| cursor(end, &query)),
    })
}

/// One entry that will be shown, with the files in it when it is a folder.
#[derive(Clone, Copy)]
struct Row<'a> {
    listed: &'a Listed,
    files: usize,
}

impl Row<'_> {
    fn entry(&self) -> FileEntry {
        let kind = self.listed.kind;
        FileEntry {
            path: visible(&self.listed.path).into_owned(),
            kind: match kind {
                ListedKind::File => "file",
                ListedKind::Folder => "folder",
                ListedKind::Link => "link",
                ListedKind::Other => "other",
            },
            bytes: (kind == ListedKind::File).then_some(self.listed.bytes),
            files: (kind == ListedKind::Folder).then_some(self.files),
        }
    }

    fn text(&self) -> String {
        format!("{}{ROW_OVERHEAD}", self.listed.path)
    }
}

/// What of a listing is shown.
struct Wanted<'a> {
    glob: Option<&'a PathGlob>,
    top: &'a str,
    depth: Option<usize>,
}

impl Wanted<'_> {
    /// The rows, and how many levels they show when the number is limited.
    fn rows<'a>(&self, listing: &'a FolderListing) -> (Vec<Row<'a>>, Option<usize>) {
        let rows = with_counts(&listing.entries);
        let within = |depth: usize| rows.iter().filter(move |row| row.listed.depth <= depth).copied();
        if let Some(glob) = self.glob {
            let depth = self.depth.unwrap_or(usize::MAX);
            return (within(depth).filter(|row| self.admits(glob, row)).collect(), self.depth);
        }
        let deepest = listing.entries.iter().map(|entry| entry.depth).max().unwrap_or(1);
        let fits = |depth: &usize| {
            let mut budget = Budget::of(DEFAULT_TOKENS);
            within(*depth).count() <= MOST_ENTRIES as usize
                && within(*depth).all(|row| budget.take(&row.text()))
        };
        let depth = self.depth.unwrap_or_else(|| (1..=deepest).take_while(fits).last().unwrap_or(1));
        (within(depth).collect(), Some(depth.min(deepest)))
    }

    /// Agents write patterns from the repository's top and from the folder they list; both are understood.
    fn admits(&self, glob: &PathGlob, row: &Row<'_>) -> bool {
        let path = &row.listed.path;
        let inside = path.strip_prefix(self.top).and_then(|rest| rest.strip_prefix('/'));
        glob.is_match(path) || inside.is_some_and(|inside| glob.is_match(inside))
    }
}

/// Each entry with the files beneath it: what follows a folder and is deeper is in it.
fn with_counts(entries: &[Listed]) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = entries.iter().map(|listed| Row { listed, files: 0 }).collect();
    let mut open: Vec<usize> = Vec::new();
    for number in 0..rows.len() {
        let depth = rows[number].listed.depth;
        open.truncate(depth - 1);
        match rows[number].listed.kind {
            ListedKind::Folder => open.push(number),
            ListedKind::File => open.iter().for_each(|folder| rows[*folder].files += 1),
            ListedKind::Link | ListedKind::Other => {}
        }
    }
    rows
}

fn count(entries: &[Listed], kind: ListedKind) -> usize {
    entries.iter().filter(|entry| entry.kind == kind).count()
}

fn notes(listing: &FolderListing, depth: Option<usize>, empty: bool, by_glob: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if listing.cut {
        notes.push(format!(
            "only the first {} entries were looked at; list a folder inside with `path`",
            ListBounds::default().entries
        ));
    }
    if listing.unopened > 0 {
        notes.push(format!("{} folders were not looked into: unreadable or too deep", listing.unopened));
    }
    if listing.escaped > 0 {
        notes.push(format!(
            "{} names are not plain text and stand escaped; no tool opens them",
            listing.escaped
        ));
    }
    let deeper =
        listing.entries.iter().filter(|entry| depth.is_some_and(|depth| entry.depth > depth)).count();
    if deeper > 0 && !by_glob {
        notes.push(format!(
            "{deeper} entries lie deeper; list a folder with `path`, or more levels with `depth`"
        ));
    }
    if empty && by_glob {
        notes.push("nothing matches `path_glob`; without `/` it matches names in every folder".to_owned());
    }
    notes
}

fn explain(error: repos::Error, repository: &str, root: &repos::Root) -> Error {
    match error {
        repos::Error::NotAFolder { path } => Error::IsAFile { path: path.to_string() },
        repos::Error::FileNotFound { path } => {
            let listing = root.list(&RepositoryPath::top(), ListBounds::default()).unwrap_or_default();
            let folders = listing.entries.iter().filter(|entry| entry.kind == ListedKind::Folder);
            Error::NoSuchFolder {
                repository: repository.to_owned(),
                nearest: nearest(path.as_str(), folders.map(|folder| folder.path.as_str())),
                path: path.to_string(),
            }
        }
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(path: &str, kind: ListedKind) -> Listed {
        Listed { path: path.to_owned(), depth: path.split('/').count(), kind, bytes: 1 }
    }

    #[test]
    fn counts_files_beneath_each_folder() {
        let (folder, file) = (ListedKind::Folder, ListedKind::File);
        let entries = [
            listed("a", folder),
            listed("a/b", folder),
            listed("a/b/x", file),
            listed("a/y", file),
            listed("c", folder),
            listed("z", file),
        ];
        let counts: Vec<usize> = with_counts(&entries).iter().map(|row| row.files).collect();
        assert_eq!(counts, [2, 1, 0, 0, 0, 0]);
    }

    #[test]
    fn goes_as_deep_as_an_answer_holds() {
        let mut entries = Vec::new();
        for folder in 0..20 {
            entries.push(listed(&format!("f{folder}"), ListedKind::Folder));
            for file in 0..100 {
                entries.push(listed(&format!("f{folder}/some_file_{file}.py"), ListedKind::File));
            }
        }
        let listing = FolderListing { entries, ..FolderListing::default() };
        let wanted = |depth| Wanted { glob: None, top: "", depth };
        let (rows, depth) = wanted(None).rows(&listing);
        assert_eq!((rows.len(), depth), (20, Some(1)));
        let (rows, depth) = wanted(Some(9)).rows(&listing);
        assert_eq!((rows.len(), depth), (2020, Some(2)));
    }

    #[test]
    fn a_glob_without_a_slash_matches_names_and_one_with_it_whole_paths() {
        let listing = FolderListing {
            entries: ["src", "src/a.py", "src/deep", "src/deep/b.py", "c.py"]
                .map(|path| {
                    let kind = if path.contains('.') { ListedKind::File } else { ListedKind::Folder };
                    listed(path, kind)
                })
                .to_vec(),
            ..FolderListing::default()
        };
        for (glob, top, expected) in [
            ("*.py", "", vec!["src/a.py", "src/deep/b.py", "c.py"]),
            ("b.py", "", vec!["src/deep/b.py"]),
            ("src/*.py", "", vec!["src/a.py"]),
            ("**/*.py", "", vec!["src/a.py", "src/deep/b.py", "c.py"]),
            ("deep/*", "src", vec!["src/deep/b.py"]),
            ("deep", "", vec!["src/deep", "src/deep/b.py"]),
            ("*.rs", "", vec![]),
        ] {
            let glob_of = PathGlob::parse(glob).unwrap();
            let wanted = Wanted { glob: Some(&glob_of), top, depth: None };
            let (rows, _) = wanted.rows(&listing);
            let paths: Vec<&str> = rows.iter().map(|row| row.listed.path.as_str()).collect();
            assert_eq!(paths, expected, "{glob}");
        }
    }
}
