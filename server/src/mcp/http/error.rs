//! What can keep the server from listening, one variant per attempt. What a client does wrong is never an error here:
//! it is a response with a status.

use std::net::SocketAddr;
use std::path::PathBuf;

/// What was attempted, on what.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// The address to listen on cannot be understood or found.
    #[error("`{address}` is no address to listen on")]
    Address {
        /// The address as given.
        address: String,
        /// Why, where a name was looked up.
        source: Option<std::io::Error>,
    },
    /// Another program listens there, or this user may not.
    #[error("could not listen on {address}")]
    Bind {
        /// Where.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// Others could reach the server, and nothing would keep them out.
    #[error("{address} can be reached from other machines, and no token is set")]
    OpenToAll {
        /// Where it should have listened.
        address: SocketAddr,
    },
    /// An origin without scheme and host.
    #[error("`{origin}` is no origin")]
    Origin {
        /// The origin as given.
        origin: String,
    },
    /// A host with more in it than a name and a port.
    #[error("`{host}` is no host")]
    Host {
        /// The host as given.
        host: String,
    },
    /// A token that could be guessed, or that no header can carry.
    #[error("a token needs at least {least} visible ASCII characters")]
    WeakToken {
        /// The least number of characters.
        least: usize,
    },
    /// The file with the token cannot be read.
    #[error("could not read the token")]
    TokenFile {
        /// Why; it names the file.
        source: std::io::Error,
    },
    /// Other users of this machine can read the token.
    #[error("other users can read the token file {}", path.display())]
    SharedTokenFile {
        /// The file.
        path: PathBuf,
    },
}

impl HttpError {
    /// What to do next.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Address { .. } => Some("use HOST:PORT, such as 127.0.0.1:8765; port 0 takes a free one".to_owned()),
            Self::Bind { .. } => Some("choose another port; port 0 takes a free one".to_owned()),
            Self::OpenToAll { .. } => Some(
                "set REPOLAB_HTTP_TOKEN or pass --token-file FILE (`openssl rand -hex 32` makes a token), or listen on \
                 127.0.0.1"
                    .to_owned(),
            ),
            Self::Origin { .. } => Some("use SCHEME://HOST or SCHEME://HOST:PORT, such as https://app.example.com".to_owned()),
            Self::Host { .. } => Some("use HOST or HOST:PORT, such as lab.example.com".to_owned()),
            Self::WeakToken { .. } => Some("`openssl rand -hex 32` makes one".to_owned()),
            Self::TokenFile { .. } => None,
            Self::SharedTokenFile { path } => Some(format!("chmod 600 {}", path.display())),
        }
    }
}
