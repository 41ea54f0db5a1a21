//! What the engine says about itself, for `doctor` and for reports.

use bollard::models::{SystemInfo, SystemVersion};

use super::Engine;
use super::call::ask;
use crate::Result;

/// What the engine says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineInfo {
    /// The engine's name, such as `Docker` or `Podman`.
    pub name: String,
    /// The engine's version.
    pub version: String,
    /// Where it is.
    pub host: String,
    /// Whether the engine runs as an ordinary user, so that a break-out ends there.
    pub rootless: bool,
    /// Whether the users of containers are mapped to others on the host.
    pub remaps_users: bool,
    /// Version of the control groups, `1` or `2`, where known.
    pub cgroup_version: Option<u8>,
    /// Whether memory, processor and process limits hold; an ordinary user's engine may ignore them.
    pub enforces_limits: bool,
    /// Processor cores.
    pub cpus: u64,
    /// Memory in bytes.
    pub memory_bytes: u64,
}

impl Engine {
    /// Asks the engine about itself.
    pub async fn info(&self) -> Result<EngineInfo> {
        let info = ask("describe itself", self.docker.info()).await?;
        let (name, version) = self.identity.split_once(' ').unwrap_or((&self.identity, ""));
        Ok(describe(&info, name, version, &self.host))
    }
}

fn describe(info: &SystemInfo, name: &str, version: &str, host: &str) -> EngineInfo {
    let has_option = |option: &str| {
        info.security_options.iter().flatten().any(|text| text.split(',').any(|part| part == option))
    };
    let count = |number: Option<i64>| number.and_then(|number| u64::try_from(number).ok()).unwrap_or(0);
    EngineInfo {
        name: name.to_owned(),
        version: version.to_owned(),
        host: host.to_owned(),
        rootless: has_option("name=rootless"),
        remaps_users: has_option("name=userns"),
        cgroup_version: info.cgroup_version.and_then(|version| version.to_string().parse().ok()),
        enforces_limits: [info.memory_limit, info.pids_limit, info.cpu_cfs_quota]
            .iter()
            .all(|supported| *supported != Some(false)),
        cpus: count(info.ncpu),
        memory_bytes: count(info.mem_total),
    }
}

/// Name and version in one text; Podman answers in Docker's place and tells only by its components.
pub(super) fn identity(version: &SystemVersion) -> String {
    let is_podman = version.components.iter().flatten().any(|component| component.name.starts_with("Podman"));
    let name = if is_podman { "Podman" } else { "Docker" };
    format!("{name} {}", version.version.as_deref().unwrap_or("of unknown version"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_rootless_and_remapping_from_the_security_options() {
        let info = SystemInfo {
            security_options: Some(vec![
                "name=seccomp,profile=default".to_owned(),
                "name=rootless".to_owned(),
            ]),
            memory_limit: Some(false),
            ..SystemInfo::default()
        };
        let found = describe(&info, "Docker", "27.0", "unix:///x");
        assert_eq!((found.rootless, found.remaps_users, found.enforces_limits), (true, false, false));
    }
}
