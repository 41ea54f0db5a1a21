//! `repolab serve`: the MCP server on standard input and output, or over HTTP.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use rmcp::transport::stdio_pipes;
use tokio_util::sync::CancellationToken;
use tools::SandboxSettings;

use super::{runtime, toolbox_with};
use crate::configuration::{Configuration, HttpFlags};
use crate::mcp::McpServer;
use crate::mcp::http::{HttpOptions, HttpServer};
use crate::printer::Printer;

// An agent runs one command after the other, so one container that is ready saves most of each start.
const SPARES: usize = 1;

/// Serve the repositories to agents over MCP, on standard input and output or over HTTP
///
/// `repolab client-config CLIENT` says how a client is told about it
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Container image for every repository, in place of the registry's hints
    #[arg(long, value_name = "NAME")]
    image: Option<String>,
    /// Let an agent ask for network access in the sandbox
    #[arg(long)]
    allow_network: bool,
    #[command(flatten)]
    http: HttpFlags,
}

impl Serve {
    /// Serves until the client closes standard input or the process is told to end.
    pub(crate) fn run(self, configuration: &Configuration, printer: Printer) -> Result<ExitCode> {
        let mut configuration = configuration.clone();
        let http = self.http.address.is_some().then(|| configuration.http(&self.http)).transpose()?;
        configuration.image = self.image.or(configuration.image);
        configuration.allow_network |= self.allow_network;
        let sandbox = SandboxSettings { spares: SPARES, ..configuration.sandbox() };
        let server = McpServer::new(toolbox_with(&configuration, sandbox)?);
        let runtime = runtime()?;
        let ended = runtime.block_on(async {
            match http {
                Some(options) => serve_http(server, options, printer).await,
                None => serve(server).await,
            }
        });
        // A read of standard input that is under way cannot be cancelled, so it is not waited for.
        runtime.shutdown_timeout(Duration::from_secs(2));
        ended.map(|()| ExitCode::SUCCESS)
    }
}

async fn serve(server: McpServer) -> Result<()> {
    let stop = stop_on_signal();
    let serving = rmcp::service::serve_server_with_ct(server, stdio_pipes(), stop.clone()).await;
    match serving {
        Ok(service) => {
            service.waiting().await.context("the MCP service stopped unexpectedly")?;
            Ok(())
        }
        // A client that goes away before it said anything, or a signal: the wished end of a server.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(_) if stop.is_cancelled() => Ok(()),
        Err(error) => Err(error).context("could not agree with the client on a protocol version"),
    }
}

async fn serve_http(server: McpServer, options: HttpOptions, printer: Printer) -> Result<()> {
    let stop = stop_on_signal();
    let http = HttpServer::bind(options).await?;
    printer.notice(&format!("listening on {}", http.url()));
    http.serve(move || server.clone(), stop).await;
    Ok(())
}

/// A token that is cancelled when the process is told to end.
fn stop_on_signal() -> CancellationToken {
    let stop = CancellationToken::new();
    let on_signal = stop.clone();
    tokio::spawn(async move {
        super::told_to_end().await;
        on_signal.cancel();
    });
    stop
}
