//! The limit on requests that are being answered at one time. A request holds its place until the last byte of its
//! answer is sent or its client has gone; a stream that only listens for notifications holds none.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::{Method, Request, Response, StatusCode};
use axum::middleware::Next;
use http_body_util::BodyExt;
use tokio::sync::Semaphore;

use super::options::HttpLimits;
use super::refusal::later;

// rmcp compares this header with the method in the body and refuses a request where they differ.
const METHOD: &str = "mcp-method";
const LISTEN: &[u8] = b"subscriptions/listen";

/// The places for requests that are being answered.
#[derive(Clone, Debug)]
pub(super) struct Places {
    free: Arc<Semaphore>,
    all: u32,
}

impl Places {
    /// As many as the limit says.
    pub(super) fn new(limits: &HttpLimits) -> Self {
        let all = u32::try_from(limits.concurrent_requests).unwrap_or(u32::MAX);
        Self { free: Arc::new(Semaphore::new(all as usize)), all }
    }

    /// Waits until no request is being answered.
    pub(super) async fn all_free(&self) {
        // The semaphore is never closed; if it were, nothing would be left to wait for.
        let _ = self.free.acquire_many(self.all).await;
    }
}

/// Gives the request a place, or refuses it where none is free.
pub(super) async fn check(
    State(places): State<Places>,
    request: Request<Body>,
    next: Next,
) -> Response<Body> {
    if only_listens(&request) {
        return next.run(request).await;
    }
    let Ok(place) = places.free.try_acquire_owned() else {
        return later(
            StatusCode::SERVICE_UNAVAILABLE,
            Duration::from_secs(1),
            "Too many requests are being answered; wait and send it again.",
        );
    };
    let response = next.run(request).await;
    response.map(|body| {
        Body::new(body.map_frame(move |frame| {
            let _held_until_the_body_is_dropped = &place;
            frame
        }))
    })
}

fn only_listens(request: &Request<Body>) -> bool {
    let listens = request.headers().get(METHOD).is_some_and(|value| value.as_bytes() == LISTEN);
    request.method() == Method::GET || listens
}
