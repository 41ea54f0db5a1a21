//! Everything that can go wrong around a job, one variant per attempt. What the program itself does wrong is
//! never an error: it is the [`Ending`](crate::Ending) of an [`Outcome`](crate::Outcome).

use std::error::Error as _;
use std::path::PathBuf;
use std::time::Duration;

/// The result of an operation of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What was attempted, on what.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The engine's address has a form that this program cannot reach.
    #[error("`{host}` is not an engine address: use unix:///path/to/socket or tcp://host:port")]
    InvalidHost {
        /// The address as given.
        host: String,
    },
    /// The engine's socket does not exist.
    #[error("there is no container engine at {host}")]
    SocketMissing {
        /// The engine's address.
        host: String,
    },
    /// The socket exists, and nobody answers there.
    #[error("the container engine at {host} does not accept connections")]
    ConnectionRefused {
        /// The engine's address.
        host: String,
        /// Why.
        source: Box<bollard::errors::Error>,
    },
    /// This user may not open the socket.
    #[error("this user may not use the container engine at {host}")]
    SocketPermission {
        /// The engine's address.
        host: String,
        /// Why.
        source: Box<bollard::errors::Error>,
    },
    /// The engine took too long.
    #[error("the container engine did not {attempt} within {} s", limit.as_secs())]
    EngineSilent {
        /// What it was asked to do, as a verb phrase.
        attempt: &'static str,
        /// How long it was given.
        limit: Duration,
    },
    /// The engine lacks calls that are needed here.
    #[error("the container engine at {host} speaks API {found}, and {needed} is needed")]
    EngineTooOld {
        /// The engine's address.
        host: String,
        /// The engine's newest API version.
        found: String,
        /// The oldest API version that is enough.
        needed: &'static str,
    },
    /// The engine has no such image.
    #[error("the container engine has no image `{image}`")]
    ImageMissing {
        /// The image as asked.
        image: String,
    },
    /// The image cannot hold a sandbox open.
    #[error("the image `{image}` cannot be used: it has no `{program}`")]
    ImageUnusable {
        /// The image as asked.
        image: String,
        /// The missing program.
        program: &'static str,
    },
    /// The container vanished while its job ran.
    #[error("the container was removed while its job was running")]
    ContainerLost,
    /// The engine stopped answering while a job ran.
    #[error("the container engine stopped answering while the job was running")]
    EngineLost {
        /// Why.
        source: Box<Error>,
    },
    /// The engine could not start a process in a container, for a reason of its own.
    #[error("the container engine could not start the program: {said}")]
    StartProgram {
        /// The engine's own words.
        said: String,
    },
    /// Any other call to the engine.
    #[error("the container engine could not {attempt}")]
    Engine {
        /// What it was asked to do, as a verb phrase.
        attempt: &'static str,
        /// Why.
        source: Box<bollard::errors::Error>,
    },
    /// The job contradicts itself or asks for what is never given.
    #[error("the job cannot run: {rule}")]
    InvalidJob {
        /// Which rule it breaks, with the value that breaks it.
        rule: String,
    },
    /// A process on the host could not be started or awaited.
    #[error("could not {attempt} `{program}` on this machine")]
    HostProcess {
        /// What was attempted, as a verb.
        attempt: &'static str,
        /// The program.
        program: String,
        /// Why.
        source: std::io::Error,
    },
    /// A folder could not be copied into a workspace.
    #[error("could not copy {} into a workspace", source_folder.display())]
    CopyFolder {
        /// The folder that was copied.
        source_folder: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The folder is larger than a workspace may be.
    #[error("{} is too large for a workspace: it holds more than {limit}", source_folder.display())]
    FolderTooLarge {
        /// The folder that was copied.
        source_folder: PathBuf,
        /// The limit that it exceeds, with its unit.
        limit: String,
    },
    /// The handle is unknown, or its workspace is gone.
    #[error("there is no workspace `{id}`")]
    NoSuchWorkspace {
        /// The handle as given.
        id: String,
    },
    /// The files of a workspace could not be read, written or removed.
    #[error("could not {attempt} the workspace {}", folder.display())]
    Workspace {
        /// What was attempted, as a verb.
        attempt: &'static str,
        /// The workspace's folder.
        folder: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Work on another thread did not finish.
    #[error("the work stopped before it was done")]
    Interrupted,
}

impl Error {
    /// The next step, where one is known.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::SocketMissing { .. } => {
                "start Docker (or set DOCKER_HOST to the engine's socket; `docker context ls` shows it), then run `repolab doctor`"
            }
            Self::ConnectionRefused { .. } => {
                "start the engine (on Linux: `sudo systemctl start docker`), then run `repolab doctor`"
            }
            Self::SocketPermission { .. } => {
                "add this user to the group `docker` (`sudo usermod -aG docker $USER`), then log in again; or use a rootless engine"
            }
            Self::EngineSilent { .. } | Self::EngineLost { .. } => {
                "look at the engine's log and load, restart it if needed, and run the job again"
            }
            Self::EngineTooOld { .. } => "update the engine: Docker 20.10 or newer is enough",
            Self::ImageMissing { image } => {
                return Some(format!(
                    "get it with `docker pull {image}`, or build it first; `docker images` lists those at hand"
                ));
            }
            Self::ImageUnusable { .. } => "use an image with a shell and core utilities",
            Self::ContainerLost => "somebody or something removed it; run the job again",
            Self::FolderTooLarge { .. } => {
                "leave large data files out of the folder and mount them read-only instead"
            }
            Self::InvalidHost { .. }
            | Self::StartProgram { .. }
            | Self::Engine { .. }
            | Self::InvalidJob { .. }
            | Self::HostProcess { .. }
            | Self::CopyFolder { .. }
            | Self::NoSuchWorkspace { .. }
            | Self::Workspace { .. }
            | Self::Interrupted => return None,
        };
        Some(hint.to_owned())
    }

    /// The error, its causes and its hint in one line, for places that keep only text.
    pub fn explanation(&self) -> String {
        let mut causes: Vec<_> = std::iter::successors(self.source(), |&cause| cause.source()).collect();
        // Between the client library's wrapper and the machine's own error stands only "client error" and the like.
        let wrapper = causes.iter().position(|cause| cause.is::<Box<bollard::errors::Error>>());
        let reason = causes.iter().rposition(|cause| cause.is::<std::io::Error>());
        if let (Some(wrapper), Some(reason)) = (wrapper, reason) {
            causes.drain(wrapper..reason);
        }
        let mut text = self.to_string();
        for cause in causes {
            text = format!("{text}: {cause}");
        }
        match self.hint() {
            Some(hint) => format!("{text}; {hint}"),
            None => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explains_each_cause_once_and_ends_with_the_next_step() {
        let refused = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
        let error = Error::EngineLost {
            source: Box::new(Error::Engine {
                attempt: "inspect the job",
                source: Box::new(bollard::errors::Error::IOError { err: refused }),
            }),
        };
        expect_test::expect![[r"
            the container engine stopped answering while the job was running: the container engine could not inspect the job: connection refused; look at the engine's log and load, restart it if needed, and run the job again"]]
        .assert_eq(&error.explanation());
    }
}
