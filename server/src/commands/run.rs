//! `repolab run`: the `run_in_sandbox` tool from the shell.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use tools::{RunInSandbox, RunInSandboxInput, Tool};

use super::{call, toolbox};
use crate::configuration::Configuration;
use crate::printer::Printer;

// The codes of GNU `timeout` and `docker run`, which scripts know.
const TIMED_OUT: u8 = 124;
const ENDED_BY_A_LIMIT: u8 = 125;

/// Run a shell command in a private copy of a repository, exactly as an agent does
///
/// Examples:
///   repolab run bert 'python3 -m compileall -q . && ls'
///   repolab run dgl --image my/dgl:cpu --timeout-seconds 300 'cd examples/pytorch/gcn && python train.py'
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Run {
    /// Repository name
    repo: String,
    /// Shell command, given as one argument
    command: String,
    /// Container image, in place of the registry's hint
    #[arg(long, value_name = "NAME")]
    image: Option<String>,
    /// Seconds after which the command is ended, 1 to 3600
    #[arg(long, value_name = "N")]
    timeout_seconds: Option<u32>,
    /// Allow network access
    #[arg(long)]
    network: bool,
}

impl Run {
    /// Prints the outcome and passes on the command's exit code.
    pub(crate) fn run(self, configuration: &Configuration, printer: Printer) -> Result<ExitCode> {
        let mut configuration = configuration.clone();
        configuration.image = self.image.or(configuration.image);
        // The person at the shell is the operator.
        configuration.allow_network |= self.network;
        let input = RunInSandboxInput {
            repo: self.repo,
            command: self.command,
            workspace: None,
            timeout_seconds: self.timeout_seconds,
            network: Some(self.network),
        };
        let output = call::<RunInSandbox>(&toolbox(&configuration)?, input)?;
        printer.value(&output, || RunInSandbox::render(&output))?;
        Ok(match output.exit_code {
            Some(code) => ExitCode::from(u8::try_from(code).unwrap_or(ENDED_BY_A_LIMIT)),
            None if output.ended == "timed_out" => ExitCode::from(TIMED_OUT),
            None => ExitCode::from(ENDED_BY_A_LIMIT),
        })
    }
}
