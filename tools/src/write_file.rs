//! `write_file`: a file of a workspace written whole, or one piece of it replaced. The repository itself never changes.

use std::fmt::Write;

use repos::{FileOwner, RepositoryPath, WritableRoot};
use sandbox::{Workspace, payload_user};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::toolbox::blocking;
use crate::{Call, Effect, Error, Result, Tool, Toolbox, visible};

const MOST_CONTENT_BYTES: usize = 1 << 20;
// A file to edit may be larger than what one call may write.
const MOST_FILE_BYTES: u64 = 16 << 20;
const EXCERPT_LINES: usize = 20;
const EXCERPT_LINE_CHARACTERS: usize = 160;
const LINES_NAMED: usize = 10;

/// See the module.
pub struct WriteFile;

/// What to write where.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteFileInput {
    /// Repository name.
    pub repo: String,
    /// Path of the file; folders are made.
    pub path: String,
    /// Handle that an earlier call returned. Leave out for a fresh copy.
    #[serde(default)]
    pub workspace: Option<String>,
    /// The whole new content; instead of `old_text` and `new_text`.
    #[serde(default)]
    pub content: Option<String>,
    /// Text that stands in the file exactly once.
    #[serde(default)]
    pub old_text: Option<String>,
    /// What takes its place.
    #[serde(default)]
    pub new_text: Option<String>,
}

/// What changed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WriteFileOutput {
    /// Repository name.
    pub repo: String,
    /// Path of the file, links resolved.
    pub path: String,
    /// Handle of the workspace, for further calls.
    pub workspace: String,
    /// The commit that the workspace was copied from, when known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// `created`, `replaced` or `edited`.
    pub change: String,
    /// Lines of the file now.
    pub lines: usize,
    /// Its size now.
    pub bytes: usize,
    /// The changed lines, numbered, `-` before and `+` after; at most 20.
    pub excerpt: String,
}

impl Tool for WriteFile {
    const NAME: &'static str = "write_file";
    const TITLE: &'static str = "Write file";
    const DESCRIPTION: &'static str = "Writes a file in a workspace, a private copy of a repository: whole with \
        `content`, or one piece with `old_text` and `new_text`. The repository itself stays as it is. Pass the returned \
        `workspace` to `run_in_sandbox` to run with it, and to `read_file` to see it.";
    const EFFECT: Effect = Effect::WritesWorkspace;
    type Input = WriteFileInput;
    type Output = WriteFileOutput;

    async fn run(toolbox: &Toolbox, input: Self::Input, _call: &Call) -> Result<Self::Output> {
        let change = Change::of(&input)?;
        let path: RepositoryPath = input.path.parse()?;
        let (_, checkout) = toolbox.repository(&input.repo)?;
        let workspace = toolbox.workspace(&checkout, input.workspace.as_deref()).await?;
        let limit = toolbox.settings().limits.disk_bytes;
        blocking(move || {
            let mut output = write(&workspace, &path, &change, limit)?;
            output.repo = checkout.name.to_string();
            output.commit = checkout.commit.map(String::from);
            Ok(output)
        })
        .await
    }

    fn render(output: &Self::Output) -> String {
        let mut text = format!("{} {}/{}", output.change, output.repo, output.path);
        if let Some(commit) = &output.commit {
            let _ = write!(text, " @ {commit}");
        }
        let _ = write!(
            text,
            ", now {} lines, {} bytes (workspace {})\n{}",
            output.lines, output.bytes, output.workspace, output.excerpt
        );
        text
    }
}

/// What is to be done with the file.
#[derive(Debug, PartialEq, Eq)]
enum Change {
    Whole(String),
    Piece { old: String, new: String },
}

