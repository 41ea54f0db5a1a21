//! The rate limit: a bucket of requests that fills up again over time, one for all clients, because clients of one
//! machine cannot be told apart.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{Request, Response, StatusCode};
use axum::middleware::Next;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, Quota};

use super::body::discard;
use super::options::HttpLimits;
use super::refusal::later;

/// The bucket.
pub(super) fn bucket(limits: &HttpLimits) -> Arc<DefaultDirectRateLimiter> {
    Arc::new(DefaultDirectRateLimiter::direct(Quota::per_second(limits.requests_per_second)))
}

/// Lets through what the bucket has room for.
pub(super) async fn check(
    State(bucket): State<Arc<DefaultDirectRateLimiter>>,
    request: Request<Body>,
    next: Next,
) -> Response<Body> {
    match bucket.check() {
        Ok(()) => next.run(request).await,
        Err(refused) => {
            discard(request).await;
            let wait = refused.wait_time_from(DefaultClock::default().now());
            later(StatusCode::TOO_MANY_REQUESTS, wait, "Too many requests a second; wait and send it again.")
        }
    }
}
