//! The table of tools and the way from a call to the file that does it.

use std::time::Duration;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, ClientCapabilities, JsonObject, ListToolsResult,
    Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

use crate::changes::Change;
use crate::fixtures::{CACHE_MILLISECONDS, Fixtures};
use crate::input_required::Wanted;
use crate::{asking, content, input_required, reporting, tasks};

const WITHOUT_ARGUMENTS: [&str; 24] = [
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_tool_with_logging",
    "test_error_handling",
    "test_tool_with_progress",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_reconnection",
    "test_trigger_tool_change",
    "test_trigger_prompt_change",
    "test_missing_capability",
    "test_streaming_elicitation",
    "test_logging_tool",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
];

/// Every tool.
pub(crate) fn all() -> Vec<Tool> {
    let plain = WITHOUT_ARGUMENTS.into_iter().map(|name| tool(name, json!({})));
    let with_tasks = tasks::TOOLS.into_iter().map(|(name, _)| tool(name, json!({})));
    let text = json!({ "type": "string" });
    plain
        .chain(with_tasks)
        .chain([
            tool("test_sampling", json!({ "prompt": text })),
            tool("test_elicitation", json!({ "message": text })),
            tool("test_custom_header", json!({ "value": { "type": "string", "x-mcp-header": "Value" } })),
            described("json_schema_2020_12_tool", schema_of_2020_12()),
        ])
        .collect()
}

pub(crate) fn list() -> ListToolsResult {
    ListToolsResult::with_all_items(all())
        .with_ttl_ms(CACHE_MILLISECONDS)
        .with_cache_scope(CacheScope::Public)
}

/// Calls a tool.
pub(crate) async fn call(
    fixtures: &Fixtures,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let name = request.name.clone();
    if let Some(result) = content::show(&name) {
        return Ok(result.into());
    }
    let capabilities = context.client_capabilities().unwrap_or_default();
    if name.starts_with("test_input_required_result_") {
        return input_required::call(&request, &capabilities);
    }
    if let Some((_, need)) = tasks::TOOLS.into_iter().find(|(tool, _)| *tool == name) {
        return tasks::call(&fixtures.tasks, (need, request), &capabilities).await;
    }
    let arguments = request.arguments.unwrap_or_default();
    let result = match name.as_ref() {
        "test_tool_with_logging" => reporting::logging(&context).await,
        "test_logging_tool" => reporting::logging_on_request(&context).await,
        "test_tool_with_progress" => reporting::progress(&context).await,
        "test_sampling" => asking::model(&arguments, &context).await,
        "test_elicitation" | "test_elicitation_sep1034_defaults" | "test_elicitation_sep1330_enums" => {
            asking::form(&name, &arguments, &context).await
        }
        "test_trigger_tool_change" => announced(fixtures, Change::Tools),
        "test_trigger_prompt_change" => announced(fixtures, Change::Prompts),
        "test_reconnection" => {
            tokio::time::sleep(Duration::from_millis(100)).await;
            content::text("here I am again")
        }
        "test_custom_header" | "json_schema_2020_12_tool" => {
            content::text(arguments.values().find_map(Value::as_str).unwrap_or_default())
        }
        "test_streaming_elicitation" => {
            return Ok(input_required::ask(&[("streaming_elicitation", Wanted::Form("value"))]).into());
        }
        "test_missing_capability" => needs_sampling(&capabilities)?,
        other => return Err(ErrorData::invalid_params(format!("there is no tool `{other}`"), None)),
    };
    Ok(result.into())
}

fn announced(fixtures: &Fixtures, change: Change) -> rmcp::model::CallToolResult {
    fixtures.changes.announce(change);
    content::text("announced")
}

fn needs_sampling(capabilities: &ClientCapabilities) -> Result<rmcp::model::CallToolResult, ErrorData> {
    if capabilities.sampling.is_some() {
        return Ok(content::text("the capability is there"));
    }
    let needed = ClientCapabilities::builder().enable_sampling().build();
    Err(ErrorData::missing_required_client_capability(needed))
}

fn tool(name: &'static str, properties: Value) -> Tool {
    let required: Vec<String> =
        properties.as_object().into_iter().flat_map(|all| all.keys().cloned()).collect();
    described(name, json!({ "type": "object", "properties": properties, "required": required }))
}

fn described(name: &'static str, schema: Value) -> Tool {
    let schema: JsonObject = schema.as_object().cloned().unwrap_or_default();
    Tool::new(name, "A fixture of the conformance suite", schema)
}

/// The keywords that must survive on their way to the client.
fn schema_of_2020_12() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
            }
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" }
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false
    })
}
