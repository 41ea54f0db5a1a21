//! HOW it is reached: the command line, the configuration, and the one place that speaks MCP.
//! `run` is the whole program: parse, resolve the configuration, run one command, print at most one error.

mod arguments;
mod bars;
mod commands;
mod configuration;
mod failure;
mod mcp;
mod printer;

use std::process::ExitCode;

use clap::Parser;

use crate::arguments::Arguments;
use crate::configuration::Configuration;
use crate::printer::Printer;

pub use crate::mcp::McpServer;

/// The server over Streamable HTTP, for any rmcp handler.
pub mod http {
    pub use crate::mcp::http::{HttpError, HttpLimits, HttpOptions, HttpServer, Token};
}

/// Runs the program with the process's own arguments.
pub fn run() -> ExitCode {
    let arguments = Arguments::parse();
    start_log(arguments.global.verbose);
    let printer = Printer::new(arguments.global.json);
    let outcome = Configuration::resolve(&arguments.global)
        .and_then(|configuration| commands::run(arguments.command, &configuration, printer));
    match outcome {
        Ok(code) => code,
        Err(error) => failure::report(&error, printer),
    }
}

/// Logs go to standard error: under `serve`, standard output carries the protocol and nothing else.
fn start_log(verbose: u8) {
    let level = match verbose {
        // rmcp warns of every mistake of a client, which the client has been told already.
        0 => "warn,rmcp=error",
        1 => "info",
        _ => "debug",
    };
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(level));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(false).init();
}
