//! One call of a tool from the request to the answer: guarded, cancellable, logged with the caller's trace, and handed
//! over as a task where it takes long and the client knows tasks.

use std::time::Instant;

use rmcp::RoleServer;
use rmcp::model::{CallToolResponse, CallToolResult, JsonObject};
use rmcp::service::RequestContext;
use tokio_util::sync::CancellationToken;
use tools::{Call, Effect, Toolbox};
use tracing::Instrument;

use super::background::{Background, UnderWay, settled};
use super::guard::{self, Bounds};
use super::progress;
use super::served_tool::ServedTool;

/// Calls `tool` and waits for its answer, or for the task that it has become.
pub(super) async fn answer(
    tool: &ServedTool,
    input: JsonObject,
    (toolbox, background): (Toolbox, &Background),
    context: &RequestContext<RoleServer>,
) -> CallToolResponse {
    let reports = progress::forward(context);
    // Its own, since a task goes on when the request that started it is over.
    let cancel = CancellationToken::new();
    let call = Call { cancel: cancel.clone(), progress: reports.progress.clone() };
    let span = span(tool, context);
    let name = tool.definition.name.to_string();
    let (run, bounds, stop) = (tool.run, Bounds::of(tool.effect), cancel.clone());
    let guarded = async move {
        let started = Instant::now();
        let answer = guard::answer(&name, run(toolbox, input, call), bounds, stop).await;
        log(&answer, started);
        answer
    };
    let work = tokio::spawn(guarded.instrument(span));
    let mut under_way = UnderWay { work, cancel: cancel.clone(), newest: reports.newest.clone() };
    let knows_tasks = context.client_capabilities().is_some_and(|capabilities| capabilities.supports_tasks());
    let response = async {
        if knows_tasks && tool.effect == Effect::RunsCode {
            background.answer_or_task(under_way).await
        } else {
            settled((&mut under_way.work).await).into()
        }
    };
    let response = until_given_up(response, context, &cancel).await;
    reports.finish().await;
    response
}

/// Cancels the work when the client gives up on the request; the answer is awaited still, since the work ends then.
async fn until_given_up(
    response: impl Future<Output = CallToolResponse>,
    context: &RequestContext<RoleServer>,
    cancel: &CancellationToken,
) -> CallToolResponse {
    // Whatever drops this future has given up too, as a connection that ends does.
    let given_up = cancel.clone().drop_guard();
    let mut response = std::pin::pin!(response);
    let response = tokio::select! {
        response = &mut response => response,
        () = context.ct.cancelled() => {
            cancel.cancel();
            response.await
        }
    };
    given_up.disarm();
    response
}

/// The caller's trace (W3C Trace Context, SEP-414) stands on every line that the call logs.
fn span(tool: &ServedTool, context: &RequestContext<RoleServer>) -> tracing::Span {
    let meta = &context.meta;
    let span = tracing::info_span!(
        "call",
        tool = %tool.definition.name,
        request = %context.id,
        traceparent = tracing::field::Empty,
        tracestate = tracing::field::Empty,
    );
    // Written with escapes, since a client could forge lines of the log otherwise.
    if let Some(parent) = meta.get_traceparent() {
        span.record("traceparent", tracing::field::debug(parent));
    }
    if let Some(state) = meta.get_tracestate() {
        span.record("tracestate", tracing::field::debug(state));
    }
    span
}

fn log(answer: &CallToolResult, started: Instant) {
    let bytes: usize = answer.content.iter().filter_map(|block| Some(block.as_text()?.text.len())).sum();
    let milliseconds = started.elapsed().as_millis();
    tracing::info!(milliseconds, bytes, failed = answer.is_error == Some(true), "answered");
}
