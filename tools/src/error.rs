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
    /// The workspace has expired or never was.
    #[error("there is no workspace `{id}`")]
    NoSuchWorkspace {
        /// The handle as given.
        id: String,
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
            Self::NoSuchFile { nearest, .. } | Self::NoSuchSymbol { nearest, .. } => suggestion(nearest),
            Self::NoSuchWorkspace { .. } => Some(
                "leave `workspace` out: the next `run_in_sandbox` makes a new one and returns its handle"
                    .to_owned(),
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
