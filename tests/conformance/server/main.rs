//! The tools, resources and prompts that the MCP conformance suite expects by name, on the product's own HTTP stack:
//! the same router, checks and sessions as `repolab serve --http`. It is never shipped; `tests/conformance.rs` runs it.

#![expect(deprecated, reason = "the suite also tests what the newest revision deprecates")]
#![expect(clippy::needless_pass_by_value, reason = "a JSON value is written where it is used")]

mod asking;
mod changes;
mod content;
mod fixtures;
mod input_required;
mod prompts;
mod reporting;
mod resources;
mod tasks;
mod tools;

use server::http::{HttpOptions, HttpServer};
use tokio_util::sync::CancellationToken;

use crate::fixtures::Fixtures;

/// Listens on a free port, prints the URL, and serves until it is killed.
#[tokio::main]
#[expect(clippy::print_stderr, reason = "the test reads the URL there, as it does from the product")]
async fn main() -> Result<(), server::http::HttpError> {
    let http = HttpServer::bind(HttpOptions::new("127.0.0.1:0")).await?;
    eprintln!("listening on {}", http.url());
    let fixtures = Fixtures::default();
    http.serve(move || fixtures.clone(), CancellationToken::new()).await;
    Ok(())
}
