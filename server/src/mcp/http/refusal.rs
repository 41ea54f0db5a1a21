//! What a client reads when it is refused: a status, and one sentence with the next step. Bodies are plain text because
//! such a request never reached the protocol, and has no id that an answer could carry.

use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, Response, StatusCode};

/// A refusal with its status.
pub(super) fn refuse(status: StatusCode, text: impl Into<String>) -> Response<Body> {
    let mut response = Response::new(Body::from(text.into() + "\n"));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

/// A refusal of what may be tried again after a while.
pub(super) fn later(status: StatusCode, wait: Duration, text: &str) -> Response<Body> {
    let seconds = wait.as_secs_f64().ceil().max(1.0);
    let mut response = refuse(status, text);
    if let Ok(value) = HeaderValue::from_str(&format!("{seconds:.0}")) {
        response.headers_mut().insert(RETRY_AFTER, value);
    }
    response
}

/// A refusal of who did not show the token.
pub(super) fn unauthorized(challenge: &'static str, text: &str) -> Response<Body> {
    let mut response = refuse(StatusCode::UNAUTHORIZED, text);
    response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
    response
}

/// A refusal after which the connection closes, because the rest of the request was not read.
pub(super) fn hang_up(status: StatusCode, text: &str) -> Response<Body> {
    let mut response = refuse(status, text);
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}
