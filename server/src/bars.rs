//! Progress bars on standard error, drawn only on a terminal.

use indexer::BuildProgress;
use indicatif::{ProgressBar, ProgressStyle};

use crate::printer::Printer;

/// A bar over the files of all repositories that are being indexed.
pub(crate) struct IndexBar(ProgressBar);

/// A bar for indexing.
pub(crate) fn index_bar(printer: Printer) -> IndexBar {
    IndexBar(bar(printer, "indexing", "files"))
}

/// A bar that counts `unit`s; hidden where nobody looks.
pub(crate) fn bar(printer: Printer, what: &'static str, unit: &'static str) -> ProgressBar {
    if !printer.draws_progress() {
        return ProgressBar::hidden();
    }
    let template = format!("{{prefix}} [{{bar:30}}] {{pos}}/{{len}} {unit} {{elapsed}} {{msg}}");
    let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(0).with_style(style.progress_chars("=> ")).with_prefix(what)
}

impl IndexBar {
    /// Removes the bar.
    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

impl BuildProgress for IndexBar {
    fn total(&self, files: u64) {
        self.0.inc_length(files);
    }

    fn advance(&self, files: u64) {
        self.0.inc(files);
    }
}
