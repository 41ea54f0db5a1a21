//! What is said about the server to a client: the same facts in each client's shape, and as a snippet of its file.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::client::{CommandShape, Profile, Token};
use super::edit::{self, Target};
use super::error::{Error, Result};

/// How a client gets to the server.
#[derive(Debug)]
pub(super) enum Connection {
    /// It starts this command, the program first.
    Command(Vec<String>),
    /// Somebody else started it; it listens here.
    Http {
        /// Its address.
        url: String,
        /// The environment variable that holds the token, if it wants one.
        token_variable: Option<String>,
    },
}

/// A server under the name that the client shows.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) name: String,
    pub(super) connection: Connection,
}

impl Server {
    /// The entry in the client's shape; fails where the client cannot reach a server over HTTP.
    pub(super) fn entry(&self, profile: &'static Profile) -> Result<Map<String, Value>> {
        let mut entry = match &self.connection {
            Connection::Command(command) => started(profile.command, command),
            Connection::Http { url, token_variable } => reached(profile, url, token_variable.as_deref())?,
        };
        for wait in profile.waits {
            set(&mut entry, wait.keys, json!(wait.value));
        }
        Ok(entry)
    }

    /// The entry below its keys: what the client's file would be if nothing else were in it.
    pub(super) fn snippet(&self, profile: &'static Profile) -> Result<String> {
        let target = Target { file: Path::new(profile.user.path), profile, name: &self.name };
        Ok(edit::put("", target, &self.entry(profile)?)?.text.trim_end().to_owned())
    }

    /// What the person must do because the client cannot look the token up.
    pub(super) fn token_advice(&self, profile: &'static Profile) -> Option<String> {
        let Connection::Http { token_variable: Some(variable), .. } = &self.connection else { return None };
        Some(match profile.http?.token {
            Token::Verbatim => format!(
                "{} does not look into the environment: write the token in place of ${{{variable}}}",
                profile.title
            ),
            Token::Header(..) | Token::Variable(_) => {
                format!("{} takes the token from {variable} in its environment", profile.title)
            }
        })
    }
}

fn started(shape: CommandShape, command: &[String]) -> Map<String, Value> {
    let mut entry = Map::new();
    match shape {
        CommandShape::Split(kind) => {
            entry.extend(kind.map(|kind| ("type".to_owned(), json!(kind))));
            let (program, arguments) = command.split_first().map_or((None, command), |(a, b)| (Some(a), b));
            entry.insert("command".to_owned(), json!(program));
            entry.insert("args".to_owned(), json!(arguments));
        }
        CommandShape::List(kind) => {
            entry.insert("type".to_owned(), json!(kind));
            entry.insert("command".to_owned(), json!(command));
        }
    }
    entry
}

fn reached(profile: &'static Profile, url: &str, variable: Option<&str>) -> Result<Map<String, Value>> {
    let Some(shape) = profile.http else { return Err(Error::NoHttp { client: profile.title }) };
    let mut entry = Map::new();
    entry.extend(shape.kind.map(|kind| ("type".to_owned(), json!(kind))));
    entry.insert(shape.url.to_owned(), json!(url));
    if let Some(variable) = variable {
        let (key, value) = match shape.token {
            Token::Header(before, after) => ("headers", authorization(&[before, variable, after])),
            Token::Verbatim => ("headers", authorization(&["${", variable, "}"])),
            Token::Variable(key) => (key, json!(variable)),
        };
        entry.insert(key.to_owned(), value);
    }
    Ok(entry)
}

fn authorization(reference: &[&str; 3]) -> Value {
    json!({ "Authorization": format!("Bearer {}", reference.concat()) })
}

fn set(entry: &mut Map<String, Value>, keys: &[&str], value: Value) {
    match keys {
        [] => {}
        [key] => {
            entry.insert((*key).to_owned(), value);
        }
        [key, deeper @ ..] => {
            let inner = entry.entry(*key).or_insert_with(|| json!({}));
            if let Value::Object(inner) = inner {
                set(inner, deeper, value);
            }
        }
    }
}
