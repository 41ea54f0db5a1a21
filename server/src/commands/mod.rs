//! One file per command: its arguments, whose doc comments are the help, and what it does.

pub(crate) mod client_config;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod eval;
pub(crate) mod index;
pub(crate) mod read;
pub(crate) mod repos;
pub(crate) mod run;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod tasks;

use std::process::ExitCode;

use anyhow::{Context, Result};
use indexer::IndexStore;
use tokio::runtime::Runtime;
use tools::{Call, SandboxSettings, Tool, Toolbox};

use crate::arguments::Command;
use crate::configuration::Configuration;
use crate::printer::Printer;

/// Runs one command.
pub(crate) fn run(command: Command, configuration: &Configuration, printer: Printer) -> Result<ExitCode> {
    match command {
        Command::Demo(command) => command.run(printer),
        Command::Serve(command) => command.run(configuration, printer),
        Command::ClientConfig(command) => command.run(configuration, printer),
        Command::Repos(command) => command.run(configuration, printer),
        Command::Index(command) => command.run(configuration, printer),
        Command::Search(command) => command.run(configuration, printer),
        Command::Read(command) => command.run(configuration, printer),
        Command::Run(command) => command.run(configuration, printer),
        Command::Tasks(command) => command.run(printer),
        Command::Eval(command) => command.run(configuration, printer),
        Command::Doctor(command) => command.run(configuration, printer),
    }
}

/// What to say where a repository is wanted and none is there.
const NOTHING_HERE: &str = "no repository is on this machine yet; `repolab repos sync` fetches those of the registry, \
    `repolab repos link --all FOLDER` serves folders you have";

/// The tools over the user's data folder, for one call.
fn toolbox(configuration: &Configuration) -> Result<Toolbox> {
    toolbox_with(configuration, configuration.sandbox())
}

fn toolbox_with(configuration: &Configuration, sandbox: SandboxSettings) -> Result<Toolbox> {
    let catalog = configuration.catalog()?;
    let store = IndexStore::new(configuration.indexes());
    Ok(Toolbox::new(catalog, store, configuration.workspaces(), sandbox))
}

/// The runtime for commands that wait for an engine or a client.
fn runtime() -> Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("could not start the async runtime")
}

/// Ends when the process is told to end.
async fn told_to_end() {
    let terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate());
    let Ok(mut terminate) = terminate else { return std::future::pending().await };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}

/// Calls a tool from the shell; Ctrl-C cancels it, so that nothing it started is left behind.
fn call<T: Tool>(toolbox: &Toolbox, input: T::Input) -> Result<T::Output> {
    let runtime = runtime()?;
    let call = Call::default();
    let output = runtime.block_on(async {
        let mut work = std::pin::pin!(T::run(toolbox, input, &call));
        tokio::select! {
            output = &mut work => output,
            _ = tokio::signal::ctrl_c() => {
                call.cancel.cancel();
                work.await
            }
        }
    })?;
    Ok(output)
}
