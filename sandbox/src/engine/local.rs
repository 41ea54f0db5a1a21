//! Looking at a container from outside, where it is on this machine: three small files instead of a process
//! inside, which costs as much as a small job and may find no room to run.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::counters::{Counters, field};
use crate::verdict::TemporaryFolder;

/// Where this machine shows a container.
#[derive(Debug)]
pub(super) struct LocalView {
    pid: i64,
    memory: PathBuf,
    processes: PathBuf,
    processor: PathBuf,
    unified: bool,
}

/// What is left of a job whose program has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Children {
    None,
    /// There are some, or it is not known.
    Possible,
}

impl LocalView {
    /// The container `id`, whose first process the engine knows as `pid`, if it is on this machine.
    ///
    /// A remote engine counts processes of another machine, so the control group must bear the container's name.
    pub(super) fn of(pid: i64, id: &str) -> Option<Self> {
        let groups = fs_err::read_to_string(format!("/proc/{pid}/cgroup")).ok()?;
        Self::parse(&groups, pid, id)
    }

    fn parse(groups: &str, pid: i64, id: &str) -> Option<Self> {
        let folder_of = |controller: &str| {
            let line = groups.lines().find_map(|line| {
                let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
                controllers.split(',').any(|name| name == controller).then_some(path)
            })?;
            let mount = Path::new("/sys/fs/cgroup").join(controller);
            line.contains(id).then(|| mount.join(line.trim_start_matches('/')))
        };
        let separate = || {
            Some(Self {
                pid,
                memory: folder_of("memory")?,
                processes: folder_of("pids")?,
                processor: folder_of("cpuacct")?,
                unified: false,
            })
        };
        let unified = || {
            let folder = folder_of("")?;
            Some(Self {
                pid,
                memory: folder.clone(),
                processes: folder.clone(),
                processor: folder,
                unified: true,
            })
        };
        separate().or_else(unified)
    }

    /// Reads all counters; those of a group that is gone are unknown.
    pub(super) fn counters(&self) -> Counters {
        let text = |path: PathBuf| fs_err::read_to_string(path).unwrap_or_default();
        let kills = if self.unified { "memory.events" } else { "memory.oom_control" };
        Counters {
            out_of_memory_kills: field(&text(self.memory.join(kills)), "oom_kill"),
            refused_forks: field(&text(self.processes.join("pids.events")), "max"),
            cpu_time: self.cpu_time(),
        }
    }

    fn cpu_time(&self) -> Option<Duration> {
        if self.unified {
            let text = fs_err::read_to_string(self.processor.join("cpu.stat")).ok()?;
            return field(&text, "usage_usec").map(Duration::from_micros);
        }
        let text = fs_err::read_to_string(self.processor.join("cpuacct.usage")).ok()?;
        text.trim().parse().ok().map(Duration::from_nanos)
    }

    /// Whether anything runs beside the two processes of ours, the init process and the keeper.
    pub(super) fn children(&self) -> Children {
        let text = fs_err::read_to_string(self.processes.join("pids.current")).unwrap_or_default();
        match text.trim().parse() {
            Ok(0..=2) => Children::None,
            _ => Children::Possible,
        }
    }

    /// How the temporary folder stands; unknown unless this process may look into others, as root may.
    pub(super) fn temporary_folder(&self) -> Option<TemporaryFolder> {
        let found = rustix::fs::statvfs(format!("/proc/{}/root/tmp", self.pid)).ok()?;
        let full = found.f_bavail == 0 || found.f_favail == 0;
        Some(if full { TemporaryFolder::Full } else { TemporaryFolder::Spacious })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_group_under_either_version() {
        let one = "12:pids:/docker/abc\n4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n0::/system.slice\n";
        let two = "0::/system.slice/docker-abc.scope\n";
        let folder = |groups: &str| LocalView::parse(groups, 1, "abc").map(|group| group.memory);
        assert_eq!(folder(one).unwrap(), Path::new("/sys/fs/cgroup/memory/docker/abc"));
        assert_eq!(folder(two).unwrap(), Path::new("/sys/fs/cgroup/system.slice/docker-abc.scope"));
    }

    #[test]
    fn ignores_a_process_of_the_same_number_on_another_machine() {
        assert!(LocalView::parse("0::/user.slice/session-1.scope\n", 1, "abc").is_none());
    }
}
