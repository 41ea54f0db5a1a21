//! JSON files, with comments and trailing commas where the client allows them, edited through a concrete syntax tree.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::{Map, Value};

use super::edit::{Change, Edited, Target, WAYS_TO_A_SERVER, drops_empty_lists};
use super::error::{Error, Result};

// What the clients' own readers take: comments and trailing commas at most.
const SYNTAX: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Puts the entry in.
pub(super) fn put(text: &str, target: Target<'_>, entry: &Map<String, Value>) -> Result<Edited> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let root = parse(text, target)?;
    let mut servers = root.object_value_or_create().ok_or_else(|| occupied(target, "{"))?;
    for key in target.profile.keys {
        servers = servers.object_value_or_create(key).ok_or_else(|| occupied(target, key))?;
    }
    let change = match servers.get(target.name) {
        None => {
            servers.append(target.name, written(&Value::Object(entry.clone())));
            Change::Added
        }
        Some(old) => {
            if let Some(old) = old.object_value() {
                update(&old, entry)
            } else {
                old.set_value(written(&Value::Object(entry.clone())));
                Change::Replaced
            }
        }
    };
    Ok(Edited { text: root.to_string(), change })
}

/// Takes the entry out.
pub(super) fn take(text: &str, target: Target<'_>) -> Result<Edited> {
    let root = parse(text, target)?;
    let absent = || Ok(Edited { text: text.to_owned(), change: Change::Absent });
    let Some(mut inner) = root.object_value() else { return absent() };
    let mut lists = Vec::new();
    for key in target.profile.keys {
        let Some(list) = inner.get(key) else { return absent() };
        let Some(object) = list.object_value() else { return absent() };
        lists.push((list, object.clone()));
        inner = object;
    }
    let Some(entry) = inner.get(target.name) else { return absent() };
    entry.remove();
    if drops_empty_lists(target) {
        for (list, object) in lists.into_iter().rev() {
            if object.children_exclude_trivia_and_tokens().is_empty() && !has_comments(&object) {
                list.remove();
            }
        }
    }
    Ok(Edited { text: root.to_string(), change: Change::Removed })
}

fn parse(text: &str, target: Target<'_>) -> Result<CstRootNode> {
    CstRootNode::parse(text, &SYNTAX).map_err(|cause| Error::Parse {
        file: target.file.to_owned(),
        format: "JSON",
        cause: Box::new(cause),
    })
}

fn occupied(target: Target<'_>, key: &str) -> Error {
    Error::Occupied { file: target.file.to_owned(), key: key.to_owned() }
}

/// Brings an older entry up to date, key by key, so that what a person added to it stays with its comments.
fn update(old: &CstObject, entry: &Map<String, Value>) -> Change {
    let mut change = Change::Unchanged;
    for property in old.properties() {
        let name = property.decoded_name().unwrap_or_default();
        if WAYS_TO_A_SERVER.contains(&name.as_str()) && !entry.contains_key(&name) {
            property.remove();
            change = Change::Replaced;
        }
    }
    for (key, value) in entry {
        match old.get(key) {
            Some(property) if property.to_serde_value().as_ref() == Some(value) => continue,
            Some(property) => property.set_value(written(value)),
            None => {
                old.append(key, written(value));
            }
        }
        change = Change::Replaced;
    }
    change
}

fn has_comments(object: &CstObject) -> bool {
    object.children().iter().any(CstNode::is_comment)
}

fn written(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(written).collect()),
        Value::Object(values) => {
            CstInputValue::Object(values.iter().map(|(key, value)| (key.clone(), written(value))).collect())
        }
    }
}
