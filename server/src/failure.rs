//! The one place that prints an error: one sentence, its numbered causes, and the next step.

use std::process::ExitCode;

use serde_json::json;

use crate::commands::client_config;
use crate::mcp::http::HttpError;
use crate::printer::Printer;

/// Prints the error and its hints; the code of a failed command.
pub(crate) fn report(error: &anyhow::Error, printer: Printer) -> ExitCode {
    let causes: Vec<String> = error.chain().skip(1).map(ToString::to_string).collect();
    let hint = hint(error);
    if printer.is_json() {
        printer.notice(&json!({ "error": error.to_string(), "causes": causes, "hint": hint }).to_string());
    } else {
        printer.notice(&text(&error.to_string(), &causes, hint.as_deref()));
    }
    ExitCode::from(1)
}

/// An error and its causes on one line.
pub(crate) fn sentence(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(deeper) = cause {
        text.push_str(": ");
        text.push_str(&deeper.to_string());
        cause = deeper.source();
    }
    text
}

fn text(error: &str, causes: &[String], hint: Option<&str>) -> String {
    let mut text = format!("Error: {error}");
    for (number, cause) in causes.iter().enumerate() {
        text.push_str(&format!("\n  {}: {cause}", number + 1));
    }
    if let Some(hint) = hint {
        text.push_str(&format!("\nHint: {hint}"));
    }
    text
}

/// The hint of the outermost error that has one.
pub(crate) fn hint(error: &anyhow::Error) -> Option<String> {
    error.chain().find_map(|cause| {
        None.or_else(|| cause.downcast_ref::<tools::Error>().and_then(tools::Error::hint))
            .or_else(|| cause.downcast_ref::<repos::Error>().and_then(repos::Error::hint))
            .or_else(|| cause.downcast_ref::<indexer::Error>().and_then(indexer::Error::hint))
            .or_else(|| cause.downcast_ref::<sandbox::Error>().and_then(sandbox::Error::hint))
            .or_else(|| cause.downcast_ref::<HttpError>().and_then(HttpError::hint))
            .or_else(|| cause.downcast_ref::<evaluator::Error>().and_then(evaluator::Error::hint))
            .or_else(|| cause.downcast_ref::<client_config::Error>().map(client_config::Error::hint))
    })
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn prints_causes_in_order_and_the_hint_last() {
        let printed = text("could not index `dgl`", &["no space left".to_owned()], Some("free some"));
        assert_eq!(printed, "Error: could not index `dgl`\n  1: no space left\nHint: free some");
    }
}
