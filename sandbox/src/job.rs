//! A job: everything that decides what runs, stated before it runs.
//! It is plain data, so that it can be logged, hashed into a lock file and sent to another machine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::{Error, Limits, Result};

/// What to run, in what, on what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The container image, by name or digest. The host backend ignores it.
    pub image: String,
    /// The program and its arguments; never joined into a shell string.
    pub argv: Vec<String>,
    /// Folders of this machine that the job sees.
    pub mounts: Vec<Mount>,
    /// The folder inside the sandbox in which the program starts.
    pub working_directory: String,
    /// The whole environment: nothing is inherited from this process.
    pub environment: BTreeMap<String, String>,
    /// What the program reads on its standard input; empty means end of file at once.
    pub stdin: Vec<u8>,
    /// What it may use.
    pub limits: Limits,
    /// What it may reach.
    pub network: Network,
}

/// A folder of this machine, shown to a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mount {
    /// The folder on this machine.
    pub source: PathBuf,
    /// Where the job sees it.
    pub target: String,
    /// What the job may do with it.
    pub access: Access,
}

/// What a job may do with a mounted folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Read only.
    ReadOnly,
    /// Read and write.
    ReadWrite,
}

/// What a job may reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// Nothing but its own loopback; a connection fails at once.
    #[default]
    None,
    /// The engine's default bridge.
    Bridge,
}

/// Folders that no job may see: through them it would reach the engine, the kernel or everything.
const FORBIDDEN_SOURCES: [&str; 6] = ["/proc", "/sys", "/dev", "/run", "/var/run", "/var/lib/docker"];

impl Job {
    /// Checks what no backend can run or should.
    pub(crate) fn check(&self) -> Result<()> {
        let strings = self.argv.iter().chain(self.environment.iter().flat_map(|(name, value)| [name, value]));
        if self.argv.first().is_none_or(String::is_empty) {
            return refuse("it names no program".to_owned());
        }
        if let Some(text) = strings.into_iter().find(|text| text.contains('\0')) {
            return refuse(format!("`{}` holds a NUL byte", text.escape_debug()));
        }
        if let Some(name) = self.environment.keys().find(|name| name.is_empty() || name.contains('=')) {
            return refuse(format!("`{name}` is no name of an environment variable"));
        }
        if !self.working_directory.starts_with('/') {
            return refuse(format!("the working directory `{}` is not absolute", self.working_directory));
        }
        self.mounts.iter().try_for_each(Mount::check)
    }
}

impl Mount {
    fn check(&self) -> Result<()> {
        let source = fs_err::canonicalize(&self.source);
        let Ok(source) = source else {
            return refuse(format!("the folder {} to mount does not exist", self.source.display()));
        };
        let overlaps = |folder: &&str| source.starts_with(folder) || Path::new(folder).starts_with(&source);
        if FORBIDDEN_SOURCES.iter().any(overlaps) {
            return refuse(format!("{} must not be mounted", self.source.display()));
        }
        if !self.target.starts_with('/') || self.target.trim_end_matches('/').is_empty() {
            return refuse(format!("`{}` is no place to mount at", self.target));
        }
        Ok(())
    }
}

fn refuse(rule: String) -> Result<()> {
    Err(Error::InvalidJob { rule })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> Job {
        Job {
            image: "image".to_owned(),
            argv: vec!["true".to_owned()],
            mounts: Vec::new(),
            working_directory: "/work".to_owned(),
            environment: BTreeMap::new(),
            stdin: Vec::new(),
            limits: Limits::default(),
            network: Network::None,
        }
    }

    #[track_caller]
    fn check_refused(change: impl FnOnce(&mut Job), expected: &str) {
        let mut changed = job();
        change(&mut changed);
        assert_eq!(changed.check().unwrap_err().to_string(), format!("the job cannot run: {expected}"));
    }

    fn mount(source: &str, target: &str) -> Mount {
        Mount { source: source.into(), target: target.to_owned(), access: Access::ReadOnly }
    }

    #[test]
    fn accepts_a_plain_job() {
        let mut plain = job();
        plain.mounts = vec![mount("/usr", "/usr")];
        plain.check().unwrap();
    }

    #[test]
    fn refuses_what_cannot_be_started() {
        check_refused(|job| job.argv.clear(), "it names no program");
        check_refused(|job| job.argv.push("a\0b".to_owned()), "`a\\0b` holds a NUL byte");
        check_refused(
            |job| job.working_directory = "work".to_owned(),
            "the working directory `work` is not absolute",
        );
        check_refused(
            |job| _ = job.environment.insert("A=B".to_owned(), String::new()),
            "`A=B` is no name of an environment variable",
        );
    }

    #[test]
    fn refuses_mounts_that_would_open_the_sandbox() {
        for source in ["/", "/proc", "/run", "/usr/..", "/var"] {
            check_refused(
                |job| job.mounts.push(mount(source, "/work")),
                &format!("{source} must not be mounted"),
            );
        }
        check_refused(|job| job.mounts.push(mount("/usr", "/")), "`/` is no place to mount at");
        check_refused(
            |job| job.mounts.push(mount("/no/such", "/work")),
            "the folder /no/such to mount does not exist",
        );
    }
}
