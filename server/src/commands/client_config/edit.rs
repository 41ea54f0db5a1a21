//! Puts a server into the text of a client's file, or takes it out, and leaves every other byte alone.
//! The two formats know only their syntax; what they share is here: byte order mark, blank files, what counts as ours.

use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value};

use super::client::{Format, Holds, Profile};
use super::error::Result;
use super::{json_file, toml_file};

/// Where in which file a server belongs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target<'a> {
    /// For error texts.
    pub(super) file: &'a Path,
    pub(super) profile: &'static Profile,
    pub(super) name: &'a str,
}

/// What became of the entry.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Change {
    /// It is new.
    Added,
    /// Another one had the name.
    Replaced,
    /// It was there already, exactly so.
    Unchanged,
    /// It is gone.
    Removed,
    /// There was none.
    Absent,
}

/// The text after an edit.
#[derive(Debug)]
pub(super) struct Edited {
    pub(super) text: String,
    pub(super) change: Change,
}

// Keys that say how to get to a server. Of an older entry they go; what a person added beside them stays.
pub(super) const WAYS_TO_A_SERVER: &[&str] =
    &["type", "source", "command", "args", "url", "httpUrl", "serverUrl", "headers", "bearer_token_env_var"];

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Puts the entry in, in place of one of that name.
pub(super) fn put(text: &str, target: Target<'_>, entry: &Map<String, Value>) -> Result<Edited> {
    around_the_mark(text, |text| match target.profile.format {
        Format::Json => json_file::put(text, target, entry),
        Format::Toml => toml_file::put(text, target, entry),
    })
}

/// Takes the entry out, and a list of servers that became empty unless the client insists on one.
pub(super) fn take(text: &str, target: Target<'_>) -> Result<Edited> {
    if text.trim().is_empty() {
        return Ok(Edited { text: text.to_owned(), change: Change::Absent });
    }
    around_the_mark(text, |text| match target.profile.format {
        Format::Json => json_file::take(text, target),
        Format::Toml => toml_file::take(text, target),
    })
}

/// Whether a list of servers that became empty goes with the last one.
pub(super) fn drops_empty_lists(target: Target<'_>) -> bool {
    target.profile.holds == Holds::Settings
}

fn around_the_mark(text: &str, edit: impl FnOnce(&str) -> Result<Edited>) -> Result<Edited> {
    let Some(rest) = text.strip_prefix(BYTE_ORDER_MARK) else { return edit(text) };
    let edited = edit(rest)?;
    Ok(Edited { text: format!("{BYTE_ORDER_MARK}{}", edited.text), ..edited })
}
