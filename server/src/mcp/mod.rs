//! The one place that knows the Model Context Protocol: it offers the tools of `tools` to a client.
//! Nothing a tool does can take the connection down: a panic, a slow tool or a dead engine fails that call.

mod background;
mod call;
mod completion;
mod explanation;
mod guard;
pub(crate) mod http;
mod page;
mod progress;
mod prompts;
mod resource_address;
mod resources;
mod schema;
mod served_tool;
mod server;

pub use server::McpServer;
