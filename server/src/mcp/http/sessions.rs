//! The sessions of the era before 2026-07-28: rmcp runs them, this file bounds them. There are at most so many, the one
//! that was idle longest goes first, and none outlives its idle time; a call whose client is gone ends after a while,
//! in which the client may come back for the answer (that era says that losing a connection cancels nothing).

mod usage;

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::{Method, Request, Response, StatusCode};
use axum::middleware::Next;
use futures_util::{Stream, StreamExt};
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification,
    JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError,
};
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager};

use self::usage::{Purpose, Usage};
use super::options::HttpLimits;
use super::refusal::later;

// Often enough that a session goes within a small part of its idle time after it.
const SWEEPS_PER_IDLE_TIME: u32 = 8;
const SHORTEST_SWEEP: Duration = Duration::from_millis(100);

/// rmcp's sessions within limits.
#[derive(Debug)]
pub(super) struct Sessions {
    running: Arc<LocalSessionManager>,
    usage: Usage,
    limits: HttpLimits,
}

/// Says that it is worth trying again where a session was refused for want of room; rmcp calls that an error of ours.
pub(super) async fn say_when_full(
    State(sessions): State<Arc<Sessions>>,
    request: Request<Body>,
    next: Next,
) -> Response<Body> {
    let response = next.run(request).await;
    if response.status() == StatusCode::INTERNAL_SERVER_ERROR && sessions.full() {
        let text = "Every session has a call under way; wait and send it again.";
        return later(StatusCode::SERVICE_UNAVAILABLE, Duration::from_secs(1), text);
    }
    response
}

/// Says that a session is over in the way that every client takes for a success.
pub(super) async fn say_when_over(request: Request<Body>, next: Next) -> Response<Body> {
    let ends_a_session = request.method() == Method::DELETE;
    let mut response = next.run(request).await;
    if ends_a_session && response.status() == StatusCode::ACCEPTED {
        // rmcp answers 202, which the Python SDK of the 1.x line reports as a failure.
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

/// Why a session cannot do what it is asked.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionError {
    /// Every session has a call under way.
    #[error("all {most} sessions are at work; close one, or try again later")]
    AllAtWork {
        /// The limit.
        most: usize,
    },
    /// rmcp says no.
    #[error(transparent)]
    Running(#[from] LocalSessionManagerError),
}

impl Sessions {
    /// None yet.
    pub(super) fn new(limits: &HttpLimits) -> Self {
        let mut running = LocalSessionManager::default();
        // rmcp would end a session in the midst of a long, silent call, so idle time is measured here.
        running.session_config.keep_alive = None;
        Self { running: Arc::new(running), usage: Usage::default(), limits: limits.clone() }
    }

    /// Closes idle sessions, for ever.
    pub(super) async fn sweep(self: Arc<Self>) {
        let pause = (self.limits.session_idle / SWEEPS_PER_IDLE_TIME).max(SHORTEST_SWEEP);
        loop {
            tokio::time::sleep(pause).await;
            for id in self.usage.idle_for(self.limits.session_idle) {
                self.close(&id).await;
            }
        }
    }

    /// Whether there is no room for another session, and none that could make room.
    fn full(&self) -> bool {
        self.usage.count() >= self.limits.sessions && self.usage.longest_idle().is_none()
    }

    async fn close(&self, id: &SessionId) {
        self.usage.forget(id);
        if let Err(error) = self.running.close_session(id).await {
            tracing::debug!("a session did not close cleanly: {error}");
        }
    }

    async fn make_room(&self) -> Result<(), SessionError> {
        while self.usage.count() >= self.limits.sessions {
            let longest_idle = self.usage.longest_idle();
            let id = longest_idle.ok_or(SessionError::AllAtWork { most: self.limits.sessions })?;
            tracing::info!("an idle session makes room for a new one");
            self.close(&id).await;
        }
        Ok(())
    }

    /// The stream of a call; when it is dropped before the answer, the call is cancelled after a while.
    fn until_answered<S: Stream<Item = ServerSseMessage> + Send + Sync + 'static>(
        &self,
        (session, call): (SessionId, Option<RequestId>),
        stream: S,
    ) -> impl Stream<Item = ServerSseMessage> + Send + Sync + use<S> {
        let opened = self.usage.opened(&session, Purpose::Call);
        let mut abandoned = Abandoned {
            running: self.running.clone(),
            usage: self.usage.clone(),
            after: self.limits.abandoned,
            session,
            call,
        };
        stream.map(move |message| {
            let _held_until_the_stream_is_dropped = &opened;
            if message.message.as_deref().is_some_and(is_answer) {
                abandoned.was_answered();
            }
            message
        })
    }
}

/// A call whose stream is being watched; dropping it with the call still there starts the wait for the client.
struct Abandoned {
    running: Arc<LocalSessionManager>,
    usage: Usage,
    after: Duration,
    session: SessionId,
    call: Option<RequestId>,
}

impl Abandoned {
    fn was_answered(&mut self) {
        self.call = None;
    }
}

impl Drop for Abandoned {
    fn drop(&mut self) {
        let (Some(call), Ok(runtime)) = (self.call.take(), tokio::runtime::Handle::try_current()) else {
            return;
        };
        let (running, usage, session) = (self.running.clone(), self.usage.clone(), self.session.clone());
        let (after, resumes) = (self.after, usage.resumes(&session));
        runtime.spawn(async move {
            tokio::time::sleep(after).await;
            if usage.resumes(&session) == resumes {
                let reason = Some("the client is gone".to_owned());
                let parameters = CancelledNotificationParam::new(Some(call), reason);
                let cancelled = ClientNotification::from(CancelledNotification::new(parameters));
                // A session that is gone has cancelled its calls already.
                let _ = running.accept_message(&session, ClientJsonRpcMessage::notification(cancelled)).await;
            }
        });
    }
}

fn is_answer(message: &ServerJsonRpcMessage) -> bool {
    matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_))
}

impl SessionManager for Sessions {
    type Error = SessionError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), SessionError> {
        self.make_room().await?;
        let (id, transport) = self.running.create_session().await?;
        self.usage.created(&id);
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, SessionError> {
        Ok(self.running.initialize_session(id, message).await?)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, SessionError> {
        Ok(self.running.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), SessionError> {
        self.usage.forget(id);
        Ok(self.running.close_session(id).await?)
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        let call = match &message {
            JsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        };
        let stream = self.running.create_stream(id, message).await?;
        Ok(self.until_answered((id.clone(), call), stream))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), SessionError> {
        self.usage.touched(id);
        Ok(self.running.accept_message(id, message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        let opened = self.usage.opened(id, Purpose::Listen);
        Ok(self.running.create_standalone_stream(id).await?.map(move |message| {
            let _held_until_the_stream_is_dropped = &opened;
            message
        }))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        let stream = self.running.resume(id, last_event_id).await?;
        self.usage.resumed(id);
        Ok(self.until_answered((id.clone(), None), stream))
    }
}
