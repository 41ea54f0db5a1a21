//! What can go wrong between a client's file and us. Every variant leaves the file as it was.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// The result of this command's parts.
pub(super) type Result<T> = std::result::Result<T, Error>;

/// An attempt on a client's file that failed.
#[derive(Debug, Error)]
pub(crate) enum Error {
    /// The client only starts servers.
    #[error("{client} takes no HTTP server from its file")]
    NoHttp { client: &'static str },
    /// The client has one file for every project.
    #[error("{client} has no file of its own for a project")]
    NoProjectFile { client: &'static str },
    /// The name would break some client.
    #[error("`{name}` is no name for a server")]
    Name { name: String },
    /// The address is none.
    #[error("`{url}` is no address of an HTTP server")]
    Url { url: String },
    /// A path that cannot be written in a file of text.
    #[error("the path {} is not UTF-8, so no client's file can hold it", path.display())]
    PathNotText { path: PathBuf },
    /// The file is not what the client itself could read.
    #[error("could not understand {} as {format}", file.display())]
    Parse {
        file: PathBuf,
        format: &'static str,
        #[source]
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Something else is where the servers belong.
    #[error("`{key}` in {} is not a list of named servers", file.display())]
    Occupied { file: PathBuf, key: String },
    /// A link whose target is gone.
    #[error("{} is a link to a file that does not exist", file.display())]
    DanglingLink { file: PathBuf },
    /// The client, or a person, wrote at the same time.
    #[error("{} changed while it was being edited", file.display())]
    Changed { file: PathBuf },
    /// Reading, copying or replacing failed.
    #[error("could not {attempt} {}", file.display())]
    File {
        attempt: &'static str,
        file: PathBuf,
        #[source]
        cause: std::io::Error,
    },
}

impl Error {
    /// A failed system call on a file.
    pub(super) fn file(attempt: &'static str, file: &Path, cause: std::io::Error) -> Self {
        Self::File { attempt, file: file.to_owned(), cause }
    }

    /// What to do next.
    pub(crate) fn hint(&self) -> String {
        match self {
            Self::NoHttp { .. } => {
                "add the address under Settings > Connectors, or leave out --http to let it start the server"
            }
            Self::NoProjectFile { .. } => "leave out --scope, or name a file with --file",
            Self::Name { .. } => "use 1 to 40 letters, digits, `-` or `_`, a letter first; up to 12 keep tool names short",
            Self::Url { .. } => "write it whole, such as http://127.0.0.1:8000/mcp",
            Self::PathNotText { .. } => "move the program or the data folder",
            Self::Parse { .. } => "nothing was changed; repair the file, or print the snippet (leave out --write) and paste it",
            Self::Occupied { .. } => "nothing was changed; look at the file, or name another one with --file",
            Self::DanglingLink { .. } => "create the file it points to, or remove the link",
            Self::Changed { .. } => "nothing was changed; close the client and try again",
            Self::File { .. } => "nothing was changed; see to the rights and the space there, or print the snippet (leave out --write) and paste it",
        }
        .to_owned()
    }
}
