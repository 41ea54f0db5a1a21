//! The one-line command with which a client adds the server itself, where it has one.

use serde_json::{Value, json};

use super::Scope;
use super::client::Client;
use super::entry::{Connection, Server};

/// The command, quoted for a shell.
pub(super) fn shortcut(client: Client, server: &Server, scope: Scope) -> Option<String> {
    let words = match client {
        Client::ClaudeCode => claude(server, scope),
        Client::Codex if scope == Scope::User => codex(server),
        Client::Gemini => gemini(server, scope),
        Client::Vscode if scope == Scope::User => vscode(server)?,
        Client::Opencode2 => opencode_2(server, scope)?,
        _ => return None,
    };
    shlex::try_join(words.iter().map(String::as_str)).ok()
}

fn claude(server: &Server, scope: Scope) -> Vec<String> {
    let mut line = words(&["claude", "mcp", "add", "--scope", scope.word()]);
    match &server.connection {
        Connection::Command(command) => {
            line.extend([server.name.clone(), "--".to_owned()]);
            line.extend_from_slice(command);
        }
        Connection::Http { url, token_variable } => {
            line.extend(words(&["--transport", "http", &server.name, url]));
            line.extend(token_variable.iter().flat_map(|name| header(name)));
        }
    }
    line
}

fn codex(server: &Server) -> Vec<String> {
    let mut line = words(&["codex", "mcp", "add", &server.name]);
    match &server.connection {
        Connection::Command(command) => {
            line.push("--".to_owned());
            line.extend_from_slice(command);
        }
        Connection::Http { url, token_variable } => {
            line.extend(words(&["--url", url]));
            line.extend(
                token_variable.iter().flat_map(|name| ["--bearer-token-env-var".to_owned(), name.clone()]),
            );
        }
    }
    line
}

fn gemini(server: &Server, scope: Scope) -> Vec<String> {
    let mut line = words(&["gemini", "mcp", "add", "--scope", scope.word()]);
    match &server.connection {
        Connection::Command(command) => {
            // Its parser takes flags for its own unless they stand behind two dashes.
            line.push(server.name.clone());
            line.extend(command.iter().take(1).cloned());
            line.push("--".to_owned());
            line.extend(command.iter().skip(1).cloned());
        }
        Connection::Http { url, token_variable } => {
            line.extend(words(&["--transport", "http", &server.name, url]));
            line.extend(token_variable.iter().flat_map(|name| header(name)));
        }
    }
    line
}

fn vscode(server: &Server) -> Option<Vec<String>> {
    let entry = server.entry(Client::Vscode.profile()).ok()?;
    let mut named = json!({ "name": server.name });
    if let Value::Object(named) = &mut named {
        named.extend(entry);
    }
    Some(words(&["code", "--add-mcp", &named.to_string()]))
}

fn opencode_2(server: &Server, scope: Scope) -> Option<Vec<String>> {
    let mut line = words(&["opencode", "mcp", "add", &server.name]);
    line.extend((scope == Scope::User).then(|| "--global".to_owned()));
    match &server.connection {
        Connection::Command(command) => {
            line.push("--".to_owned());
            line.extend_from_slice(command);
        }
        Connection::Http { url, token_variable: None } => line.extend(words(&["--url", url])),
        // How it spells a header was not to be found out.
        Connection::Http { .. } => return None,
    }
    Some(line)
}

fn header(variable: &str) -> [String; 2] {
    ["--header".to_owned(), format!("Authorization: Bearer ${{{variable}}}")]
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}
