//! Tools of the tasks extension: work that goes on after the call was answered, for clients that can wait for it.

use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock,
    CreateTaskResult, JsonObject,
};
use rmcp::task_manager::{TaskContext, TaskExit, TaskManager, TaskOptions};
use serde_json::Value;

use crate::content;
use crate::input_required::{self, Wanted};

/// Every one of these tools; the flag says whether it cannot do without tasks.
pub(crate) const TOOLS: [(&str, Need); 7] = [
    ("greet", Need::Never),
    ("slow_compute", Need::IfPossible),
    ("failing_job", Need::Always),
    ("protocol_error_job", Need::IfPossible),
    ("confirm_delete", Need::Always),
    ("multi_input", Need::Always),
    ("test_tool_with_task", Need::Always),
];

/// Whether a tool makes a task.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Need {
    Never,
    IfPossible,
    Always,
}

/// Calls one of these tools.
pub(crate) async fn call(
    tasks: &TaskManager,
    (need, request): (Need, CallToolRequestParams),
    capabilities: &ClientCapabilities,
) -> Result<CallToolResponse, ErrorData> {
    if need == Need::Always && !capabilities.supports_tasks() {
        let needed = ClientCapabilities::builder().enable_tasks().build();
        return Err(ErrorData::missing_required_client_capability(needed));
    }
    let mut arguments = request.arguments.unwrap_or_default();
    if request.name == "test_tool_with_task" {
        let responses = request.input_responses.as_ref();
        let Some(answer) = input_required::answered(responses, "user_name") else {
            return Ok(input_required::ask(&[("user_name", Wanted::Form("name"))]).into());
        };
        arguments.insert("name".to_owned(), input_required::field(answer, "name").into());
    }
    let name = request.name.into_owned();
    if need == Need::Never || !capabilities.supports_tasks() {
        return work(&name, &arguments).await.map(Into::into);
    }
    let task = tasks.spawn(TaskOptions::default(), move |context| {
        Box::pin(async move {
            if let Some(result) = interview(&name, &context).await {
                return result;
            }
            tokio::select! {
                () = context.cancelled() => Err(TaskExit::Cancelled),
                result = work(&name, &arguments) => result.map_err(TaskExit::Error),
            }
        })
    });
    Ok(CreateTaskResult::new(task).into())
}

/// The tools that ask the client while they work.
async fn interview(name: &str, context: &TaskContext) -> Option<Result<CallToolResult, TaskExit>> {
    let ask = |key: &'static str, field| context.request_input(key, Wanted::Form(field).request());
    let answers = match name {
        "confirm_delete" => ask("confirm", "confirm").await.map(|answer| vec![answer]),
        "multi_input" => {
            let (first, second) = tokio::join!(ask("input-a", "value"), ask("input-b", "value"));
            first.and_then(|first| Ok(vec![first, second?]))
        }
        _ => return None,
    };
    Some(answers.map(|answers| content::text(format!("received {}", Value::from(answers)))))
}

async fn work(name: &str, arguments: &JsonObject) -> Result<CallToolResult, ErrorData> {
    let whom = arguments.get("name").and_then(Value::as_str).unwrap_or("friend");
    let seconds = match name {
        "slow_compute" => arguments.get("seconds").and_then(Value::as_f64).unwrap_or(1.0),
        "failing_job" => 1.0,
        "greet" => 0.0,
        _ => 0.2,
    };
    tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
    match name {
        "failing_job" => Ok(CallToolResult::error(vec![ContentBlock::text("this job always fails")])),
        "protocol_error_job" => {
            Err(ErrorData::internal_error("this job always ends with a protocol error", None))
        }
        "slow_compute" => Ok(content::text(format!("done after {seconds} s"))),
        _ => Ok(content::text(format!("Hello, {whom}!"))),
    }
}
