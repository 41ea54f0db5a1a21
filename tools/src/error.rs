//! What can go wrong in a tool, worded for the agent that called it: what was attempted, and the next step.
//! Errors of the crates beneath pass through whole, since they name their own attempts and hints.

use std::time::Duration;

/// The result of a tool.
pub type Result<T> = std::result::Result<T, Error>;

/// What was attempted, on what.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A repository or a file in one.
    #[error(transparent)]
    Repository(#[from] repos::Error),
    /// An index or a search.
    #[error(transparent)]
    Index(#[from] indexer::Error),
    /// A workspace, an engine or an image.
    #[error(transparent)]
    Sandbox(#[from] sandbox::Error),
    /// No such file, with the nearest ones.
    #[error("there is no file `{path}` in `{repository}`")]
    NoSuchFile {
        /// The repository.
        repository: String,
        /// The path as asked.
        path: String,
        /// Paths that look like it, best first.
        nearest: Vec<String>,
    },
    /// A file that holds bytes and no text.
    #[error("`{path}` is a binary file of {bytes} bytes, not text")]
    Binary {
        /// The path as asked.
        path: String,
        /// Its size.
        bytes: usize,
    },
    /// A parameter breaks a rule that its schema states.
    #[error("`{parameter}` is {value}: {rule}")]
    InvalidParameter {
        /// The parameter's name.
        parameter: &'static str,
        /// What was given.
        value: String,
        /// The rule.
        rule: String,
    },
    /// The file has no such symbol.
    #[error("`{path}` defines no symbol `{symbol}`")]
    NoSuchSymbol {
        /// The file.
        path: String,
        /// The symbol as asked.
        symbol: String,
        /// Symbols that it defines, nearest first.
        nearest: Vec<String>,
    },
    /// The repository has no such symbol.
    #[error("`{repository}` defines no symbol `{symbol}`")]
    UnknownSymbol {
        /// The repository.
        repository: String,
        /// The symbol as asked.
        symbol: String,
        /// Symbols of the repository that look like it, nearest first.
        nearest: Vec<String>,
    },
    /// No such folder, with the nearest ones.
    #[error("there is no folder `{path}` in `{repository}`")]
    NoSuchFolder {
        /// The repository.
        repository: String,
        /// The path as asked.
        path: String,
        /// Folders that look like it, best first.
        nearest: Vec<String>,
    },
    /// A file where a folder was wanted.
    #[error("`{path}` is a file, not a folder")]
    IsAFile {
        /// The path as asked.
        path: String,
    },
    /// The text to replace is not in the file.
    #[error("`old_text` does not occur in `{path}`")]
    TextNotFound {
        /// The file.
        path: String,
        /// The line that is most like its first line, with its number.
        nearest: Option<(usize, String)>,
    },
    /// The text to replace is in the file more than once.
    #[error("`old_text` occurs {count} times in `{path}`: at the lines {}", numbers(lines))]
    TextNotUnique {
        /// The file.
        path: String,
        /// How often.
        count: usize,
        /// The first lines of the first occurrences.
        lines: Vec<usize>,
    },
    /// The file holds bytes that an edit as text would destroy.
    #[error("`{path}` is not UTF-8 text, so it cannot be edited")]
    NotText {
        /// The file.
        path: String,
    },
    /// A file that would fill a model's context if it were handed over whole.
    #[error("`{path}` has {bytes} bytes, too many to hand over at once")]
    TooLargeToAttach {
        /// The file.
        path: String,
        /// Its size as it would be shown.
        bytes: usize,
    },
    /// There never was such a workspace, or an earlier server made it.
    #[error("there is no workspace `{id}`")]
    NoSuchWorkspace {
        /// The handle as given.
        id: String,
    },
    /// The workspace was not used for too long.
    #[error("the workspace `{id}` of `{repository}` has expired: it was not used for {}", spoken(*idle))]
    WorkspaceExpired {
        /// The handle as given.
        id: String,
        /// The repository it was a copy of.
        repository: String,
        /// How long one may stay unused.
        idle: Duration,
    },
    /// The workspace went because newer ones needed room.
    #[error("the workspace `{id}` of `{repository}` was removed to make room: at most {most} are kept")]
    WorkspaceMadeRoom {
        /// The handle as given.
        id: String,
        /// The repository it was a copy of.
        repository: String,
        /// How many there are at most.
        most: usize,
    },
    /// The workspace is a copy of another repository.
    #[error("the workspace `{id}` belongs to `{owner}`, not to `{repository}`")]
    WorkspaceOfAnother {
        /// The handle as given.
        id: String,
        /// The repository it is a copy of.
        owner: String,
        /// The repository that was asked for.
        repository: String,
    },
    /// Every workspace is in use by a call that has not ended.
    #[error("all {most} workspaces are in use")]
    WorkspacesInUse {
        /// How many there are at most.
        most: usize,
    },
    /// The workspace takes all the room it may.
    #[error("the workspace `{id}` is full: it takes {occupied} bytes of at most {limit}")]
    WorkspaceFull {
        /// The handle as given.
        id: String,
        /// Bytes on disk.
        occupied: u64,
        /// Bytes that it may take.
        limit: u64,
    },
    /// The operator has not allowed network access.
    #[error("this server does not allow network access in the sandbox")]
    NetworkNotAllowed,
    /// The engine or this machine failed while it ran the command.
    #[error("the sandbox failed, not the command: {why}")]
    SandboxFailed {
        /// What failed and what to do, in the sandbox's words.
        why: String,
    },
    /// Work on another thread did not finish.
    #[error("the work stopped before it was done")]
    Interrupted,
}

impl Error {
    /// The next step, where one is known.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Repository(error) => error.hint(),
            Self::Index(error) => error.hint(),
            Self::Sandbox(error) => error.hint(),
            Self::NoSuchFile { nearest, .. }
            | Self::NoSuchFolder { nearest, .. }
            | Self::NoSuchSymbol { nearest, .. } => suggestion(nearest),
            Self::UnknownSymbol { nearest, .. } => {
                suggestion(nearest).or_else(|| Some("find its name with `search`".to_owned()))
            }
            Self::Binary { .. } => {
                Some("look into it with a command in `run_in_sandbox`, such as `head -c 200 FILE | xxd`".to_owned())
            }
            Self::IsAFile { path } => Some(format!("read it with `read_file` and path `{path}`")),
            Self::TextNotFound { nearest, .. } => Some(match nearest {
                Some((line, text)) => {
                    format!("the nearest line is {line}: `{text}`; read it with `read_file` and copy the text exactly")
                }
                None => "read the file with `read_file` and copy the text exactly".to_owned(),
            }),
            Self::TextNotUnique { .. } => Some(
                "add lines before or after to `old_text` (and `new_text`) so that it occurs once".to_owned(),
            ),
            Self::NotText { .. } => Some(
                "replace it whole with `content`, or change it by a command with `run_in_sandbox`".to_owned(),
            ),
            Self::NoSuchWorkspace { .. } => Some(
                "`list_repositories` shows the workspaces there are; leave `workspace` out to make a new one"
                    .to_owned(),
            ),
            Self::WorkspaceExpired { .. } | Self::WorkspaceMadeRoom { .. } => Some(
                "its changes are gone; leave `workspace` out: the next `write_file` or `run_in_sandbox` makes a new one"
                    .to_owned(),
            ),
            Self::WorkspaceOfAnother { owner, .. } => {
                Some(format!("pass repo `{owner}`, or leave `workspace` out to make a new one"))
            }
            Self::WorkspacesInUse { .. } => Some(
                "wait for a command to end, or pass a `workspace` that you have; `list_repositories` shows them"
                    .to_owned(),
            ),
            Self::WorkspaceFull { .. } => Some(
                "remove files in it with `run_in_sandbox`, or leave `workspace` out to make a new one".to_owned(),
            ),
            Self::TooLargeToAttach { .. } => Some(
                "ask for some of its lines, such as `#L1-L400` at the end of the address, or use `read_file`".to_owned(),
            ),
            Self::NetworkNotAllowed => Some(
                "leave `network` out, or ask the operator to start the server with --allow-network"
                    .to_owned(),
            ),
            Self::SandboxFailed { .. } => Some(
                "the operator can see the engine with `repolab doctor` and choose another image with `--image NAME` or \
                 REPOLAB_IMAGE; reading and searching work without it"
                    .to_owned(),
            ),
            Self::InvalidParameter { .. } | Self::Interrupted => None,
        }
    }
}

fn suggestion(nearest: &[String]) -> Option<String> {
    (!nearest.is_empty()).then(|| {
        let quoted: Vec<_> = nearest.iter().map(|name| format!("`{name}`")).collect();
        format!("did you mean {}?", quoted.join(" or "))
    })
}

fn numbers(lines: &[usize]) -> String {
    lines.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

fn spoken(time: Duration) -> String {
    match time.as_secs() {
        seconds if seconds < 120 => format!("{seconds} seconds"),
        seconds => format!("{} minutes", seconds / 60),
    }
}
