//! Tools that send notifications before they answer: log messages and progress.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{CallToolResult, LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam};
use rmcp::service::RequestContext;
use serde_json::json;

use crate::content;

// Apart in time, so that the suite sees that they are not sent with the answer.
const BETWEEN: Duration = Duration::from_millis(50);

/// Sends three messages at level `info`.
pub(crate) async fn logging(context: &RequestContext<RoleServer>) -> CallToolResult {
    for text in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        log(context, LoggingLevel::Info, text).await;
        tokio::time::sleep(BETWEEN).await;
    }
    content::text("sent three log messages")
}

/// Sends one message at the level that the request asks for, and none where it asks for none.
pub(crate) async fn logging_on_request(context: &RequestContext<RoleServer>) -> CallToolResult {
    if let Some(level) = context.meta.log_level() {
        log(context, level, "the request asked for this message").await;
    }
    content::text("sent what was asked for")
}

/// Reports progress three times where the client gave a token.
pub(crate) async fn progress(context: &RequestContext<RoleServer>) -> CallToolResult {
    for done in [0.0, 50.0, 100.0] {
        if let Some(token) = context.meta.get_progress_token() {
            let update = ProgressNotificationParam::new(token, done).with_total(100.0);
            // A client that has gone needs no progress.
            let _ = context.peer.notify_progress(update).await;
        }
        tokio::time::sleep(BETWEEN).await;
    }
    content::text("reported progress")
}

async fn log(context: &RequestContext<RoleServer>, level: LoggingLevel, text: &str) {
    let message = LoggingMessageNotificationParam::new(level, json!(text)).with_logger("fixtures");
    // A client that has gone needs no log.
    let _ = context.peer.notify_logging_message(message).await;
}
