//! The limits on a request's body: its size, and the time it may take. A body is read whole before it counts as a
//! request that is being answered, so that slow clients do not take the places of others.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::{Request, Response, StatusCode};
use axum::middleware::Next;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Body as _;

use super::options::HttpLimits;
use super::refusal::{hang_up, refuse};

// Usual requests are smaller and arrive at once; who is refused shall not keep the server busy.
const DISCARDED_BYTES: usize = 64 << 10;
const DISCARDING: Duration = Duration::from_secs(1);

/// Reads the body and passes the request on.
pub(super) async fn read(
    State(limits): State<Arc<HttpLimits>>,
    request: Request<Body>,
    next: Next,
) -> Response<Body> {
    let (head, body) = request.into_parts();
    // The announced length, so that a giant is refused before it is sent.
    if body.size_hint().lower() > limits.request_bytes as u64 {
        return too_large(&limits);
    }
    let reading = Limited::new(body, limits.request_bytes).collect();
    match tokio::time::timeout(limits.read_timeout, reading).await {
        Ok(Ok(body)) => next.run(Request::from_parts(head, Body::from(body.to_bytes()))).await,
        Ok(Err(error)) if error.is::<LengthLimitError>() => too_large(&limits),
        Ok(Err(error)) => {
            tracing::debug!("a request's body ended early: {error}");
            refuse(StatusCode::BAD_REQUEST, "The body ended before it was complete.")
        }
        Err(_) => hang_up(StatusCode::REQUEST_TIMEOUT, "The body did not arrive in time."),
    }
}

/// Reads what is left of a refused request. A client that still writes while the connection closes would see a broken
/// connection in place of the refusal.
pub(super) async fn discard(request: Request<Body>) {
    let reading = Limited::new(request.into_body(), DISCARDED_BYTES).collect();
    // What does not come within the limits is not worth waiting for.
    let _ = tokio::time::timeout(DISCARDING, reading).await;
}

fn too_large(limits: &HttpLimits) -> Response<Body> {
    let text = format!("The body is longer than {} bytes; send less at a time.", limits.request_bytes);
    hang_up(StatusCode::PAYLOAD_TOO_LARGE, &text)
}
