//! The one place that writes to standard output and standard error.
//! Data goes to standard output, everything else to standard error; a reader that went away is no error.

use std::io::{IsTerminal, Write};

use anyhow::{Context, Result};
use comfy_table::{ContentArrangement, ContentLineStyle, LineStyle, Table, TableStyle};
use serde::Serialize;

/// Prints for a person or for a machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Printer {
    json: bool,
}

impl Printer {
    /// A printer of JSON or of text.
    pub(crate) fn new(json: bool) -> Self {
        Self { json }
    }

    /// Whether a machine reads.
    pub(crate) fn is_json(self) -> bool {
        self.json
    }

    /// Whether progress may be drawn.
    pub(crate) fn draws_progress(self) -> bool {
        !self.json && std::io::stderr().is_terminal()
    }

    /// Prints a value as JSON, or its text.
    pub(crate) fn value(self, value: &impl Serialize, text: impl FnOnce() -> String) -> Result<()> {
        if self.json {
            let json = serde_json::to_string_pretty(value).context("could not write the answer as JSON")?;
            self.data(&json)
        } else {
            self.data(text().trim_end_matches('\n'))
        }
    }

    /// Prints text to standard output.
    pub(crate) fn data(self, text: &str) -> Result<()> {
        match writeln!(std::io::stdout().lock(), "{text}") {
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            other => other.context("could not write to standard output"),
        }
    }

    /// Tells a person something on standard error.
    pub(crate) fn notice(self, text: &str) {
        // There is nowhere left to report a broken standard error.
        let _ = writeln!(std::io::stderr().lock(), "{text}");
    }
}

// One line under the header: rows stay close, so that more of them are seen at once.
const UNDER_THE_HEADER: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none().junction(' '))
    .header_separator(LineStyle::none().fill('─').junction('─'))
    .content_lines(ContentLineStyle::none().junction(' '));

/// A table that fits the terminal; in a pipe its cells stay whole, so that they can be searched for.
pub(crate) fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(UNDER_THE_HEADER);
    if std::io::stdout().is_terminal() {
        table.set_content_arrangement(ContentArrangement::Dynamic);
    }
    table.set_header(header.iter().copied());
    table
}
