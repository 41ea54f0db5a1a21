//! The one place that knows the Model Context Protocol: it offers the tools of `tools` to a client.
//! Nothing a tool does can take the connection down: a panic, a slow tool or a dead engine fails that call.

mod guard;
pub(crate) mod http;
mod schema;
mod served_tool;
mod server;

pub use server::McpServer;
