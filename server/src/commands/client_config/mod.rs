//! `repolab client-config`: how a client is told about this server, printed or merged into the client's own file.
//! What differs between clients is a table in `client.rs`; what must not be lost in their files is in `edit.rs`.

mod client;
mod client_file;
mod edit;
mod entry;
mod error;
mod json_file;
mod shortcut;
mod toml_file;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, ValueEnum};
use serde_json::json;

use self::client::{Base, Client, Format, Moved, Profile};
use self::client_file::ClientFile;
use self::edit::{Change, Edited, Target};
use self::entry::{Connection, Server};
use crate::configuration::{Configuration, Surroundings};
use crate::printer::Printer;

pub(crate) use self::error::Error;

/// Print or write what a client needs to know to use this server
///
/// Prints the snippet for the client's file on standard output, and where it goes on standard error.
/// Clients start servers with an environment of their own, so the snippet says everything by arguments.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that a person types")]
pub(crate) struct ClientConfig {
    /// The client
    #[arg(value_name = "CLIENT")]
    client: Client,
    /// Merge the snippet into the client's file; a copy of the file is kept beside it
    #[arg(long, group = "change")]
    write: bool,
    /// Take the server out of the client's file again; a copy of the file is kept beside it
    #[arg(long, group = "change")]
    remove: bool,
    /// Only show what --write or --remove would change
    #[arg(long, requires = "change")]
    dry_run: bool,
    /// For every project of yours, or for the one in the current folder
    #[arg(long, value_enum, default_value_t = Scope::User)]
    scope: Scope,
    /// The client's file, when it is not where it usually is
    #[arg(long, value_name = "FILE", conflicts_with = "scope")]
    file: Option<PathBuf>,
    /// What the client calls the server
    #[arg(long, value_name = "NAME", default_value = "repolab")]
    name: String,
    /// Container image for every repository, passed on to `serve`
    #[arg(long, value_name = "NAME")]
    image: Option<String>,
    /// Let an agent ask for network access in the sandbox, passed on to `serve`
    #[arg(long)]
    allow_network: bool,
    /// Reach a running `repolab serve --http` at this address instead of starting a server
    #[arg(long, value_name = "URL", conflicts_with_all = ["image", "allow_network"])]
    http: Option<String>,
    /// Environment variable in which the client finds the HTTP server's token [default: `REPOLAB_HTTP_TOKEN` unless the address is of this machine]
    #[arg(long, value_name = "VARIABLE", requires = "http")]
    token_env: Option<String>,
}

const EXAMPLES: &str = "Examples:
  repolab client-config claude-code                    print the snippet and the one-line command
  repolab client-config codex --write                  merge it into ~/.codex/config.toml
  repolab client-config vscode --scope project --write
  repolab client-config cursor --write --dry-run       show the change, make none
  repolab client-config gemini --http http://127.0.0.1:8000/mcp
  repolab client-config zed --remove";

/// For whom the server is configured.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(super) enum Scope {
    /// Every project of the user
    User,
    /// The project in the current folder
    Project,
}

// Clients show tools as server and tool name together, and some cut that at 60 characters.
const ADVISED_NAME: usize = 12;
const LONGEST_NAME: usize = 40;
const TOKEN_VARIABLE: &str = "REPOLAB_HTTP_TOKEN";

