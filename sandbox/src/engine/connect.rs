//! Finding the engine, and saying what is wrong when it cannot be used: of all errors these are the ones that
//! a new user meets first.

use std::error::Error as _;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use bollard::{API_DEFAULT_VERSION, Docker};
use tokio_util::sync::CancellationToken;

use super::call::{CALL_LIMIT, ask_within};
use super::info::identity;
use super::spares::Spares;
use crate::{Error, Job, Outcome, Result};

/// Where the engine is when nobody says otherwise.
const DEFAULT_HOST: &str = "unix:///var/run/docker.sock";

/// An engine that is up answers in milliseconds, Podman in about a second.
const CONNECT_LIMIT: Duration = Duration::from_secs(5);

/// Docker 20.10, the oldest engine that the tests have run on.
const OLDEST_API: &str = "1.41";

/// How to reach an engine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineOptions {
    /// An address in the form of `DOCKER_HOST` (`unix:///path`, `tcp://host:port`), or none for the default
    /// socket.
    pub host: Option<String>,
}

/// A container engine that has answered.
#[derive(Clone, Debug)]
pub struct Engine {
    pub(super) docker: Docker,
    pub(super) host: String,
    /// Name and version, as in `Docker 20.10.24`.
    pub(super) identity: String,
    pub(super) spares: Option<Arc<Spares>>,
}

impl Engine {
    /// Connects to an engine and checks that it answers and is new enough.
    ///
    /// The errors tell apart: no socket, nobody listening, no permission, too old.
    pub async fn connect(options: &EngineOptions) -> Result<Self> {
        let host = options.host.clone().unwrap_or_else(|| DEFAULT_HOST.to_owned());
        let docker = client(&host)?;
        let version = ask_within(CONNECT_LIMIT, "tell its version", docker.version())
            .await
            .map_err(|error| classify(error, &host))?;
        check_version(&host, version.api_version.as_deref().unwrap_or_default())?;
        Ok(Self { docker, host, identity: identity(&version), spares: None })
    }

    /// Runs a job to its end. When the outcome is returned, nothing of the job runs any more; its container is
    /// gone a moment later, even if this process ends meanwhile.
    ///
    /// Trouble of the engine or this machine is [`Ending::Infrastructure`](crate::Ending::Infrastructure).
    /// If the returned future is dropped, the job is cancelled and cleaned up in the background.
    pub async fn run(&self, job: &Job, cancel: CancellationToken) -> Outcome {
        super::run::run(self, job, cancel).await
    }

    /// The engine's name and version, and where it is.
    pub fn describe(&self) -> String {
        format!("{} at {}", self.identity, self.host)
    }
}

fn client(host: &str) -> Result<Docker> {
    let seconds = CALL_LIMIT.as_secs();
    let client = if host.starts_with("unix://") || host.starts_with('/') {
        Docker::connect_with_unix(host, seconds, API_DEFAULT_VERSION)
    } else if host.starts_with("tcp://") || host.starts_with("http://") {
        Docker::connect_with_http(host, seconds, API_DEFAULT_VERSION)
    } else {
        return Err(Error::InvalidHost { host: host.to_owned() });
    };
    client.map_err(|error| match error {
        bollard::errors::Error::SocketNotFoundError(_) => Error::SocketMissing { host: host.to_owned() },
        _ => Error::InvalidHost { host: host.to_owned() },
    })
}

/// The client library reports every failed connection alike; only its innermost cause tells them apart.
fn classify(error: Error, host: &str) -> Error {
    let Error::Engine { attempt, source } = error else { return error };
    let host = host.to_owned();
    match innermost_kind(&source) {
        Some(ErrorKind::NotFound) => Error::SocketMissing { host },
        Some(ErrorKind::ConnectionRefused) => Error::ConnectionRefused { host, source },
        Some(ErrorKind::PermissionDenied) => Error::SocketPermission { host, source },
        _ => Error::Engine { attempt, source },
    }
}

fn innermost_kind(error: &bollard::errors::Error) -> Option<ErrorKind> {
    let own = match error {
        bollard::errors::Error::HyperLegacyError { err } => err.source(),
        other => other.source(),
    };
    std::iter::successors(own, |&cause| cause.source())
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .last()
        .map(std::io::Error::kind)
}

fn check_version(host: &str, found: &str) -> Result<()> {
    if parse_version(found) >= parse_version(OLDEST_API) {
        return Ok(());
    }
    Err(Error::EngineTooOld { host: host.to_owned(), found: found.to_owned(), needed: OLDEST_API })
}

fn parse_version(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_too_old(found: &str, too_old: bool) {
        let refused = matches!(check_version(DEFAULT_HOST, found), Err(Error::EngineTooOld { .. }));
        assert_eq!(refused, too_old, "{found}");
    }

    #[test]
    fn compares_versions_as_numbers() {
        check_too_old("1.41", false);
        check_too_old("1.100", false);
        check_too_old("2.0", false);
        check_too_old("1.9", true);
        check_too_old("1.40", true);
        check_too_old("", true);
    }

    async fn failure(host: String) -> Error {
        Engine::connect(&EngineOptions { host: Some(host) }).await.unwrap_err()
    }

    #[tokio::test]
    async fn names_a_socket_that_does_not_exist() {
        let error = failure("unix:///no/such.sock".to_owned()).await;
        assert_eq!(error.to_string(), "there is no container engine at unix:///no/such.sock");
        assert!(error.hint().unwrap().contains("repolab doctor"));
    }

    #[tokio::test]
    async fn tells_a_dead_socket_from_a_missing_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dead.sock");
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        let error = failure(format!("unix://{}", path.display())).await;
        assert!(matches!(error, Error::ConnectionRefused { .. }), "{error:?}");
    }

    #[tokio::test]
    async fn finds_the_refusal_beneath_the_http_client() {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let error = failure(format!("tcp://127.0.0.1:{port}")).await;
        assert!(matches!(error, Error::ConnectionRefused { .. }), "{error:?}");
        let explanation = error.explanation();
        assert!(explanation.contains("does not accept connections: Connection refused"), "{explanation}");
    }

    #[tokio::test]
    async fn refuses_addresses_that_it_cannot_reach() {
        let error = failure("ssh://user@machine".to_owned()).await;
        assert!(matches!(error, Error::InvalidHost { .. }), "{error:?}");
    }
}
