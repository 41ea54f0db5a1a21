//! `write_file`: a whole file, or the one place where a text occurs, in a private copy of a repository.

mod edit;
mod excerpt;

use repos::{FileOwner, RepositoryPath, Root, WritableRoot};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::edit::replace_once;
use self::excerpt::excerpt;
use crate::nearest::no_such_file;
use crate::toolbox::blocking;
use crate::workspaces::Lease;
use crate::{Call, Effect, Error, Result, Tool, Toolbox};

/// What one call may write; more is data, which a command makes or fetches.
const MOST_CONTENT_BYTES: usize = 1 << 20;
/// The largest file that is edited or compared with what replaces it.
const MOST_FILE_BYTES: u64 = 16 << 20;

/// See the module.
pub struct WriteFile;

/// What to write where.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteFileInput {
    /// Repository name.
    pub repo: String,
    /// Path; missing folders are made.
    pub path: String,
    /// Handle; a fresh copy without it.
    #[serde(default)]
    pub workspace: Option<String>,
    /// Whole content, at most 1 MiB.
    #[serde(default)]
    pub content: Option<String>,
    /// Or: text that occurs exactly once, without line numbers.
    #[serde(default)]
    pub old_text: Option<String>,
    /// What stands in its place.
    #[serde(default)]
    pub new_text: Option<String>,
}

/// What changed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WriteFileOutput {
    /// Repository name.
    pub repo: String,
    /// Path without links.
    pub path: String,
    /// Commit of the copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Handle.
    pub workspace: String,
    /// `created`, `replaced` or `edited`.
    pub change: &'static str,
    /// Lines before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines_before: Option<usize>,
    /// Lines now.
    pub lines_after: usize,
    /// Size now.
    pub bytes: usize,
    /// Changed lines; `-` gone, `+` new.
    pub diff: String,
}

impl Tool for WriteFile {
    const NAME: &'static str = "write_file";
    const TITLE: &'static str = "Write file";
    const DESCRIPTION: &'static str = "Writes a file in a private copy of a repository, whole or by replacing one text. The \
        repository itself never changes. Pass the returned `workspace` on to read or run it.";
    const EFFECT: Effect = Effect::Writes;
    type Input = WriteFileInput;
    type Output = WriteFileOutput;

    async fn run(toolbox: &Toolbox, input: Self::Input, _call: &Call) -> Result<Self::Output> {
        let toolbox = toolbox.clone();
        blocking(move || write(&toolbox, &input)).await
    }

    fn render(output: &Self::Output) -> String {
        let commit = output.commit.as_ref().map_or_else(String::new, |commit| format!(" @ {commit}"));
        let lines = match output.lines_before {
            Some(before) => format!("{before} -> {} lines", output.lines_after),
            None => format!("{} lines", output.lines_after),
        };
        format!(
            "{}: {}/{}{commit}, {lines}, {} bytes (workspace {})\n{}",
            output.change, output.repo, output.path, output.bytes, output.workspace, output.diff
        )
    }
}

/// One of the two ways to say what a file shall hold.
enum Wish<'a> {
    Whole(&'a str),
    Edit { old: &'a str, new: &'a str },
}

/// A file's text before and after.
struct Planned {
    before: Before,
    after: String,
}

enum Before {
    Absent,
    Text(String),
    /// Something else than text of a bearable size.
    Opaque,
}

fn write(toolbox: &Toolbox, input: &WriteFileInput) -> Result<WriteFileOutput> {
    let wish = wish(input)?;
    let (_, checkout) = toolbox.repository(&input.repo)?;
    let path: RepositoryPath = input.path.parse()?;
    // Planned before a copy is made, so that a wrong edit costs nothing.
    let root = toolbox.root(&checkout, input.workspace.as_deref())?;
    let planned = plan(&root, checkout.name.as_str(), &path, &wish)?;
    let workspaces = toolbox.workspaces();
    let lease = match &input.workspace {
        Some(id) => workspaces.get(id, &checkout.name)?,
        None => workspaces.create(&checkout)?,
    };
    let written = match put(&lease, &path, &planned.after, toolbox.settings().workspaces.bytes) {
        Ok(written) => written,
        Err(error) => {
            if input.workspace.is_none() {
                workspaces.discard(lease);
            }
            return Err(error);
        }
    };
    let before = match &planned.before {
        Before::Text(text) => Some(text.as_str()),
        Before::Absent | Before::Opaque => None,
    };
    Ok(WriteFileOutput {
        repo: checkout.name.to_string(),
        path: written.to_string(),
        commit: checkout.commit.map(String::from),
        workspace: lease.id().to_owned(),
        change: match (&planned.before, &wish) {
            (Before::Absent, _) => "created",
            (_, Wish::Whole(_)) => "replaced",
            (_, Wish::Edit { .. }) => "edited",
        },
        lines_before: before.map(|text| text.lines().count()),
        lines_after: planned.after.lines().count(),
        bytes: planned.after.len(),
        diff: excerpt(before.unwrap_or_default(), &planned.after),
    })
}

