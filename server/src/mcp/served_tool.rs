//! A tool as the protocol offers it: its definition, and a call from JSON to an answer.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool as Definition, ToolAnnotations};
use serde_json::Value;
use tools::{Call, Effect, Tool, Toolbox};

use super::explanation::explain;
use super::{guard, schema};

type Run = fn(Toolbox, JsonObject, Call) -> BoxFuture<'static, CallToolResult>;

/// One tool.
#[derive(Clone)]
pub(super) struct ServedTool {
    pub(super) definition: Definition,
    pub(super) effect: Effect,
    pub(super) run: Run,
}

/// Every tool that is served, in the order in which an agent meets them.
pub(super) fn all() -> Vec<ServedTool> {
    vec![
        served::<tools::ListRepositories>(),
        served::<tools::ListFiles>(),
        served::<tools::Search>(),
        served::<tools::Outline>(),
        served::<tools::FindReferences>(),
        served::<tools::ReadFile>(),
        served::<tools::WriteFile>(),
        served::<tools::RunInSandbox>(),
    ]
}

/// Says of the tools that run code that they can reach the network.
pub(super) fn open_to_the_world(tools: &mut [ServedTool]) {
    for tool in tools.iter_mut().filter(|tool| tool.effect == Effect::RunsCode) {
        if let Some(annotations) = &mut tool.definition.annotations {
            annotations.open_world_hint = Some(true);
        }
    }
}

pub(super) fn served<T: Tool + 'static>() -> ServedTool {
    let mut definition = Definition::new(T::NAME, T::DESCRIPTION, schema::input::<T::Input>());
    definition.title = Some(T::TITLE.to_owned());
    definition.output_schema = Some(schema::output::<T::Output>());
    definition.annotations = Some(annotations(T::EFFECT));
    ServedTool {
        definition,
        effect: T::EFFECT,
        run: |toolbox, input, call| run::<T>(toolbox, input, call).boxed(),
    }
}

async fn run<T: Tool>(toolbox: Toolbox, input: JsonObject, call: Call) -> CallToolResult {
    let input = match serde_path_to_error::deserialize::<_, T::Input>(Value::Object(input)) {
        Ok(input) => input,
        Err(error) => return guard::failure(&misfit(T::NAME, &error)),
    };
    match T::run(&toolbox, input, &call).await {
        Ok(output) => answer::<T>(&output),
        Err(error) => guard::failure(&explain(&error)),
    }
}

/// Which argument does not fit, and what would, in words that are no programming language's.
fn misfit(tool: &str, error: &serde_path_to_error::Error<serde_json::Error>) -> String {
    let place = match error.path().to_string() {
        path if path == "." => String::new(),
        path => format!(" at `{path}`"),
    };
    let reason = error.inner().to_string().replace("expected u32", "expected a whole number");
    format!("The arguments of `{tool}` do not fit its schema{place}: {reason}.")
}

fn answer<T: Tool>(output: &T::Output) -> CallToolResult {
    match serde_json::to_value(output) {
        Ok(structure) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(T::render(output))]);
            result.structured_content = Some(structure);
            result
        }
        Err(error) => guard::failure(&format!("The answer of `{}` could not be written: {error}.", T::NAME)),
    }
}

fn annotations(effect: Effect) -> ToolAnnotations {
    let reads_only = effect == Effect::ReadsOnly;
    // A command changes only its private workspace, so it destroys nothing a person has; it is closed to the
    // world because the sandbox has no network unless the operator says so.
    ToolAnnotations::from_raw(
        // The tool itself has one.
        None,
        Some(reads_only),
        Some(false),
        // Not to be, which is what its absence says.
        reads_only.then_some(true),
        Some(false),
    )
}
