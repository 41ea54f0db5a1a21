//! `repolab read`: the `read_file` tool from the shell.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use tools::{ReadFile, ReadFileInput, Tool};

use super::{call, toolbox};
use crate::configuration::Configuration;
use crate::printer::Printer;

/// Read numbered lines of a file, exactly as an agent does
///
/// Examples:
///   repolab read dgl README.md
///   repolab read bert modeling.py --symbol embedding
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Read {
    /// Repository name
    repo: String,
    /// Path of the file in the repository
    path: String,
    /// First line, from 1
    #[arg(long, value_name = "LINE")]
    start_line: Option<u32>,
    /// First character of the first line, from 1
    #[arg(long, value_name = "COLUMN", requires = "start_line")]
    start_column: Option<u32>,
    /// Last line, included
    #[arg(long, value_name = "LINE")]
    end_line: Option<u32>,
    /// Read the definition of this symbol
    #[arg(long, value_name = "NAME", conflicts_with_all = ["start_line", "end_line"])]
    symbol: Option<String>,
    /// Size of the answer in tokens, 100 to 20000
    #[arg(long, value_name = "N")]
    max_tokens: Option<u32>,
}

impl Read {
    /// Prints the lines.
    pub(crate) fn run(self, configuration: &Configuration, printer: Printer) -> Result<ExitCode> {
        let input = ReadFileInput {
            repo: self.repo,
            path: self.path,
            start_line: self.start_line,
            start_column: self.start_column,
            end_line: self.end_line,
            symbol: self.symbol,
            max_tokens: self.max_tokens,
            workspace: None,
        };
        let output = call::<ReadFile>(&toolbox(configuration)?, input)?;
        printer.value(&output, || ReadFile::render(&output))?;
        Ok(ExitCode::SUCCESS)
    }
}
