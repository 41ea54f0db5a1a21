//! Prompts: plain, with arguments, with a resource, with a picture, and one that needs an answer first.

use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, ContentBlock, GetPromptRequestParams, GetPromptResponse, GetPromptResult, ListPromptsResult,
    Prompt, PromptArgument, PromptMessage, Role,
};
use serde_json::Value;

use crate::content::{self, PIXEL};
use crate::fixtures::CACHE_MILLISECONDS;
use crate::input_required::{self, Wanted};

pub(crate) fn list() -> ListPromptsResult {
    let arguments = ["arg1", "arg2"]
        .map(|name| PromptArgument::new(name).with_description("Shows in the prompt").with_required(true));
    let prompt = |name: &str, arguments| Prompt::new(name, Some("A fixture"), arguments);
    ListPromptsResult::with_all_items(vec![
        prompt("test_simple_prompt", None),
        prompt("test_prompt_with_arguments", Some(arguments.to_vec())),
        prompt(
            "test_prompt_with_embedded_resource",
            Some(vec![
                PromptArgument::new("resourceUri").with_description("The resource").with_required(true),
            ]),
        ),
        prompt("test_prompt_with_image", None),
        prompt("test_input_required_result_prompt", None),
    ])
    .with_ttl_ms(CACHE_MILLISECONDS)
    .with_cache_scope(CacheScope::Public)
}

pub(crate) fn get(request: GetPromptRequestParams) -> Result<GetPromptResponse, ErrorData> {
    let arguments = request.arguments.unwrap_or_default();
    let argument = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let message = |text: String| PromptMessage::new_text(Role::User, text);
    let messages = match request.name.as_str() {
        "test_simple_prompt" => vec![message("This is a simple prompt for testing.".to_owned())],
        "test_prompt_with_arguments" => vec![message(format!(
            "Prompt with arguments: arg1='{}', arg2='{}'",
            argument("arg1"),
            argument("arg2")
        ))],
        "test_prompt_with_embedded_resource" => {
            let resource = content::resource(argument("resourceUri"), "text/plain", "A text in a prompt.");
            vec![
                PromptMessage::new(Role::User, ContentBlock::resource(resource)),
                message("Please process the resource above.".to_owned()),
            ]
        }
        "test_prompt_with_image" => vec![
            PromptMessage::new(Role::User, ContentBlock::image(PIXEL, "image/png")),
            message("Please describe the picture above.".to_owned()),
        ],
        "test_input_required_result_prompt" => {
            let responses = request.input_responses.as_ref();
            let Some(answer) = input_required::answered(responses, "user_context") else {
                return Ok(input_required::ask(&[("user_context", Wanted::Form("context"))]).into());
            };
            vec![message(format!("The context is {}", input_required::field(answer, "context")))]
        }
        other => return Err(ErrorData::invalid_params(format!("there is no prompt `{other}`"), None)),
    };
    Ok(GetPromptResult::new(messages).with_description("A fixture").into())
}
