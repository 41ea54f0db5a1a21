//! TOML files, edited through a document that keeps comments, order and spelling.

use serde_json::{Map, Value};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike};

use super::edit::{Change, Edited, Target, WAYS_TO_A_SERVER};
use super::error::{Error, Result};

/// Puts the entry in.
pub(super) fn put(text: &str, target: Target<'_>, entry: &Map<String, Value>) -> Result<Edited> {
    let mut document = parse(text, target)?;
    let mut item = document.as_item_mut();
    for key in target.profile.keys {
        let table = item.as_table_like_mut().ok_or_else(|| occupied(target, key))?;
        item = table.entry(key).or_insert(hidden_table());
    }
    let inline = item.is_inline_table();
    let servers = item.as_table_like_mut().ok_or_else(|| occupied(target, &target.profile.keys.join(".")))?;
    let change = match servers.get_mut(target.name).map(Item::as_table_like_mut) {
        Some(Some(old)) => update(old, entry),
        found => {
            let change = if found.is_some() { Change::Replaced } else { Change::Added };
            let table = written(entry);
            servers.insert(
                target.name,
                if inline { Item::Value(table.into_inline_table().into()) } else { Item::Table(table) },
            );
            change
        }
    };
    Ok(edited(text, &document, change))
}

/// Takes the entry out.
pub(super) fn take(text: &str, target: Target<'_>) -> Result<Edited> {
    let mut document = parse(text, target)?;
    let removed = target
        .profile
        .keys
        .iter()
        .try_fold(document.as_item_mut(), |item, key| item.get_mut(*key))
        .and_then(Item::as_table_like_mut)
        .and_then(|servers| servers.remove(target.name));
    let change = if removed.is_some() { Change::Removed } else { Change::Absent };
    Ok(edited(text, &document, change))
}

fn parse(text: &str, target: Target<'_>) -> Result<DocumentMut> {
    text.parse().map_err(|cause: toml_edit::TomlError| Error::Parse {
        file: target.file.to_owned(),
        format: "TOML",
        cause: Box::new(cause),
    })
}

fn occupied(target: Target<'_>, key: &str) -> Error {
    Error::Occupied { file: target.file.to_owned(), key: key.to_owned() }
}

/// The document's text, with the line ends of the original, which the document does not keep.
fn edited(original: &str, document: &DocumentMut, change: Change) -> Edited {
    if matches!(change, Change::Unchanged | Change::Absent) {
        return Edited { text: original.to_owned(), change };
    }
    let text = document.to_string();
    let text =
        if original.contains("\r\n") { text.replace("\r\n", "\n").replace('\n', "\r\n") } else { text };
    Edited { text, change }
}

/// Brings an older entry up to date, key by key, so that what a person added to it stays with its comments.
fn update(old: &mut dyn TableLike, entry: &Map<String, Value>) -> Change {
    let mut change = Change::Unchanged;
    for key in WAYS_TO_A_SERVER.iter().filter(|key| !entry.contains_key(**key)) {
        if old.remove(key).is_some() {
            change = Change::Replaced;
        }
    }
    for (key, value) in entry {
        let new = value_of(value);
        match old.get_mut(key) {
            Some(Item::Value(old)) if plain(old) == plain(&new) => continue,
            Some(Item::Value(old)) => {
                let decor = old.decor().clone();
                *old = new;
                *old.decor_mut() = decor;
            }
            _ => {
                old.insert(key, Item::Value(new));
            }
        }
        change = Change::Replaced;
    }
    change
}

/// A table without a header of its own.
fn hidden_table() -> Item {
    let mut table = Table::new();
    table.set_implicit(true);
    Item::Table(table)
}

fn written(entry: &Map<String, Value>) -> Table {
    entry.iter().map(|(key, value)| (key.as_str(), Item::Value(value_of(value)))).collect()
}

fn value_of(value: &Value) -> toml_edit::Value {
    match value {
        Value::String(text) => text.as_str().into(),
        Value::Bool(value) => (*value).into(),
        Value::Number(number) => number.as_i64().unwrap_or(i64::MAX).into(),
        Value::Array(values) => values.iter().map(value_of).collect::<Array>().into(),
        Value::Object(values) => {
            values.iter().map(|(key, value)| (key.as_str(), value_of(value))).collect::<InlineTable>().into()
        }
        // TOML has no null, and no entry of ours holds one.
        Value::Null => "".into(),
    }
}

/// The value without the spaces and comments around and in it, for comparison.
fn plain(value: &toml_edit::Value) -> String {
    let mut value = value.clone();
    value.decor_mut().clear();
    if let Some(array) = value.as_array() {
        return array.iter().map(plain).collect::<Vec<_>>().join("\u{0}");
    }
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}
