//! The configuration, resolved once and passed down: flag, then `REPOLAB_*` variable, then `repolab.toml` in the
//! current folder, then `config.toml` in the user's configuration folder, then the default.
//! This is the only file that asks the environment anything.

mod http;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use etcetera::{AppStrategy, AppStrategyArgs, BaseStrategy, choose_app_strategy};
use repos::{Catalog, Git};
use sandbox::Limits;
use serde::Deserialize;
use tools::{SandboxSettings, WorkspaceSettings};

use crate::arguments::Global;
use crate::mcp::http::HttpOptions;

pub(crate) use http::{HttpFlags, TokenSource};

/// What every command works with.
#[derive(Clone, Debug)]
pub(crate) struct Configuration {
    /// Where checkouts, indexes, workspaces and runs live.
    pub(crate) data: PathBuf,
    /// The container engine's address, when not the usual one.
    pub(crate) engine: Option<String>,
    /// The image in place of the registry's hints.
    pub(crate) image: Option<String>,
    /// Whether a call may ask for network access.
    pub(crate) allow_network: bool,
    /// What the files say about HTTP.
    http: http::Section,
    /// The files that were read, for `doctor`.
    pub(crate) files: Vec<PathBuf>,
}

/// A configuration file; every key is optional.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    data: Option<PathBuf>,
    engine: Option<String>,
    image: Option<String>,
    allow_network: Option<bool>,
    #[serde(default)]
    http: http::Section,
}

impl Configuration {
    /// Resolves flags, variables, files and defaults.
    pub(crate) fn resolve(global: &Global) -> Result<Self> {
        let folders = own_folders()?;
        let mut files = Vec::new();
        let mut read = |path: PathBuf| -> Result<File> {
            let file = File::read(&path)?;
            files.extend(file.is_some().then_some(path));
            Ok(file.unwrap_or_default())
        };
        let project = read(PathBuf::from("repolab.toml"))?;
        let user = read(folders.in_config_dir("config.toml"))?;
        let data = global.data.clone().or(project.data).or(user.data).unwrap_or_else(|| folders.data_dir());
        Ok(Self {
            data: std::path::absolute(data).context("could not make the data folder's path absolute")?,
            engine: global.engine.clone().or(project.engine).or(user.engine).or_else(docker_host),
            image: variable("REPOLAB_IMAGE").or(project.image).or(user.image),
            allow_network: project.allow_network.or(user.allow_network).unwrap_or(false),
            http: project.http.or(user.http),
            files,
        })
    }

    /// The repositories that are known; git gets proxies, certificates and search path of this process, and no more.
    pub(crate) fn catalog(&self) -> Result<Catalog> {
        Ok(Catalog::open(&self.data)?.with_git(git()))
    }

    /// Where the indexes live.
    pub(crate) fn indexes(&self) -> PathBuf {
        self.data.join("indexes")
    }

    /// Where private copies of checkouts live while they are used.
    pub(crate) fn workspaces(&self) -> PathBuf {
        self.data.join("workspaces")
    }

    /// Where evaluation runs live unless told otherwise.
    pub(crate) fn runs(&self) -> PathBuf {
        self.data.join("runs")
    }

    /// How the server is reached over HTTP.
    pub(crate) fn http(&self, flags: &HttpFlags) -> Result<HttpOptions> {
        let token = self.http_token(flags).token()?;
        Ok(HttpOptions { token, ..self.http.options(flags) })
    }

    /// Where the token for HTTP comes from.
    pub(crate) fn http_token(&self, flags: &HttpFlags) -> TokenSource {
        self.http.token_source(flags, variable)
    }

    /// How the tools run code.
    pub(crate) fn sandbox(&self) -> SandboxSettings {
        SandboxSettings {
            engine: self.engine.clone(),
            image: self.image.clone(),
            limits: Limits::default(),
            allow_network: self.allow_network,
            spares: 0,
            workspaces: WorkspaceSettings::default(),
        }
    }
}

/// Where this program and other programs' files are, for the command that edits those.
#[derive(Debug)]
pub(crate) struct Surroundings {
    /// This program, absolute.
    pub(crate) program: PathBuf,
    /// The data folder when nothing names another.
    pub(crate) usual_data: PathBuf,
    /// The current folder.
    pub(crate) current: PathBuf,
    /// The user's home.
    pub(crate) home: PathBuf,
    /// `XDG_CONFIG_HOME`, else `~/.config`.
    pub(crate) configuration: PathBuf,
    /// Where applications with windows keep their settings.
    pub(crate) application: PathBuf,
}

impl Surroundings {
    /// Asks the system.
    pub(crate) fn find() -> Result<Self> {
        let base =
            etcetera::base_strategy::Xdg::new().context("could not find the user's home folder; set HOME")?;
        let home = base.home_dir().to_owned();
        let configuration = base.config_dir();
        let application = if cfg!(target_os = "macos") {
            home.join("Library/Application Support")
        } else {
            configuration.clone()
        };
        Ok(Self {
            program: std::env::current_exe().context("could not find the path of this program")?,
            usual_data: own_folders()?.data_dir(),
            current: std::path::absolute(".").context("could not find the current folder")?,
            home,
            configuration,
            application,
        })
    }

    /// A variable by which another program moves its files.
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        variable(name)
    }
}

fn own_folders() -> Result<impl AppStrategy> {
    choose_app_strategy(AppStrategyArgs {
        top_level_domain: "dev".to_owned(),
        author: "repolab".to_owned(),
        app_name: "repolab".to_owned(),
    })
    .context("could not find the user's home folder; set HOME or pass --data FOLDER")
}

impl File {
    fn read(path: &Path) -> Result<Option<Self>> {
        match fs_err::read_to_string(path) {
            Ok(text) => {
                let file = toml::from_str(&text);
                Ok(Some(file.with_context(|| {
                    format!("could not understand the configuration file {}", path.display())
                })?))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// git with what it needs of this process's environment to reach a server.
pub(crate) fn git() -> Git {
    Git::with_environment(std::env::vars_os())
}

fn docker_host() -> Option<String> {
    variable("DOCKER_HOST")
}

#[expect(clippy::disallowed_methods, reason = "this file is where the environment is asked")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
