//! Tools of the older era that ask the client something in the midst of a call: a model's answer, or a form.

use rmcp::RoleServer;
use rmcp::model::{
    CallToolResult, ContentBlock, CreateMessageRequestParams, ElicitRequestParams, JsonObject,
    SamplingMessage,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};

use crate::content;

/// Asks the client's model.
pub(crate) async fn model(arguments: &JsonObject, context: &RequestContext<RoleServer>) -> CallToolResult {
    let prompt = arguments.get("prompt").and_then(Value::as_str).unwrap_or_default();
    let request = CreateMessageRequestParams::new(vec![SamplingMessage::user_text(prompt)], 100);
    match context.peer.create_message(request).await {
        Ok(answer) => {
            let text = answer.message.content.first().and_then(|block| Some(block.as_text()?.text.clone()));
            content::text(format!("LLM response: {}", text.unwrap_or_default()))
        }
        Err(error) => failed(&error),
    }
}

/// Asks the client's user with the form of the tool.
pub(crate) async fn form(
    tool: &str,
    arguments: &JsonObject,
    context: &RequestContext<RoleServer>,
) -> CallToolResult {
    let message = arguments.get("message").and_then(Value::as_str).unwrap_or("Please fill in");
    let Ok(schema) = serde_json::from_value(json!({ "type": "object", "properties": fields(tool) })) else {
        return CallToolResult::error(vec![ContentBlock::text("the form is not valid")]);
    };
    let request = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: message.to_owned(),
        requested_schema: schema,
    };
    match context.peer.create_elicitation(request).await {
        Ok(answer) => {
            let action = json!(answer.action);
            let filled_in = answer.content.map_or(Value::Null, |content| json!(content));
            content::text(format!(
                "User response: action={}, content={filled_in}",
                action.as_str().unwrap_or_default()
            ))
        }
        Err(error) => failed(&error),
    }
}

fn fields(tool: &str) -> Value {
    match tool {
        "test_elicitation_sep1034_defaults" => json!({
            "name": { "type": "string", "default": "John Doe" },
            "age": { "type": "integer", "default": 30 },
            "score": { "type": "number", "default": 95.5 },
            "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
            "verified": { "type": "boolean", "default": true },
        }),
        "test_elicitation_sep1330_enums" => {
            let plain = ["option1", "option2", "option3"];
            let titled =
                [1, 2, 3].map(|n| json!({ "const": format!("value{n}"), "title": format!("Choice {n}") }));
            json!({
                "untitledSingle": { "type": "string", "enum": plain },
                "titledSingle": { "type": "string", "oneOf": titled },
                "legacyEnum": { "type": "string", "enum": ["opt1", "opt2"], "enumNames": ["One", "Two"] },
                "untitledMulti": { "type": "array", "items": { "type": "string", "enum": plain } },
                "titledMulti": { "type": "array", "items": { "anyOf": titled } },
            })
        }
        _ => json!({
            "username": { "type": "string", "description": "User's response" },
            "email": { "type": "string", "description": "User's email address" },
        }),
    }
}

fn failed(error: &rmcp::ServiceError) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(format!("the client did not answer: {error}"))])
}
