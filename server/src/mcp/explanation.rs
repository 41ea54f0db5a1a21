//! A failure as an agent or a client reads it: the error, its causes and the next step, in one text.

use rmcp::ErrorData;

/// The error, its causes and the next step.
pub(super) fn explain(error: &tools::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(deeper) = cause {
        text.push_str(": ");
        text.push_str(&deeper.to_string());
        cause = deeper.source();
    }
    text.push('.');
    if let Some(hint) = hint(error) {
        text.push_str("\nHint: ");
        text.push_str(&hint);
    }
    text
}

/// The next step in words of the protocol: an agent has tools, where a person has commands.
fn hint(error: &tools::Error) -> Option<String> {
    match error {
        tools::Error::Repository(repos::Error::UnknownRepository { suggestions, .. })
            if suggestions.is_empty() =>
        {
            Some("`list_repositories` shows the names".to_owned())
        }
        other => other.hint(),
    }
}

/// The same as a protocol error, for requests whose results have no way to say that they failed.
pub(super) fn invalid(error: &tools::Error) -> ErrorData {
    ErrorData::invalid_params(explain(error), None)
}

/// A request that names what is not there, or says it wrongly.
pub(super) fn refuse(text: impl Into<String>) -> ErrorData {
    ErrorData::invalid_params(text.into(), None)
}