fn wish(input: &WriteFileInput) -> Result<Wish<'_>> {
    let refuse = |parameter, value: &str, rule: &str| {
        Err(Error::InvalidParameter { parameter, value: value.to_owned(), rule: rule.to_owned() })
    };
    let wish = match (&input.content, &input.old_text, &input.new_text) {
        (Some(content), None, None) => Wish::Whole(content),
        (None, Some(old), _) if old.is_empty() => {
            return refuse("old_text", "empty", "give text of the file, or the whole file as `content`");
        }
        (None, Some(old), Some(new)) if old == new => {
            return refuse("new_text", "the same as `old_text`", "give the text that is to stand there");
        }
        (None, Some(old), Some(new)) => Wish::Edit { old, new },
        (Some(_), ..) => {
            return refuse(
                "content",
                "given beside `old_text` or `new_text`",
                "give either `content` or both of them",
            );
        }
        (None, ..) => {
            return refuse("content", "absent", "give `content`, or `old_text` together with `new_text`");
        }
    };
    let (parameter, bytes) = match &wish {
        Wish::Whole(content) => ("content", content.len()),
        Wish::Edit { new, .. } => ("new_text", new.len()),
    };
    if bytes > MOST_CONTENT_BYTES {
        let rule =
            format!("use at most {MOST_CONTENT_BYTES}; make larger files by a command with `run_in_sandbox`");
        return refuse(parameter, &format!("{bytes} bytes long"), &rule);
    }
    Ok(wish)
}

fn plan(root: &Root, repository: &str, path: &RepositoryPath, wish: &Wish<'_>) -> Result<Planned> {
    let before = before(root, path)?;
    let after = match (wish, &before) {
        (Wish::Whole(content), _) => (*content).to_owned(),
        (Wish::Edit { old, new }, Before::Text(text)) => replace_once(path.as_str(), text, (old, new))?,
        (Wish::Edit { .. }, Before::Opaque) => return Err(Error::NotText { path: path.to_string() }),
        (Wish::Edit { .. }, Before::Absent) => {
            return Err(no_such_file(root, repository, path));
        }
    };
    Ok(Planned { before, after })
}

fn before(root: &Root, path: &RepositoryPath) -> Result<Before> {
    match root.read(path, MOST_FILE_BYTES) {
        Ok(bytes) => Ok(String::from_utf8(bytes).map_or(Before::Opaque, Before::Text)),
        Err(repos::Error::FileNotFound { .. }) => Ok(Before::Absent),
        Err(repos::Error::FileTooLarge { .. }) => Ok(Before::Opaque),
        Err(error) => Err(error.into()),
    }
}

/// Writes, if the workspace has room; returns the path without links.
fn put(lease: &Lease, path: &RepositoryPath, content: &str, limit: u64) -> Result<RepositoryPath> {
    let bytes = content.len() as u64;
    lease.room(bytes, limit)?;
    // Commands run as this user, and must be able to change what was written.
    let user = sandbox::payload_user();
    let owner = FileOwner { user: user.uid, group: user.gid };
    let written = WritableRoot::open(lease.folder(), Some(owner))?.write(path, content.as_bytes())?;
    lease.wrote(bytes);
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wants_exactly_one_way_to_say_what_the_file_shall_hold() {
        let some = |text: &str| Some(text.to_owned());
        for (content, old_text, new_text, refused) in [
            (some("x"), None, None, None),
            (some(""), None, None, None),
            (None, some("a"), some(""), None),
            (None, None, None, Some("content")),
            (None, some("a"), None, Some("content")),
            (None, None, some("a"), Some("content")),
            (some("x"), some("a"), some("b"), Some("content")),
            (None, some(""), some("b"), Some("old_text")),
            (None, some("a"), some("a"), Some("new_text")),
            (some(&"x".repeat(MOST_CONTENT_BYTES + 1)), None, None, Some("content")),
        ] {
            let input = WriteFileInput { content, old_text, new_text, ..WriteFileInput::default() };
            let parameter = match wish(&input) {
                Err(Error::InvalidParameter { parameter, .. }) => Some(parameter),
                Err(error) => panic!("{error}"),
                Ok(_) => None,
            };
            assert_eq!(parameter, refused);
        }
    }
}