impl ClientConfig {
    /// Prints the snippet, or changes the client's file.
    pub(crate) fn run(self, configuration: &Configuration, printer: Printer) -> Result<ExitCode> {
        let surroundings = Surroundings::find()?;
        let server = self.server(configuration, &surroundings)?;
        let profile = self.client.profile();
        let file = self.place(profile, &surroundings)?;
        if self.name.len() > ADVISED_NAME {
            printer.notice(&format!(
                "`{}` is long: some clients cut the names of tools, {ADVISED_NAME} letters are safe",
                self.name
            ));
        }
        if self.write || self.remove {
            self.change(&server, &file, printer)?;
        } else {
            self.print(&server, &file, printer)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn server(&self, configuration: &Configuration, surroundings: &Surroundings) -> Result<Server> {
        let named = self.name.starts_with(|first: char| first.is_ascii_alphabetic())
            && self.name.len() <= LONGEST_NAME
            && self.name.chars().all(|one| one.is_ascii_alphanumeric() || matches!(one, '-' | '_'));
        if !named {
            return Err(Error::Name { name: self.name.clone() }.into());
        }
        let connection = match &self.http {
            Some(url) => self.reached_at(url)?,
            None => Connection::Command(self.command(configuration, surroundings)?),
        };
        Ok(Server { name: self.name.clone(), connection })
    }

    fn reached_at(&self, url: &str) -> Result<Connection> {
        let parsed = url::Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let Some(host) = parsed.as_ref().and_then(url::Url::host) else {
            return Err(Error::Url { url: url.to_owned() }.into());
        };
        let here = match host {
            url::Host::Domain(name) => name == "localhost",
            url::Host::Ipv4(address) => address.is_loopback(),
            url::Host::Ipv6(address) => address.is_loopback(),
        };
        let usual = (!here).then(|| TOKEN_VARIABLE.to_owned());
        Ok(Connection::Http { url: url.to_owned(), token_variable: self.token_env.clone().or(usual) })
    }

    /// The command with everything that a client's own environment would not say.
    fn command(&self, configuration: &Configuration, surroundings: &Surroundings) -> Result<Vec<String>> {
        let mut command = vec![text(&surroundings.program)?, "serve".to_owned()];
        if configuration.data != surroundings.usual_data {
            command.extend(["--data".to_owned(), text(&configuration.data)?]);
        }
        let said = |flag: &str, value: Option<&String>| value.map(|value| [flag.to_owned(), value.clone()]);
        command.extend(said("--engine", configuration.engine.as_ref()).into_iter().flatten());
        let image = self.image.as_ref().or(configuration.image.as_ref());
        command.extend(said("--image", image).into_iter().flatten());
        let network = self.allow_network || configuration.allow_network;
        command.extend(network.then(|| "--allow-network".to_owned()));
        Ok(command)
    }

    fn place(&self, profile: &'static Profile, surroundings: &Surroundings) -> Result<PathBuf> {
        if let Some(file) = &self.file {
            return Ok(surroundings.current.join(file));
        }
        match (self.scope, profile.project) {
            (Scope::User, _) => Ok(user_file(profile, surroundings)),
            (Scope::Project, Some(path)) => Ok(surroundings.current.join(path)),
            (Scope::Project, None) => Err(Error::NoProjectFile { client: profile.title }.into()),
        }
    }

    fn print(&self, server: &Server, file: &Path, printer: Printer) -> Result<()> {
        let profile = self.client.profile();
        let snippet = server.snippet(profile)?;
        let shortcut = shortcut::shortcut(self.client, server, self.scope).filter(|_| self.file.is_none());
        let value = json!({
            "client": self.client.to_possible_value().map(|value| value.get_name().to_owned()),
            "name": server.name,
            "scope": self.scope.word(),
            "file": file,
            "format": match profile.format { Format::Json => "json", Format::Toml => "toml" },
            "keys": profile.keys,
            "entry": server.entry(profile)?,
            "snippet": snippet,
            "command": shortcut,
        });
        printer.value(&value, || snippet)?;
        if !printer.is_json() {
            printer.notice(&format!(
                "\n{} reads it from {}; --write merges it",
                profile.title,
                file.display()
            ));
            if let Some(shortcut) = shortcut {
                printer.notice(&format!("Or let {} add it: {shortcut}", profile.title));
            }
            if let Some(permission) = self.client.permission() {
                printer.notice(permission);
            }
        }
        if let Some(advice) = server.token_advice(profile) {
            printer.notice(&advice);
        }
        Ok(())
    }

    fn change(&self, server: &Server, path: &Path, printer: Printer) -> Result<()> {
        let profile = self.client.profile();
        let file = ClientFile::read(path)?;
        let target = Target { file: path, profile, name: &server.name };
        let before = file.text()?;
        let edited = if self.remove {
            edit::take(before, target)?
        } else {
            edit::put(before, target, &server.entry(profile)?)?
        };
        let idle = matches!(edited.change, Change::Unchanged | Change::Absent);
        if self.dry_run {
            return Self::show(before, &edited, path, printer);
        }
        let backup = if idle { None } else { file.replace(&edited.text)? };
        let outcome = json!({
            "client": self.client.to_possible_value().map(|value| value.get_name().to_owned()),
            "name": server.name,
            "file": path,
            "change": edited.change,
            "backup": backup,
        });
        printer.value(&outcome, || sentence(&server.name, edited.change, path, backup.as_deref()))?;
        if let Some(advice) = server.token_advice(profile).filter(|_| !self.remove) {
            printer.notice(&advice);
        }
        Ok(())
    }

    fn show(before: &str, edited: &Edited, path: &Path, printer: Printer) -> Result<()> {
        let name = path.display().to_string();
        let difference = similar::TextDiff::from_lines(before, &edited.text)
            .unified_diff()
            .header(&name, &name)
            .to_string();
        let value = json!({ "file": path, "change": edited.change, "diff": difference });
        printer.value(&value, || {
            if difference.is_empty() { format!("nothing to change in {name}") } else { difference }
        })
    }
}

impl Scope {
    fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

fn user_file(profile: &'static Profile, surroundings: &Surroundings) -> PathBuf {
    let moved = profile.user.moved.and_then(|moved| match moved {
        Moved::Folder(variable, name) => Some(Path::new(&surroundings.variable(variable)?).join(name)),
        Moved::File(variable) => surroundings.variable(variable).map(PathBuf::from),
    });
    if let Some(moved) = moved {
        return surroundings.current.join(moved);
    }
    let base = match profile.user.base {
        Base::Home => &surroundings.home,
        Base::Configuration => &surroundings.configuration,
        Base::Application => &surroundings.application,
    };
    let usual = base.join(profile.user.path);
    let rival = profile.user.rival.map(|path| base.join(path));
    rival.filter(|rival| rival.exists() && !usual.exists()).unwrap_or(usual)
}

fn sentence(name: &str, change: Change, file: &Path, backup: Option<&Path>) -> String {
    let file = file.display();
    let mut text = match change {
        Change::Added => format!("added `{name}` to {file}"),
        Change::Replaced => format!("replaced an older `{name}` in {file}"),
        Change::Unchanged => format!("`{name}` is already there, in {file}"),
        Change::Removed => format!("removed `{name}` from {file}"),
        Change::Absent => format!("there is no `{name}` in {file}"),
    };
    if let Some(backup) = backup {
        text.push_str(&format!("\nwhat was there before is in {}", backup.display()));
    }
    if matches!(change, Change::Added | Change::Replaced | Change::Removed) {
        text.push_str("\nrestart the client, or let it reload its servers");
    }
    text
}

fn text(path: &Path) -> Result<String, Error> {
    path.to_str().map(ToOwned::to_owned).ok_or_else(|| Error::PathNotText { path: path.to_owned() })
}
