//! The socket: binds only where it is safe to, and gives each connection its own task, within a limit and a time for
//! each head. HTTP/1.1 alone is spoken: no client needs more, and the newer one has attacks of its own.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rmcp::ServerHandler;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream, lookup_host};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::error::HttpError;
use super::options::{HttpLimits, HttpOptions};
use super::router::{self, ENDPOINT, Shared};
use super::shutdown;

// Far more than any client sends, and little enough for every connection at once.
const HEAD_BYTES: usize = 32 << 10;
// What fails to accept (too many open files) fails again at once; others must get a turn.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_millis(100);
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/// A server that listens and does not answer yet.
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    options: HttpOptions,
    shared: Shared,
}

/// What a connection needs.
#[derive(Clone)]
struct Connections {
    router: axum::Router,
    limits: HttpLimits,
    free: Arc<Semaphore>,
    open: TaskTracker,
    closing: CancellationToken,
}

impl HttpServer {
    /// Binds the address. Refuses one that other machines can reach when no token is set.
    pub async fn bind(options: HttpOptions) -> Result<Self, HttpError> {
        let address = resolve(&options.address).await?;
        if !address.ip().is_loopback() && options.token.is_none() {
            return Err(HttpError::OpenToAll { address });
        }
        let shared = Shared::new(&options, address)?;
        let bind = async || {
            let listener = TcpListener::bind(address).await?;
            let bound = listener.local_addr()?;
            Ok((listener, bound))
        };
        let (listener, address) = bind().await.map_err(|source| HttpError::Bind { address, source })?;
        Ok(Self { listener, address, options, shared })
    }

    /// The address that was bound.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What a client is told.
    pub fn url(&self) -> String {
        format!("http://{}{ENDPOINT}", self.address)
    }

    /// Serves until `stop`, then lets calls finish for a while and ends the rest.
    ///
    /// `handler` is asked for one handler per session of the older era and per request of the newer.
    pub async fn serve<S: ServerHandler + Send + 'static>(
        self,
        handler: impl Fn() -> S + Send + Sync + 'static,
        stop: CancellationToken,
    ) {
        let connections = Connections {
            router: router::router(handler, &self.options, &self.shared),
            free: Arc::new(Semaphore::new(self.options.limits.connections)),
            limits: self.options.limits,
            open: TaskTracker::new(),
            closing: CancellationToken::new(),
        };
        let sweeping = tokio::spawn(self.shared.sessions.clone().sweep());
        tokio::select! {
            () = connections.accept(&self.listener) => {}
            () = stop.cancelled() => {}
        }
        drop(self.listener);
        shutdown::wind_down(&connections.limits, &self.shared, (&connections.closing, &connections.open))
            .await;
        sweeping.abort();
    }
}

async fn resolve(text: &str) -> Result<SocketAddr, HttpError> {
    let unknown = |source| HttpError::Address { address: text.to_owned(), source };
    let mut addresses = lookup_host(text).await.map_err(|source| unknown(Some(source)))?;
    addresses.next().ok_or_else(|| unknown(None))
}

impl Connections {
    async fn accept(&self, listener: &TcpListener) {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => self.take(stream),
                Err(error) => {
                    tracing::warn!("could not accept a connection: {error}");
                    tokio::time::sleep(PAUSE_AFTER_FAILURE).await;
                }
            }
        }
    }

    fn take(&self, stream: TcpStream) {
        // An answer goes out in parts; waiting for the client's word on the first costs 40 ms. Without the option the
        // answer is only later.
        let _ = stream.set_nodelay(true);
        let place = self.free.clone().try_acquire_owned();
        let connections = self.clone();
        self.open.spawn(async move {
            match place {
                Ok(_place) => connections.converse(stream).await,
                Err(_) => turn_away(stream).await,
            }
        });
    }

    async fn converse(self, stream: TcpStream) {
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.read_timeout)
            .max_buf_size(HEAD_BYTES)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(self.router));
        let mut connection = std::pin::pin!(connection);
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = self.closing.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            tracing::debug!("a connection ended: {error}");
        }
    }
}

/// Answers before the request was read, so the client may not get to see it.
async fn turn_away(mut stream: TcpStream) {
    if stream.write_all(FULL).await.is_ok() {
        let _ = stream.shutdown().await;
    }
}
