//! Everything a caller decides about the server. The defaults serve one person or a small team; each limit exists
//! because an endless supply of what it limits has brought such servers down.

use std::num::NonZeroU32;
use std::time::Duration;

use super::token::Token;

/// Where to listen, for whom, and within which limits.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// `HOST:PORT`; port 0 takes a free one.
    pub address: String,
    /// What every request must carry; without one, only loopback addresses are bound.
    pub token: Option<Token>,
    /// Values of `Host` that are served beyond the loopback names and the bound address: `NAME` or `NAME:PORT`.
    pub allowed_hosts: Vec<String>,
    /// Web pages that may ask, beyond those of this machine: `SCHEME://HOST[:PORT]`.
    pub allowed_origins: Vec<String>,
    /// How much is served at once.
    pub limits: HttpLimits,
}

/// How much is served at once, and how long a client may take.
#[derive(Clone, Debug)]
pub struct HttpLimits {
    /// The longest body of a request, in bytes.
    pub request_bytes: usize,
    /// Requests that are being answered at one time; streams that only listen do not count.
    pub concurrent_requests: usize,
    /// Requests a second, over all clients; as many may come in one burst.
    pub requests_per_second: NonZeroU32,
    /// Open connections.
    pub connections: usize,
    /// Sessions of the era before 2026-07-28; beyond it, the session that was idle longest goes.
    pub sessions: usize,
    /// How long a session may be idle, with no stream open, before it goes.
    pub session_idle: Duration,
    /// How long a call of a session goes on after its client has gone, waiting for it to come back.
    pub abandoned: Duration,
    /// How long a client may take for the head of a request, and again for its body.
    pub read_timeout: Duration,
    /// How long calls may go on after the server was told to end.
    pub shutdown_grace: Duration,
}

impl HttpOptions {
    /// The defaults on an address.
    pub fn new(address: impl Into<String>) -> Self {
        Self {
            address: address.into(),
            token: None,
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            limits: HttpLimits::default(),
        }
    }
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            // The longest argument is a file's text; MCP's SDKs take as much.
            request_bytes: 4 << 20,
            // The tools have their own, lower limit, at which calls wait; this one bounds those that wait.
            concurrent_requests: 128,
            // Beyond what agents ask, below what would keep two cores from anything else.
            requests_per_second: const { NonZeroU32::new(500).unwrap() },
            connections: 256,
            sessions: 256,
            // A person thinks between two questions; clients differ in how well they take the loss of a session.
            session_idle: Duration::from_secs(30 * 60),
            abandoned: Duration::from_secs(30),
            read_timeout: Duration::from_secs(30),
            shutdown_grace: Duration::from_secs(5),
        }
    }
}
