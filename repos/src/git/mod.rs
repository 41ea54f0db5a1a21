//! The only place that starts git. A repository is hostile: its configuration, hooks, filters, submodules and URLs
//! can make git run commands or leave the machine, so git gets an environment and a configuration of ours alone,
//! never a prompt, and works only in folders that this crate made.

mod process;
mod words;

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub(crate) use words::FetchFailure;
pub use words::LastWords;

use crate::source::Remote;
use crate::{Commit, Error, Result};
use process::Ending;

/// Where git is looked for when nothing else is said: the usual places of Linux, macOS and NixOS.
const SEARCH_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin:/run/current-system/sw/bin";

/// Variables that git may inherit because it could not reach a server without them; none changes what it runs.
const INHERITED: [&str; 14] = [
    "ALL_PROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "all_proxy",
    "https_proxy",
    "http_proxy",
    "no_proxy",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
    "NIX_SSL_CERT_FILE",
    "SSH_AUTH_SOCK",
];

const ENVIRONMENT: [(&str, &str); 10] = [
    ("GIT_ASKPASS", ""),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_LFS_SKIP_SMUDGE", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_SSH_COMMAND", "ssh -o BatchMode=yes -o ConnectTimeout=30"),
    ("GIT_TERMINAL_PROMPT", "0"),
    // The reasons of failures are told by git's English words.
    ("LC_ALL", "C"),
    ("SSH_ASKPASS", ""),
];

const CONFIGURATION: [&str; 15] = [
    "advice.detachedHead=false",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "credential.helper=",
    "fetch.recurseSubmodules=false",
    // Objects then arrive as one pack, which is there whole or not at all.
    "fetch.unpackLimit=1",
    "filter.lfs.process=",
    "filter.lfs.required=false",
    "filter.lfs.smudge=",
    "gc.auto=0",
    // A server that stalls for a minute is a dead one, long before the time limit.
    "http.lowSpeedLimit=1",
    "http.lowSpeedTime=60",
    "init.defaultBranch=main",
    "protocol.ext.allow=never",
    "submodule.recurse=false",
];

/// How git is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Git {
    variables: Vec<(OsString, OsString)>,
}

/// Git's work on one repository: until a deadline, and holding a lock.
pub(crate) struct Session<'a> {
    pub(crate) git: &'a Git,
    /// Git gets this empty file as its standard input. The lock lasts as long as the file is open anywhere, so a git
    /// that outlives a killed repolab keeps others out of the folder that it still writes to.
    pub(crate) lock: &'a fs_err::File,
    pub(crate) deadline: Instant,
}

/// Why git did not do what it was asked.
#[derive(Debug)]
pub(crate) enum Failure {
    NotStarted(std::io::Error),
    TimedOut,
    Refused(LastWords),
}

/// What git did or why not.
pub(crate) type Outcome<T> = std::result::Result<T, Failure>;

/// What is fetched.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Want<'a> {
    /// One commit without its history.
    Commit(&'a Commit),
    /// So many newest commits of every branch and tag.
    Branches { depth: u32 },
}

impl Default for Git {
    fn default() -> Self {
        Self { variables: vec![("PATH".into(), SEARCH_PATH.into())] }
    }
}

impl Git {
    /// Takes from `variables` where programs are found and how servers are reached (search path, proxies,
    /// certificates, ssh agent), and leaves everything else behind.
    pub fn with_environment(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let mut git = Self::default();
        for (name, value) in variables {
            if name == "PATH" {
                git.variables[0].1 = value;
            } else if INHERITED.iter().any(|inherited| name == *inherited) {
                git.variables.push((name, value));
            }
        }
        git
    }

    /// The installed version, such as `git version 2.47.3`.
    pub fn version(&self) -> Result<String> {
        let mut command = self.command();
        command.arg("--version").stdin(Stdio::null());
        let deadline = Instant::now() + Duration::from_secs(10);
        match process::run(&mut command, deadline, &|_| {}).map_err(|source| Error::StartGit { source })? {
            Ending::Succeeded { output } => Ok(output.trim().to_owned()),
            Ending::Failed { words } => Err(Error::StartGit { source: std::io::Error::other(words) }),
            Ending::TimedOut => Err(Error::StartGit { source: std::io::ErrorKind::TimedOut.into() }),
        }
    }

    #[expect(clippy::disallowed_methods, reason = "this is the one place that starts git")]
    fn command(&self) -> Command {
        let mut command = Command::new("git");
        command.env_clear().envs(self.variables.iter().map(|(name, value)| (name, value))).envs(ENVIRONMENT);
        for option in CONFIGURATION {
            command.args(["-c", option]);
        }
        command
    }
}

