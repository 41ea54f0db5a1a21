//! The order of the checks, and behind them the protocol at `/mcp` and a sign of life at `/health`.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;
use rmcp::ServerHandler;
use rmcp::transport::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use tokio_util::sync::CancellationToken;

use super::concurrency::{self, Places};
use super::error::HttpError;
use super::options::HttpOptions;
use super::origin::{self, Names};
use super::sessions::{self, Sessions};
use super::{bearer, body, cors, rate};

/// Where the protocol is served.
pub(super) const ENDPOINT: &str = "/mcp";

/// What the connections share.
pub(super) struct Shared {
    /// Who may come in.
    pub(super) names: Arc<Names>,
    /// The places for requests that are being answered.
    pub(super) places: Places,
    /// The sessions of the older era.
    pub(super) sessions: Arc<Sessions>,
    /// Ends every session and stream.
    pub(super) hang_up: CancellationToken,
}

impl Shared {
    /// Nothing is shared yet.
    pub(super) fn new(options: &HttpOptions, bound: SocketAddr) -> Result<Self, HttpError> {
        Ok(Self {
            names: Arc::new(Names::new(options, bound)?),
            places: Places::new(&options.limits),
            sessions: Arc::new(Sessions::new(&options.limits)),
            hang_up: CancellationToken::new(),
        })
    }
}

/// Every way in; a layer that is added later is passed earlier.
pub(super) fn router<S: ServerHandler + Send + 'static>(
    handler: impl Fn() -> S + Send + Sync + 'static,
    options: &HttpOptions,
    shared: &Shared,
) -> Router {
    let protocol =
        StreamableHttpService::new(move || Ok(handler()), shared.sessions.clone(), protocol(options, shared));
    Router::new()
        .route_service(ENDPOINT, protocol)
        .layer(from_fn(sessions::say_when_over))
        .layer(from_fn_with_state(shared.sessions.clone(), sessions::say_when_full))
        .layer(from_fn_with_state(shared.places.clone(), concurrency::check))
        .layer(from_fn_with_state(Arc::new(options.limits.clone()), body::read))
        .layer(from_fn_with_state(rate::bucket(&options.limits), rate::check))
        .layer(from_fn_with_state(Arc::new(options.token.clone()), bearer::check))
        .route("/health", get(async || "ok\n"))
        .layer(cors::layer())
        .layer(from_fn_with_state(shared.names.clone(), origin::check))
}

fn protocol(options: &HttpOptions, shared: &Shared) -> StreamableHttpServerConfig {
    StreamableHttpServerConfig::default()
        // `origin` has checked both before anything else was done, for every path.
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_max_request_body_bytes(options.limits.request_bytes)
        .with_cancellation_token(shared.hang_up.clone())
}
