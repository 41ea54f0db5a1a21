//! What can go wrong in a tool, worded for the agent that called it: what was attempted, and the next step.
//! Errors of the crates beneath pass through whole, since they name their own attempts and hints.

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
    /// A file that would fill a model's context if it were handed over whole.
    #[error("`{path}` has {bytes} bytes, too many to hand over at once")]
    TooLargeToAttach {
        /// The file.
        path: String,
        /// Its size as it would be shown.
        bytes: usize,
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
    FileInsteadOfFolder {
        /// The path as asked.
        path: String,
    },
    /// A folder where a file was wanted.
    #[error("`{path}` is a folder, not a file")]
    FolderInsteadOfFile {
        /// The path as asked.
        path: String,
    },
    /// Nothing in the repository defines or uses the symbol.
    #[error("no code of `{repository}` defines or uses `{symbol}`")]
    UnknownSymbol {
        /// The repository.
        repository: String,
        /// The symbol as asked.
        symbol: String,
        /// Symbols that look like it, best first.
        nearest: Vec<String>,
    },
    /// A file that does not exist cannot be edited.
    #[error("there is no file `{path}` to edit")]
    NothingToEdit {
        /// The path as asked.
        path: String,
    },
    /// A file that is no text cannot be edited.
    #[error("`{path}` is not UTF-8 text, so no piece of it can be replaced")]
    NotUtf8 {
        /// The path as asked.
        path: String,
    },
    /// What is to be replaced does not stand in the file.
    #[error("`old_text` does not stand in `{path}`")]
    OldTextNotFound {
        /// The file.
        path: String,
        /// The line that looks most like it, with its number.
        nearest: Option<String>,
    },
    /// What is to be replaced stands in the file more than once.
    #[error("`old_text` stands in `{path}` {count} times, at lines {lines}")]
    OldTextRepeated {
        /// The file.
        path: String,
        /// How often.
        count: usize,
        /// The first lines where it stands.
        lines: String,
    },
    /// The workspace holds as much as it may.
    #[error("the workspace holds {used} bytes and may hold {limit}, so the file was not written")]
    WorkspaceFull {
        /// What it occupies.
        used: u64,
        /// What it may occupy.
        limit: u64,
    },
    /// The workspace never was.
    #[error("there is no workspace `{id}`")]
    NoSuchWorkspace {
        /// The handle as given.
        id: String,
    },
    /// The workspace was removed.
    #[error("the workspace `{id}` is gone: it was not used for too long, or too many were made after it")]
    WorkspaceExpired {
        /// The handle as given.
        id: String,
    },
    /// The workspace is a copy of another repository.
    #[error("the workspace `{id}` is one of `{repository}`")]
    WorkspaceOfAnother {
        /// The handle as given.
        id: String,
        /// The repository that it is a copy of.
        repository: String,
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
            Self::UnknownSymbol { nearest, .. } => Some(suggestion(nearest).unwrap_or_else(|| {
                "`search` finds text in comments, strings, notebooks and documentation as well".to_owned()
            })),
            Self::FileInsteadOfFolder { .. } => Some("`read_file` shows it".to_owned()),
            Self::FolderInsteadOfFile { .. } => Some("`list_files` shows what is in it".to_owned()),
            Self::NothingToEdit { .. } => {
                Some("give `content` to make it, or find the path with `list_files`".to_owned())
            }
            Self::NotUtf8 { .. } => Some("give `content` to replace it whole".to_owned()),
            Self::OldTextNotFound { nearest, .. } => Some(match nearest {
                Some(line) => format!("the nearest line is {line}; copy the text exactly, blanks included"),
                None => "`read_file` with this `workspace` shows what stands there; copy it without line numbers".to_owned(),
            }),
            Self::OldTextRepeated { .. } => Some("include more of the lines around it".to_owned()),
            Self::WorkspaceFull { .. } => {
                Some("remove files with `run_in_sandbox`, or start anew without `workspace`".to_owned())
            }
            Self::NoSuchWorkspace { .. } | Self::WorkspaceExpired { .. } => Some(
                "leave `workspace` out: the next `run_in_sandbox` or `write_file` makes a new one and returns its handle"
                    .to_owned(),
            ),
            Self::WorkspaceOfAnother { repository, .. } => {
                Some(format!("pass `repo` \"{repository}\", or leave `workspace` out for a new one"))
            }
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
