//! Prompts: ways of working with the tools that a person starts from a menu. One file per prompt: its arguments,
//! and the text they make.

mod compare_implementations;
mod explore_repository;
mod solve_task;

use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, GetPromptResult, JsonObject, ListPromptsResult, Prompt, PromptArgument, PromptMessage, Role,
};
use serde_json::Value;
use tools::Toolbox;

use super::explanation::{invalid, refuse};
use super::page;

/// A prompt as it is offered and filled in.
struct Offered {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    arguments: &'static [Argument],
    write: fn(&Given) -> String,
}

/// One parameter.
struct Argument {
    name: &'static str,
    description: &'static str,
    kind: Kind,
}

/// What a parameter holds, which decides how it is checked and completed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The name of a repository; required.
    Repository,
    /// Some text; required.
    Text,
    /// Some text that may be left out.
    OptionalText,
}

/// The arguments of one request, checked.
struct Given(JsonObject);

impl Given {
    fn text(&self, name: &str) -> &str {
        self.0.get(name).and_then(Value::as_str).unwrap_or_default().trim()
    }
}

const ALL: [Offered; 3] = [solve_task::PROMPT, explore_repository::PROMPT, compare_implementations::PROMPT];

/// Every prompt.
pub(super) fn list(cursor: Option<&str>) -> Result<ListPromptsResult, ErrorData> {
    let (prompts, next_cursor) = page::of(ALL.iter().map(definition).collect(), cursor)?;
    let mut result = ListPromptsResult::with_all_items(prompts)
        .with_ttl_ms(page::UNCHANGING_MILLISECONDS)
        .with_cache_scope(CacheScope::Public);
    result.next_cursor = next_cursor;
    Ok(result)
}

/// The text of a prompt with the arguments filled in; a repository that does not exist is refused by name.
pub(super) fn get(
    toolbox: &Toolbox,
    name: &str,
    arguments: Option<JsonObject>,
) -> Result<GetPromptResult, ErrorData> {
    let Some(prompt) = ALL.iter().find(|prompt| prompt.name == name) else {
        let names: Vec<&str> = ALL.iter().map(|prompt| prompt.name).collect();
        return Err(refuse(format!("there is no prompt `{name}`; there are {}", names.join(", "))));
    };
    let mut given = Given(arguments.unwrap_or_default());
    for argument in prompt.arguments {
        if given.text(argument.name).is_empty() && argument.kind != Kind::OptionalText {
            return Err(refuse(format!("`{name}` needs `{}`: {}", argument.name, argument.description)));
        }
        if argument.kind == Kind::Repository {
            let repository =
                toolbox.catalog().resolve(given.text(argument.name)).map(|entry| entry.name.to_string());
            let repository = repository.map_err(|error| invalid(&error.into()))?;
            given.0.insert(argument.name.to_owned(), repository.into());
        }
    }
    let message = PromptMessage::new_text(Role::User, (prompt.write)(&given));
    Ok(GetPromptResult::new(vec![message]).with_description(prompt.description))
}

/// Whether a parameter of a prompt is the name of a repository, which can be completed.
pub(super) fn takes_a_repository(prompt: &str, argument: &str) -> bool {
    let prompt = ALL.iter().find(|one| one.name == prompt);
    prompt.is_some_and(|prompt| {
        prompt.arguments.iter().any(|one| one.name == argument && one.kind == Kind::Repository)
    })
}

fn definition(prompt: &Offered) -> Prompt {
    let arguments = prompt.arguments.iter().map(|argument| {
        PromptArgument::new(argument.name)
            .with_description(argument.description)
            .with_required(argument.kind != Kind::OptionalText)
    });
    Prompt::new(prompt.name, Some(prompt.description), Some(arguments.collect())).with_title(prompt.title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_argument_stands_in_the_text() {
        for prompt in &ALL {
            let arguments = prompt.arguments.iter();
            let given =
                arguments.map(|one| (one.name.to_owned(), format!("<{}>", one.name).into())).collect();
            let text = (prompt.write)(&Given(given));
            for argument in prompt.arguments {
                assert!(text.contains(&format!("<{}>", argument.name)), "{}: {text}", prompt.name);
            }
        }
    }

    #[test]
    fn texts_name_no_tool_that_is_not_served() {
        let served: Vec<String> =
            super::super::served_tool::all().iter().map(|tool| tool.definition.name.to_string()).collect();
        for prompt in &ALL {
            let text = (prompt.write)(&Given(JsonObject::new()));
            for word in text.split('`').skip(1).step_by(2).filter(|word| word.contains('_')) {
                assert!(served.iter().any(|name| name == word), "{}: `{word}`", prompt.name);
            }
        }
    }
}
