//! Every call to the engine has a time limit of ours and says what it attempted: the client library limits only
//! the wait for response headers, and its errors do not tell what was asked.

use std::future::Future;
use std::time::Duration;

use crate::{Error, Result};

/// Long enough for an engine under heavy load, short enough that nothing waits for ever.
pub(super) const CALL_LIMIT: Duration = Duration::from_secs(60);

/// Awaits one call; `attempt` continues the sentence "the container engine could not …".
pub(super) async fn ask<T>(
    attempt: &'static str,
    call: impl Future<Output = Result<T, bollard::errors::Error>>,
) -> Result<T> {
    ask_within(CALL_LIMIT, attempt, call).await
}

/// [`ask`] with a limit of its own.
pub(super) async fn ask_within<T>(
    limit: Duration,
    attempt: &'static str,
    call: impl Future<Output = Result<T, bollard::errors::Error>>,
) -> Result<T> {
    match tokio::time::timeout(limit, call).await {
        Ok(answer) => answer.map_err(|source| Error::Engine { attempt, source: Box::new(source) }),
        Err(_) => Err(Error::EngineSilent { attempt, limit }),
    }
}

/// The HTTP status with which the engine refused a call, if it answered at all.
pub(super) fn refused_with(error: &Error) -> Option<u16> {
    match error {
        Error::Engine { source, .. } => match source.as_ref() {
            bollard::errors::Error::DockerResponseServerError { status_code, .. } => Some(*status_code),
            _ => None,
        },
        _ => None,
    }
}
