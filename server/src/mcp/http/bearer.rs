//! The check of the token: `Authorization: Bearer …` on every request to the endpoint, where a token is set.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, Request, Response};
use axum::middleware::Next;

use super::body::discard;
use super::refusal::unauthorized;
use super::token::Token;

const SCHEME: &[u8] = b"bearer ";

/// Lets through what carries the token, and everything where none is set.
pub(super) async fn check(
    State(token): State<Arc<Option<Token>>>,
    request: Request<Body>,
    next: Next,
) -> Response<Body> {
    let Some(token) = token.as_ref() else { return next.run(request).await };
    let refusal = match presented(request.headers()) {
        Some(text) if token.is(text) => return next.run(request).await,
        Some(_) => unauthorized(
            r#"Bearer realm="repolab", error="invalid_token""#,
            "The token is not the one this server was started with.",
        ),
        None => unauthorized(
            r#"Bearer realm="repolab""#,
            "This server wants the header `Authorization: Bearer TOKEN`, with the token it was started with.",
        ),
    };
    discard(request).await;
    refusal
}

/// What stands after `Bearer`, where exactly one such header is there.
fn presented(headers: &HeaderMap) -> Option<&[u8]> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = values.next()?.as_bytes();
    let (scheme, text) = value.split_at_checked(SCHEME.len())?;
    (values.next().is_none() && scheme.eq_ignore_ascii_case(SCHEME)).then(|| text.trim_ascii())
}
