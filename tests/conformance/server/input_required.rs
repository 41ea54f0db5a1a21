//! Tools of the newer era that need something from the client: they answer with what they want, and the client calls
//! again with it. State that travels through the client is sealed, so that a changed one is noticed.

use std::sync::LazyLock;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientCapabilities, CreateMessageRequest,
    CreateMessageRequestParams, ElicitRequest, ElicitRequestParams, InputRequest, InputRequests,
    InputRequiredResult, InputResponses, JsonObject, ListRootsRequest, RequestStateCodec, SamplingMessage,
};
use serde_json::{Value, json};

use crate::content;

// Known to everybody, as this program protects nothing.
static SEAL: LazyLock<RequestStateCodec> = LazyLock::new(|| RequestStateCodec::new_unchecked([7; 32]));

/// What a tool may want.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted {
    /// A form with one text field of that name.
    Form(&'static str),
    /// An answer of the client's model.
    Model,
    /// The client's roots.
    Roots,
}

const EVERYTHING: [(&str, Wanted); 3] =
    [("user_name", Wanted::Form("name")), ("greeting", Wanted::Model), ("client_roots", Wanted::Roots)];

/// Calls one of these tools.
pub(crate) fn call(
    request: &CallToolRequestParams,
    capabilities: &ClientCapabilities,
) -> Result<CallToolResponse, ErrorData> {
    let responses = request.input_responses.as_ref();
    let state = request.request_state.as_deref();
    let name = request.name.strip_prefix("test_input_required_result_").unwrap_or_default();
    match name {
        "elicitation" => Ok(once(responses, ("user_name", Wanted::Form("name")))),
        "sampling" => Ok(once(responses, ("capital_question", Wanted::Model))),
        "list_roots" => Ok(once(responses, ("client_roots", Wanted::Roots))),
        "request_state" | "tampered_state" => match round(state)? {
            0 => sealed(&[("confirm", Wanted::Form("ok"))], 1),
            _ => Ok(content::text("state-ok").into()),
        },
        "multiple_inputs" => {
            let complete = EVERYTHING.iter().all(|(key, _)| answered(responses, key).is_some());
            if round(state)? > 0 && complete {
                Ok(content::text("all there").into())
            } else {
                sealed(&EVERYTHING, 1)
            }
        }
        "multi_round" => match round(state)? {
            0 => sealed(&[("step1", Wanted::Form("name"))], 1),
            1 => sealed(&[("step2", Wanted::Form("color"))], 2),
            _ => Ok(content::text("two rounds are enough").into()),
        },
        "capabilities" => {
            let possible: Vec<(&str, Wanted)> =
                EVERYTHING.into_iter().filter(|(_, wanted)| wanted.is_possible(capabilities)).collect();
            if responses.is_some() || possible.is_empty() {
                return Ok(content::text("nothing more is needed").into());
            }
            Ok(ask(&possible).into())
        }
        _ => Err(ErrorData::invalid_params(format!("there is no tool `{}`", request.name), None)),
    }
}

/// An answer that asks for things by key.
pub(crate) fn ask(wanted: &[(&str, Wanted)]) -> InputRequiredResult {
    InputRequiredResult::from_input_requests(requests(wanted))
}

/// What the client sent for a key, where it is an object; anything else counts as missing.
pub(crate) fn answered<'a>(responses: Option<&'a InputResponses>, key: &str) -> Option<&'a JsonObject> {
    responses?.get(key)?.as_object()
}

/// A text field of a form that was filled in.
pub(crate) fn field<'a>(answer: &'a JsonObject, name: &str) -> &'a str {
    answer.get("content").and_then(|content| content.get(name)).and_then(Value::as_str).unwrap_or_default()
}

impl Wanted {
    /// The request to the client.
    pub(crate) fn request(self) -> InputRequest {
        match self {
            Self::Form(field) => {
                let fields = json!({ "type": "object", "properties": { field: { "type": "string" } } });
                #[expect(clippy::expect_used, reason = "the schema is written above")]
                let schema = serde_json::from_value(fields).expect("a form's schema");
                InputRequest::Elicitation(ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
                    meta: None,
                    message: format!("What is the {field}?"),
                    requested_schema: schema,
                }))
            }
            Self::Model => {
                let question = SamplingMessage::user_text("What is the capital of France?");
                InputRequest::CreateMessage(CreateMessageRequest::new(CreateMessageRequestParams::new(
                    vec![question],
                    100,
                )))
            }
            Self::Roots => InputRequest::ListRoots(ListRootsRequest::default()),
        }
    }

    fn is_possible(self, capabilities: &ClientCapabilities) -> bool {
        match self {
            Self::Form(_) => capabilities.elicitation.is_some(),
            Self::Model => capabilities.sampling.is_some(),
            Self::Roots => capabilities.roots.is_some(),
        }
    }
}

fn once(responses: Option<&InputResponses>, wanted: (&str, Wanted)) -> CallToolResponse {
    match answered(responses, wanted.0) {
        Some(answer) => content::text(format!("received {}", json!(answer))).into(),
        None => ask(&[wanted]).into(),
    }
}

fn requests(wanted: &[(&str, Wanted)]) -> InputRequests {
    wanted.iter().map(|(key, wanted)| ((*key).to_owned(), wanted.request())).collect()
}

fn sealed(wanted: &[(&str, Wanted)], round: u64) -> Result<CallToolResponse, ErrorData> {
    let state = SEAL
        .seal_json(&json!({ "round": round }))
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    Ok(InputRequiredResult::new(Some(requests(wanted)), Some(state)).into())
}

/// The round that a sealed state says, 0 without one.
fn round(state: Option<&str>) -> Result<u64, ErrorData> {
    let Some(state) = state else { return Ok(0) };
    let opened: Value = SEAL
        .open_json(state)
        .map_err(|_| ErrorData::invalid_params("the state was changed on its way", None))?;
    Ok(opened["round"].as_u64().unwrap_or_default())
}
