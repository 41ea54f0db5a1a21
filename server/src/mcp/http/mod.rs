//! The server over Streamable HTTP: rmcp speaks the protocol, this folder decides who may speak to it and how much.
//! A request passes, in this order, the checks of `Host` and `Origin`, the token, the rate limit, the limits on its
//! body and on requests at once; each is one file, and `router` puts them in their order.

mod bearer;
mod body;
mod concurrency;
mod cors;
mod error;
mod listener;
mod options;
mod origin;
mod rate;
mod refusal;
mod router;
mod sessions;
mod shutdown;
mod token;

pub use error::HttpError;
pub use listener::HttpServer;
pub use options::{HttpLimits, HttpOptions};
pub use token::Token;
