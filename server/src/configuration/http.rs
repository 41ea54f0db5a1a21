//! How `repolab serve --http` is configured: its flags, the section `[http]` of a configuration file, and what the two
//! come to. A token is never a flag's value, because every user of a machine can read the command lines on it.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde::Deserialize;

use crate::mcp::http::{HttpError, HttpLimits, HttpOptions, Token};

/// The flags of `repolab serve` that are about HTTP.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct HttpFlags {
    /// Serve over Streamable HTTP at /mcp instead, such as 127.0.0.1:8765; port 0 takes a free one
    ///
    /// The address is printed to standard error. Other than loopback addresses need a token, from the variable
    /// `REPOLAB_HTTP_TOKEN` or a file.
    #[arg(long = "http", value_name = "HOST:PORT")]
    pub(crate) address: Option<String>,
    /// File with the token that clients must send as `Authorization: Bearer TOKEN`; nobody else may read it
    #[arg(long, value_name = "FILE", requires = "address")]
    pub(crate) token_file: Option<PathBuf>,
    /// A further name by which clients may reach the server (the header `Host`); may be repeated
    #[arg(long, value_name = "NAME", requires = "address")]
    pub(crate) allow_host: Vec<String>,
    /// A further web origin that may use the server, such as `https://app.example.com`; may be repeated
    #[arg(long, value_name = "ORIGIN", requires = "address")]
    pub(crate) allow_origin: Vec<String>,
}

/// The section `[http]`; every key is optional.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Section {
    token_file: Option<PathBuf>,
    allow_hosts: Option<Vec<String>>,
    allow_origins: Option<Vec<String>>,
    request_bytes: Option<usize>,
    concurrent_requests: Option<usize>,
    requests_per_second: Option<NonZeroU32>,
    connections: Option<usize>,
    sessions: Option<usize>,
    session_idle_seconds: Option<u64>,
    abandoned_seconds: Option<u64>,
    read_timeout_seconds: Option<u64>,
    shutdown_grace_seconds: Option<u64>,
}

/// Where a token comes from.
#[derive(Clone, Debug)]
pub(crate) enum TokenSource {
    /// The variable, with its value.
    Variable(String),
    /// A file.
    File(PathBuf),
    /// Nowhere: everybody on this machine may ask.
    None,
}

impl TokenSource {
    /// The token itself.
    pub(crate) fn token(&self) -> Result<Option<Token>, HttpError> {
        match self {
            Self::Variable(text) => Token::new(text).map(Some),
            Self::File(path) => Token::read(path).map(Some),
            Self::None => Ok(None),
        }
    }
}

impl Section {
    /// The keys of this section, and the other's where this has none.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            token_file: self.token_file.or(other.token_file),
            allow_hosts: self.allow_hosts.or(other.allow_hosts),
            allow_origins: self.allow_origins.or(other.allow_origins),
            request_bytes: self.request_bytes.or(other.request_bytes),
            concurrent_requests: self.concurrent_requests.or(other.concurrent_requests),
            requests_per_second: self.requests_per_second.or(other.requests_per_second),
            connections: self.connections.or(other.connections),
            sessions: self.sessions.or(other.sessions),
            session_idle_seconds: self.session_idle_seconds.or(other.session_idle_seconds),
            abandoned_seconds: self.abandoned_seconds.or(other.abandoned_seconds),
            read_timeout_seconds: self.read_timeout_seconds.or(other.read_timeout_seconds),
            shutdown_grace_seconds: self.shutdown_grace_seconds.or(other.shutdown_grace_seconds),
        }
    }

    /// Where the token comes from: the flag, the variables, the file.
    pub(super) fn token_source(
        &self,
        flags: &HttpFlags,
        variable: impl Fn(&str) -> Option<String>,
    ) -> TokenSource {
        let file = |path: &PathBuf| TokenSource::File(path.clone());
        flags
            .token_file
            .as_ref()
            .map(file)
            .or_else(|| variable("REPOLAB_HTTP_TOKEN").map(TokenSource::Variable))
            .or_else(|| variable("REPOLAB_HTTP_TOKEN_FILE").map(|path| TokenSource::File(path.into())))
            .or_else(|| self.token_file.as_ref().map(file))
            .unwrap_or(TokenSource::None)
    }

    /// What the flags and this section come to, without the token.
    pub(super) fn options(&self, flags: &HttpFlags) -> HttpOptions {
        let both = |file: &Option<Vec<String>>, flags: &[String]| {
            file.iter().flatten().chain(flags).cloned().collect()
        };
        HttpOptions {
            allowed_hosts: both(&self.allow_hosts, &flags.allow_host),
            allowed_origins: both(&self.allow_origins, &flags.allow_origin),
            limits: self.limits(),
            ..HttpOptions::new(flags.address.clone().unwrap_or_default())
        }
    }

    fn limits(&self) -> HttpLimits {
        let default = HttpLimits::default();
        let time = |seconds: Option<u64>, default| seconds.map_or(default, Duration::from_secs);
        HttpLimits {
            request_bytes: self.request_bytes.unwrap_or(default.request_bytes),
            concurrent_requests: self.concurrent_requests.unwrap_or(default.concurrent_requests),
            requests_per_second: self.requests_per_second.unwrap_or(default.requests_per_second),
            connections: self.connections.unwrap_or(default.connections),
            sessions: self.sessions.unwrap_or(default.sessions),
            session_idle: time(self.session_idle_seconds, default.session_idle),
            abandoned: time(self.abandoned_seconds, default.abandoned),
            read_timeout: time(self.read_timeout_seconds, default.read_timeout),
            shutdown_grace: time(self.shutdown_grace_seconds, default.shutdown_grace),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(text: &str) -> Section {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn the_flag_wins_over_the_variables_and_those_over_the_file() {
        let all = |name: &str| Some(format!("{name} value"));
        let file_only = |name: &str| (name == "REPOLAB_HTTP_TOKEN_FILE").then(|| "variable".to_owned());
        let flags = HttpFlags { token_file: Some("flag".into()), ..HttpFlags::default() };
        let none = HttpFlags::default();
        let section = section("token_file = 'file'");
        assert!(
            matches!(section.token_source(&flags, all), TokenSource::File(path) if path.ends_with("flag"))
        );
        assert!(matches!(section.token_source(&none, all), TokenSource::Variable(_)));
        assert!(
            matches!(section.token_source(&none, file_only), TokenSource::File(path) if path.ends_with("variable"))
        );
        assert!(
            matches!(section.token_source(&none, |_| None), TokenSource::File(path) if path.ends_with("file"))
        );
        assert!(matches!(Section::default().token_source(&none, |_| None), TokenSource::None));
    }

    #[test]
    fn names_add_up_and_the_nearer_file_wins() {
        let near = section("sessions = 1\nallow_hosts = ['a']");
        let far = section("sessions = 2\nconnections = 3\nallow_hosts = ['b']");
        let flags = HttpFlags { allow_host: vec!["c".to_owned()], ..HttpFlags::default() };
        let options = near.or(far).options(&flags);
        assert_eq!(options.allowed_hosts, ["a", "c"]);
        assert_eq!((options.limits.sessions, options.limits.connections), (1, 3));
    }
}