impl Change {
    fn of(input: &WriteFileInput) -> Result<Self> {
        let wrong = |parameter, value: &str, rule: &str| {
            Err(Error::InvalidParameter { parameter, value: value.to_owned(), rule: rule.to_owned() })
        };
        let change = match (&input.content, &input.old_text, &input.new_text) {
            (Some(content), None, None) => Self::Whole(content.clone()),
            (None, Some(old), Some(new)) if !old.is_empty() => {
                Self::Piece { old: old.clone(), new: new.clone() }
            }
            (None, Some(_), Some(_)) => {
                return wrong(
                    "old_text",
                    "empty",
                    "give text that stands in the file, or `content` for a whole file",
                );
            }
            (None, None, None) => {
                return wrong("content", "missing", "give `content`, or `old_text` and `new_text`");
            }
            (None, _, _) => {
                return wrong("old_text", "alone or missing", "give both `old_text` and `new_text`");
            }
            (Some(_), _, _) => {
                return wrong(
                    "content",
                    "given with old_text or new_text",
                    "give either the whole file or a piece",
                );
            }
        };
        let bytes = match &change {
            Self::Whole(content) => content.len(),
            Self::Piece { old, new } => old.len().max(new.len()),
        };
        if bytes > MOST_CONTENT_BYTES {
            return wrong(
                "content",
                &format!("{bytes} bytes long"),
                &format!(
                    "write at most {MOST_CONTENT_BYTES} bytes in one call, or make the file with `run_in_sandbox`"
                ),
            );
        }
        Ok(change)
    }
}

