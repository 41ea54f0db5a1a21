//! The command line as a person types it. Doc comments here are the help texts.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::commands;

/// A laboratory for coding agents over machine-learning repositories
///
/// Serves repositories to agents over MCP (read, search, run in a sandbox) and scores agents on ML-Bench.
/// Start with `repolab demo`: it needs no network and no container engine.
#[derive(Debug, Parser)]
#[command(name = "repolab", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 success, 1 the command failed (one sentence and a hint on standard error), \
    2 wrong command line. `repolab run` passes on the command's own code, or 124 at the time limit, 137 at another limit, \
    130 when interrupted, 125 when the sandbox itself failed.";

/// What every command takes.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Print JSON for machines instead of text for people
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Folder for checkouts, indexes and runs [default: the user's data folder]
    #[arg(long, global = true, env = "REPOLAB_DATA", hide_env_values = true, value_name = "FOLDER")]
    pub(crate) data: Option<PathBuf>,
    /// Container engine, such as `unix:///run/user/1000/docker.sock` [default: `DOCKER_HOST`, else the usual socket]
    #[arg(long, global = true, env = "REPOLAB_ENGINE", hide_env_values = true, value_name = "ADDRESS")]
    pub(crate) engine: Option<String>,
    /// Log more to standard error; twice for still more
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Demo(commands::demo::Demo),
    Serve(commands::serve::Serve),
    ClientConfig(commands::client_config::ClientConfig),
    #[command(subcommand)]
    Repos(commands::repos::Repos),
    Index(commands::index::Index),
    Search(commands::search::Search),
    Read(commands::read::Read),
    Run(commands::run::Run),
    #[command(subcommand)]
    Tasks(commands::tasks::Tasks),
    #[command(subcommand)]
    Eval(commands::eval::Eval),
    Doctor(commands::doctor::Doctor),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Arguments;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }
}
