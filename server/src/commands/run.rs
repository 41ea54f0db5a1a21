//! `repolab run`: the `run_in_sandbox` tool from the shell.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use tools::{RunInSandbox, RunInSandboxInput, RunInSandboxOutput, Tool};

use super::{call, toolbox};
use crate::configuration::Configuration;
use crate::failure;
use crate::printer::Printer;

// The codes of GNU `timeout`, `docker run` and shells, which scripts know.
const TIMED_OUT: u8 = 124;
const SANDBOX_FAILED: u8 = 125;
const CANCELLED: u8 = 130;
const KILLED_AT_A_LIMIT: u8 = 137;

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
        let mut output = match call::<RunInSandbox>(&toolbox(&configuration)?, input) {
            Ok(output) => output,
            Err(error) if is_of_the_sandbox(&error) => {
                failure::report(&error, printer);
                return Ok(ExitCode::from(SANDBOX_FAILED));
            }
            Err(error) => return Err(error),
        };
        // The copy goes with this process, so its handle would lead nowhere.
        output.workspace = None;
        printer.value(&output, || RunInSandbox::render(&output))?;
        Ok(ExitCode::from(code(&output)))
    }
}

fn is_of_the_sandbox(error: &anyhow::Error) -> bool {
    matches!(
        error.downcast_ref::<tools::Error>(),
        Some(tools::Error::Sandbox(_) | tools::Error::SandboxFailed { .. })
    )
}

fn code(output: &RunInSandboxOutput) -> u8 {
    match (output.exit_code, output.ended.as_str()) {
        (Some(code), _) => u8::try_from(code).unwrap_or(KILLED_AT_A_LIMIT),
        (None, "timed_out") => TIMED_OUT,
        (None, "cancelled") => CANCELLED,
        (None, _) => KILLED_AT_A_LIMIT,
    }
}
