//! What lets the web pages that may ask also read the answers: browsers ask first, without the token, and show a page
//! only what it was promised. `origin` has refused every other page before.

use std::time::Duration;

use axum::http::{HeaderName, Method};
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};

// As long as browsers keep it; without it, each call would be two.
const KEPT: Duration = Duration::from_secs(2 * 60 * 60);
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const CHALLENGE: HeaderName = HeaderName::from_static("www-authenticate");

/// The answers to browsers.
pub(super) fn layer() -> CorsLayer {
    CorsLayer::new()
        .allow_origin(AllowOrigin::mirror_request())
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        // The newer era has a header for each marked parameter, so no list would hold them all.
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers([SESSION, CHALLENGE])
        // A page of a public address may reach a server on this machine only where that is said.
        .allow_private_network(true)
        .max_age(KEPT)
}
