//! `repolab doctor`: the resolved configuration, and what is missing for which command.

use std::process::ExitCode;

use ::repos::Catalog;
use anyhow::Result;
use clap::Args;
use sandbox::{Engine, EngineInfo, EngineOptions};
use serde::Serialize;

use super::runtime;
use crate::configuration::{self, Configuration, HttpFlags, TokenSource};
use crate::failure;
use crate::mcp::http::HttpOptions;
use crate::printer::Printer;

/// Show the resolved configuration and what is missing
#[derive(Debug, Args)]
pub(crate) struct Doctor {}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Finding {
    what: &'static str,
    ok: bool,
    found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_step: Option<String>,
}

impl Doctor {
    /// Prints the findings; nothing that is missing here is a failure by itself.
    pub(crate) fn run(self, configuration: &Configuration, printer: Printer) -> Result<ExitCode> {
        let catalog = configuration.catalog()?;
        let findings = [
            found("data folder", configuration.data.display().to_string()),
            found("configuration files", files(configuration)),
            http(configuration),
            git(),
            repositories(&catalog)?,
            engine(configuration)?,
        ];
        printer.value(&findings, || {
            let mut text = String::new();
            for finding in &findings {
                let mark = if finding.ok { "ok     " } else { "missing" };
                text.push_str(&format!("{mark}  {:20} {}\n", finding.what, finding.found));
                if let Some(step) = &finding.next_step {
                    text.push_str(&format!("{:31}{step}\n", ""));
                }
            }
            text
        })?;
        Ok(ExitCode::SUCCESS)
    }
}

fn found(what: &'static str, found: String) -> Finding {
    Finding { what, ok: true, found, next_step: None }
}

fn files(configuration: &Configuration) -> String {
    if configuration.files.is_empty() {
        return "none; defaults, flags and REPOLAB_* variables apply".to_owned();
    }
    let names: Vec<String> = configuration.files.iter().map(|file| file.display().to_string()).collect();
    names.join(", ")
}

/// What `repolab serve --http` would do.
fn http(configuration: &Configuration) -> Finding {
    let flags = HttpFlags::default();
    let token = match configuration.http_token(&flags) {
        TokenSource::Variable(_) => "token from REPOLAB_HTTP_TOKEN".to_owned(),
        TokenSource::File(path) => format!("token from {}", path.display()),
        TokenSource::None => "no token, so loopback addresses only".to_owned(),
    };
    match configuration.http(&flags) {
        Ok(options) => found("serving over HTTP", format!("{token}; {}", limits(&options))),
        Err(error) => Finding {
            what: "serving over HTTP",
            ok: false,
            found: failure::sentence(error.as_ref()),
            next_step: failure::hint(&error),
        },
    }
}

fn limits(options: &HttpOptions) -> String {
    let names: Vec<&str> =
        options.allowed_hosts.iter().chain(&options.allowed_origins).map(String::as_str).collect();
    let names = if names.is_empty() { String::new() } else { format!("also for {}; ", names.join(", ")) };
    let limits = &options.limits;
    format!(
        "{names}at most {} requests at once, {} a second, {} connections, {} sessions",
        limits.concurrent_requests, limits.requests_per_second, limits.connections, limits.sessions
    )
}

fn git() -> Finding {
    match configuration::git().version() {
        Ok(version) => found("git", version),
        Err(error) => {
            Finding { what: "git", ok: false, found: failure::sentence(&error), next_step: error.hint() }
        }
    }
}

fn repositories(catalog: &Catalog) -> Result<Finding> {
    let (there, known) = (catalog.checkouts()?.len(), catalog.entries().len());
    Ok(Finding {
        what: "repositories",
        ok: there > 0,
        found: format!("{there} of {known} on this machine"),
        next_step: (there == 0).then(|| {
            "`repolab repos sync` fetches them, `repolab repos link` uses folders you have".to_owned()
        }),
    })
}

fn engine(configuration: &Configuration) -> Result<Finding> {
    let options = EngineOptions { host: configuration.engine.clone() };
    let answer = runtime()?.block_on(async { Engine::connect(&options).await?.info().await });
    Ok(match answer {
        Ok(info) => describe(&info),
        Err(error) => Finding {
            what: "container engine",
            ok: false,
            found: failure::sentence(&error),
            next_step: error.hint(),
        },
    })
}

fn describe(info: &EngineInfo) -> Finding {
    let rights = match (info.rootless, info.remaps_users) {
        (true, _) => "rootless",
        (false, true) => "users remapped",
        (false, false) => "as root: whoever reaches it is root on this machine",
    };
    let memory = info.memory_bytes as f64 / f64::from(1 << 30);
    Finding {
        what: "container engine",
        ok: info.enforces_limits,
        found: format!(
            "{} {} at {} ({rights}; {} cores, {memory:.0} GiB)",
            info.name, info.version, info.host, info.cpus
        ),
        next_step: (!info.enforces_limits).then(|| {
            "it ignores limits on memory and processes; use one with control groups version 2".to_owned()
        }),
    }
}