impl Session<'_> {
    /// The commit that the remote's default branch is at; none when it has no commit.
    pub(crate) fn head_of(&self, remote: &Remote) -> Outcome<Option<String>> {
        let output =
            self.run(self.for_remote(remote).args(["ls-remote", "--", remote.as_str(), "HEAD"]), &|_| {})?;
        Ok(output.split_whitespace().next().map(str::to_owned))
    }

    /// Makes an empty repository in `folder`.
    pub(crate) fn init(&self, folder: &Path) -> Outcome<()> {
        // Without a template there are no hooks from this machine either.
        self.run(self.git.command().args(["init", "--quiet", "--template=", "--"]).arg(folder), &|_| {})?;
        Ok(())
    }

    /// Fetches into the repository in `folder`.
    pub(crate) fn fetch(
        &self,
        folder: &Path,
        remote: &Remote,
        want: Want<'_>,
        on_percent: &dyn Fn(u8),
    ) -> Outcome<()> {
        let mut command = self.for_remote(remote);
        let depth = if let Want::Branches { depth } = want { depth } else { 1 };
        command.arg("-C").arg(folder).args(["fetch", "--progress", "--no-tags", "--no-recurse-submodules"]);
        command.args([&format!("--depth={depth}"), "--", remote.as_str()]);
        match want {
            Want::Commit(commit) => command.arg(commit.as_str()),
            Want::Branches { .. } => {
                command.args(["+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*"])
            }
        };
        self.run(&mut command, on_percent)?;
        Ok(())
    }

    /// Whether the repository in `folder` has `commit`.
    pub(crate) fn has(&self, folder: &Path, commit: &Commit) -> Outcome<bool> {
        let object = format!("{commit}^{{commit}}");
        match self.run(self.inside(folder).args(["cat-file", "-e", &object]), &|_| {}) {
            Ok(_) => Ok(true),
            Err(Failure::Refused(_)) => Ok(false),
            Err(failure) => Err(failure),
        }
    }

    /// Writes the files of `commit` into `folder`, over whatever lies there.
    pub(crate) fn check_out(&self, folder: &Path, commit: &Commit) -> Outcome<()> {
        self.run(
            self.inside(folder).args(["checkout", "--quiet", "--force", "--detach", commit.as_str(), "--"]),
            &|_| {},
        )?;
        Ok(())
    }

    /// The commit that is checked out.
    pub(crate) fn head(&self, folder: &Path) -> Outcome<String> {
        let output =
            self.run(self.inside(folder).args(["rev-parse", "--verify", "HEAD^{commit}"]), &|_| {})?;
        Ok(output.trim().to_owned())
    }

    /// Files of the commit that are not in the folder.
    pub(crate) fn missing_files(&self, folder: &Path) -> Outcome<Vec<String>> {
        let output = self.run(self.inside(folder).args(["ls-files", "--deleted", "-z"]), &|_| {})?;
        Ok(output.split_terminator('\0').map(str::to_owned).collect())
    }

    /// Git without any transport.
    fn inside(&self, folder: &Path) -> Command {
        let mut command = self.git.command();
        command.env("GIT_ALLOW_PROTOCOL", "").arg("-C").arg(folder);
        command
    }

    /// Git with the one transport that the URL names.
    fn for_remote(&self, remote: &Remote) -> Command {
        let mut command = self.git.command();
        command.env("GIT_ALLOW_PROTOCOL", remote.allowed_protocols());
        command
    }

    fn run(&self, command: &mut Command, on_percent: &dyn Fn(u8)) -> Outcome<String> {
        let input = self.lock.file().try_clone().map_err(Failure::NotStarted)?;
        command.stdin(Stdio::from(input));
        match process::run(command, self.deadline, on_percent).map_err(Failure::NotStarted)? {
            Ending::Succeeded { output } => Ok(output),
            Ending::Failed { words } => Err(Failure::Refused(words)),
            Ending::TimedOut => Err(Failure::TimedOut),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_its_version() {
        assert!(Git::default().version().unwrap().starts_with("git version "));
    }

    #[test]
    fn says_clearly_that_git_is_missing() {
        let git = Git::with_environment([("PATH".into(), "/nonexistent".into())]);
        let error = git.version().unwrap_err();
        assert_eq!(error.to_string(), "could not start git");
        assert!(error.hint().unwrap().contains("install git"));
    }

    #[test]
    fn inherits_only_what_reaches_a_server() {
        let given =
            ["PATH", "https_proxy", "GIT_DIR", "GIT_CONFIG_PARAMETERS", "HOME", "LD_PRELOAD", "SECRET"];
        let git = Git::with_environment(given.map(|name| (name.into(), "x".into())));
        let command = git.command();
        let names: Vec<_> = command.get_envs().map(|(name, _)| name.to_str().unwrap()).collect();
        for name in ["GIT_DIR", "GIT_CONFIG_PARAMETERS", "HOME", "LD_PRELOAD", "SECRET"] {
            assert!(!names.contains(&name), "{name} was passed on");
        }
        assert!(names.contains(&"PATH") && names.contains(&"https_proxy"), "{names:?}");
    }
}
