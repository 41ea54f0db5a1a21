//! A hermetic place to run `repolab`: own home, own data folder, no inherited environment.
//! A failed assertion prints the command, its folder and both streams, so that a CI log is enough to understand it.

pub(crate) mod listening;
mod session;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

pub(crate) use session::{Session, modern, modern_with};

/// A home with a data folder in it.
pub(crate) struct Place {
    folder: TempDir,
}

/// What a command did.
pub(crate) struct Ran {
    command: String,
    output: Output,
}

impl Place {
    /// An empty one.
    pub(crate) fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    /// The folder that everything is below.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file below the folder and returns its path.
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder().join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(&path, content).unwrap();
        path
    }

    /// A small repository that is served under `name`.
    pub(crate) fn with_repository(self, name: &str, files: &[(&str, &str)]) -> Self {
        for (path, text) in files {
            self.write(&format!("{name}/{path}"), text);
        }
        let folder = self.folder().join(name);
        self.run(["repos", "add", folder.to_str().unwrap(), "--name", name]).success();
        self
    }

    /// `repolab` with these arguments, not started yet.
    #[expect(
        clippy::disallowed_methods,
        reason = "tests start the program under test, with an environment of their own"
    )]
    pub(crate) fn command<I: AsRef<str>>(&self, arguments: impl IntoIterator<Item = I>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_repolab"));
        command
            .args(arguments.into_iter().map(|argument| argument.as_ref().to_owned()))
            .env_clear()
            .env("PATH", std::env::var("PATH").unwrap_or_default())
            .env("HOME", self.folder())
            .env("REPOLAB_DATA", self.folder().join("data"))
            .current_dir(self.folder())
            .stdin(Stdio::null());
        command
    }

    /// Runs `repolab` to its end.
    pub(crate) fn run<I: AsRef<str>>(&self, arguments: impl IntoIterator<Item = I>) -> Ran {
        Ran::of(self.command(arguments))
    }

    /// Runs `repolab --json` and parses what it prints.
    pub(crate) fn json<I: AsRef<str>>(&self, arguments: impl IntoIterator<Item = I>) -> Value {
        let arguments: Vec<String> = ["--json".to_owned()]
            .into_iter()
            .chain(arguments.into_iter().map(|one| one.as_ref().to_owned()))
            .collect();
        let ran = self.run(&arguments).success();
        serde_json::from_str(&ran.stdout())
            .unwrap_or_else(|error| panic!("no JSON ({error}):\n{}", ran.transcript()))
    }
}

impl Ran {
    /// Runs any command to its end.
    #[track_caller]
    pub(crate) fn of(mut command: Command) -> Self {
        let output = command.output().unwrap_or_else(|error| panic!("could not start {command:?}: {error}"));
        Self { command: format!("{command:?}"), output }
    }

    /// Insists on exit code 0.
    #[track_caller]
    pub(crate) fn success(self) -> Self {
        self.code(0)
    }

    /// Insists on an exit code.
    #[track_caller]
    pub(crate) fn code(self, code: i32) -> Self {
        assert_eq!(self.output.status.code(), Some(code), "\n{}", self.transcript());
        self
    }

    /// Standard output as text.
    pub(crate) fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.output.stdout).into_owned()
    }

    /// Standard error as text.
    pub(crate) fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    /// Everything, for a failed assertion.
    pub(crate) fn transcript(&self) -> String {
        format!(
            "$ {}\n{}\n--- stdout\n{}\n--- stderr\n{}",
            self.command,
            self.output.status,
            self.stdout(),
            self.stderr()
        )
    }
}

/// What CI must provide and a person may lack: the value of the variable, or `None` after saying so aloud.
pub(crate) fn provided(variable: &str) -> Option<String> {
    let value = lent(variable);
    assert!(value.is_some() || !in_ci(), "CI must set {variable}");
    value
}

/// What even CI may lack: the value of the variable, or `None` after saying so aloud.
#[expect(clippy::disallowed_methods, reason = "tests are told by the environment where real input lies")]
#[expect(clippy::print_stderr, reason = "a skipped test must be seen")]
pub(crate) fn lent(variable: &str) -> Option<String> {
    let value = std::env::var(variable).ok().filter(|value| !value.is_empty());
    if value.is_none() {
        eprintln!("SKIPPED: {variable} is not set");
    }
    value
}

#[expect(clippy::disallowed_methods, reason = "CI says so in the environment")]
fn in_ci() -> bool {
    std::env::var("CI").is_ok()
}

/// What the engine's own client prints: the witness of what runs.
#[expect(clippy::disallowed_methods, reason = "tests ask the engine itself")]
pub(crate) fn docker(arguments: &[&str]) -> String {
    let output = Command::new("docker").args(arguments).output().unwrap();
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Polls for something that must come about; the bound only keeps a failing test from hanging.
#[track_caller]
pub(crate) fn wait_until(holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(30), "it did not come about");
        std::thread::sleep(Duration::from_millis(50));
    }
}