fn write(
    workspace: &Workspace,
    path: &RepositoryPath,
    change: &Change,
    limit: u64,
) -> Result<WriteFileOutput> {
    let root = WritableRoot::open(workspace.folder(), owner(workspace))?;
    let before = match root.root().read(path, MOST_FILE_BYTES) {
        Ok(bytes) => Some(bytes),
        Err(repos::Error::FileNotFound { .. }) => None,
        // A large file may be replaced, but not edited.
        Err(repos::Error::FileTooLarge { .. }) if matches!(change, Change::Whole(_)) => Some(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let (word, after) = match (change, &before) {
        (Change::Whole(content), None) => ("created", content.clone()),
        (Change::Whole(content), Some(_)) => ("replaced", content.clone()),
        (Change::Piece { .. }, None) => {
            return Err(Error::NothingToEdit { path: path.to_string() });
        }
        (Change::Piece { old, new }, Some(bytes)) => ("edited", edit(path, bytes, (old, new))?),
    };
    let used = workspace.occupied_bytes();
    if used.saturating_add(after.len() as u64) > limit {
        return Err(Error::WorkspaceFull { used, limit });
    }
    let real = root.write(path, after.as_bytes())?;
    let before = before.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    Ok(WriteFileOutput {
        repo: String::new(),
        path: visible(real.as_str()).into_owned(),
        workspace: workspace.id().to_owned(),
        commit: None,
        change: word.to_owned(),
        lines: after.lines().count(),
        bytes: after.len(),
        excerpt: excerpt(&before, &after),
    })
}

/// Jobs run as another user when we are root, and must be able to change what was written.
fn owner(_workspace: &Workspace) -> Option<FileOwner> {
    let user = payload_user();
    let ours = sandbox::is_payload_user_ourselves();
    (!ours).then_some(FileOwner { user: user.uid, group: user.gid })
}

fn edit(path: &RepositoryPath, bytes: &[u8], (old, new): (&str, &str)) -> Result<String> {
    let text = std::str::from_utf8(bytes).map_err(|_| Error::NotUtf8 { path: path.to_string() })?;
    let places: Vec<usize> = text.match_indices(old).map(|(at, _)| at).collect();
    match places.as_slice() {
        [at] => Ok(format!("{}{new}{}", &text[..*at], &text[at + old.len()..])),
        [] => Err(Error::OldTextNotFound { path: path.to_string(), nearest: nearest_line(text, old) }),
        several => {
            let lines = several.iter().take(LINES_NAMED).map(|at| text[..*at].matches('\n').count() + 1);
            Err(Error::OldTextRepeated {
                path: path.to_string(),
                count: several.len(),
                lines: lines.map(|line| line.to_string()).collect::<Vec<_>>().join(", "),
            })
        }
    }
}

/// The line that looks most like the first line of what was to be replaced, with its number.
fn nearest_line(text: &str, old: &str) -> Option<String> {
    let wanted = old.lines().map(str::trim).find(|line| !line.is_empty())?;
    let lines = text.lines().enumerate().filter(|(_, line)| line.len() < 1_000);
    let scored =
        lines.map(|(number, line)| (strsim::normalized_levenshtein(wanted, line.trim()), number, line));
    let (score, number, line) = scored.max_by(|one, other| one.0.total_cmp(&other.0))?;
    let shown: String = line.chars().take(EXCERPT_LINE_CHARACTERS).collect();
    (score > 0.5).then(|| format!("{}: {}", number + 1, visible(&shown)))
}

/// The lines that differ between the common beginning and the common end.
fn excerpt(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
    let most_end = old.len().min(new.len()) - same;
    let end =
        old.iter().rev().zip(new.iter().rev()).take_while(|(one, other)| one == other).count().min(most_end);
    let mut text = String::new();
    let removed = old[same..old.len() - end].iter().map(|line| ('-', *line));
    let added = new[same..new.len() - end].iter().map(|line| ('+', *line));
    let total = old.len() + new.len() - 2 * (same + end);
    let mut number = [same, same];
    for (mark, line) in removed.chain(added).take(EXCERPT_LINES) {
        let count = &mut number[usize::from(mark == '+')];
        *count += 1;
        let shown: String = line.chars().take(EXCERPT_LINE_CHARACTERS).collect();
        let _ = writeln!(text, "{count}\t{mark} {}", visible(&shown));
    }
    if total > EXCERPT_LINES {
        let _ = writeln!(text, "... {} more changed lines; read_file shows them", total - EXCERPT_LINES);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path() -> RepositoryPath {
        "a.py".parse().unwrap()
    }

    #[test]
    fn an_edit_wants_its_text_exactly_once() {
        let text = b"one\ntwo\none\n";
        assert_eq!(edit(&path(), text, ("two", "2")).unwrap(), "one\n2\none\n");
        let error = edit(&path(), text, ("one", "1")).unwrap_err().to_string();
        assert!(error.contains("2 times") && error.contains("1, 3"), "{error}");
        let Error::OldTextNotFound { nearest, .. } = edit(&path(), text, ("twoo", "")).unwrap_err() else {
            panic!()
        };
        assert_eq!(nearest.unwrap(), "2: two");
    }

    #[test]
    fn an_excerpt_shows_what_differs() {
        assert_eq!(excerpt("a\nb\nc\n", "a\nB\nBB\nc\n"), "2\t- b\n2\t+ B\n3\t+ BB\n");
        assert_eq!(excerpt("", "x\n"), "1\t+ x\n");
        assert_eq!(excerpt("a\n", "a\n"), "");
        assert_eq!(excerpt("a\na\n", "a\n"), "2\t- a\n");
        let long: String = (0..100).map(|number| format!("{number}\n")).collect();
        assert!(excerpt("", &long).ends_with("... 80 more changed lines; read_file shows them\n"));
    }

    #[test]
    fn asks_for_one_way_to_write() {
        let input = |content: Option<&str>, old: Option<&str>, new: Option<&str>| WriteFileInput {
            repo: "r".to_owned(),
            path: "p".to_owned(),
            workspace: None,
            content: content.map(str::to_owned),
            old_text: old.map(str::to_owned),
            new_text: new.map(str::to_owned),
        };
        assert!(Change::of(&input(Some("x"), None, None)).is_ok());
        assert!(Change::of(&input(None, Some("x"), Some(""))).is_ok());
        let big = "x".repeat(MOST_CONTENT_BYTES + 1);
        for wrong in [
            input(None, None, None),
            input(Some("x"), Some("y"), None),
            input(None, Some("y"), None),
            input(None, Some(""), Some("y")),
            input(Some(&big), None, None),
        ] {
            assert!(Change::of(&wrong).is_err(), "{wrong:?}");
        }
    }
}
