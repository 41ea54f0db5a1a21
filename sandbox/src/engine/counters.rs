//! The kernel's own counters of a container. They tell a memory kill from any other: the engine's flag for it is
//! wrong in both directions, since a killed child of a lucky program sets it and a killed `exec` does not.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::Evidence;

/// What the kernel has counted in a container since it started, which was just before its job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counters {
    pub(super) out_of_memory_kills: Option<u64>,
    pub(super) refused_forks: Option<u64>,
    pub(super) cpu_time: Option<Duration>,
}

impl Counters {
    /// Takes over what is known in `newer`; counters that can no longer be read keep their last value.
    pub(super) fn update(&mut self, newer: Self) {
        self.out_of_memory_kills = newer.out_of_memory_kills.or(self.out_of_memory_kills);
        self.refused_forks = newer.refused_forks.or(self.refused_forks);
        self.cpu_time = newer.cpu_time.or(self.cpu_time);
    }

    pub(super) fn write_to(self, evidence: &mut Evidence) {
        evidence.out_of_memory_kills = self.out_of_memory_kills;
        evidence.refused_forks = self.refused_forks;
        evidence.cpu_time = self.cpu_time;
    }
}

/// The control group of a container on this machine, with the counters last read.
#[derive(Debug)]
pub(super) struct Cgroup {
    memory: PathBuf,
    processes: PathBuf,
    processor: PathBuf,
    unified: bool,
}

impl Cgroup {
    /// The control group of the container `id`, whose first process the engine knows as `pid`.
    ///
    /// A remote engine counts processes of another machine, so the group must bear the container's name.
    pub(super) fn of(pid: i64, id: &str) -> Option<Self> {
        let groups = fs_err::read_to_string(format!("/proc/{pid}/cgroup")).ok()?;
        Self::parse(&groups, id)
    }

    fn parse(groups: &str, id: &str) -> Option<Self> {
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
                memory: folder_of("memory")?,
                processes: folder_of("pids")?,
                processor: folder_of("cpuacct")?,
                unified: false,
            })
        };
        let unified = || {
            let folder = folder_of("")?;
            Some(Self { memory: folder.clone(), processes: folder.clone(), processor: folder, unified: true })
        };
        separate().or_else(unified)
    }

    /// Reads all counters; those of a group that is gone are unknown.
    pub(super) fn read(&self) -> Counters {
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
}

/// A shell script that prints the counters from inside a container, each file after its name, and then how full
/// the temporary folder is; for engines whose machine cannot be looked into.
pub(super) const PROBE: &str = r#"
for file in memory.events memory/memory.oom_control pids.events pids/pids.events cpu.stat cpuacct/cpuacct.usage; do
  if [ -r "/sys/fs/cgroup/$file" ]; then echo "= $file"; cat "/sys/fs/cgroup/$file"; fi
done
echo "= temporary"
stat -f -c '%a %d' /tmp
"#;

/// What [`PROBE`] found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Probed {
    pub(super) counters: Counters,
    /// Free blocks and free inodes of the temporary folder, if it was read.
    pub(super) temporary_free: Option<(u64, u64)>,
}

/// Reads what [`PROBE`] printed.
pub(super) fn parse_probe(printed: &str) -> Probed {
    let mut probed = Probed::default();
    for section in printed.split("= ").skip(1) {
        let (file, text) = section.split_once('\n').unwrap_or((section, ""));
        let counters = &mut probed.counters;
        match file {
            "memory.events" | "memory/memory.oom_control" => {
                counters.out_of_memory_kills = field(text, "oom_kill")
            }
            "pids.events" | "pids/pids.events" => counters.refused_forks = field(text, "max"),
            "cpu.stat" => counters.cpu_time = field(text, "usage_usec").map(Duration::from_micros),
            "cpuacct/cpuacct.usage" => counters.cpu_time = text.trim().parse().ok().map(Duration::from_nanos),
            "temporary" => {
                let numbers = text.trim().split_once(' ');
                probed.temporary_free =
                    numbers.and_then(|(blocks, inodes)| Some((blocks.parse().ok()?, inodes.parse().ok()?)));
            }
            _ => {}
        }
    }
    probed
}

fn field(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_group_under_either_version() {
        let one = "12:pids:/docker/abc\n4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n0::/system.slice\n";
        let two = "0::/system.slice/docker-abc.scope\n";
        let folder = |groups: &str| Cgroup::parse(groups, "abc").map(|group| group.memory);
        assert_eq!(folder(one).unwrap(), Path::new("/sys/fs/cgroup/memory/docker/abc"));
        assert_eq!(folder(two).unwrap(), Path::new("/sys/fs/cgroup/system.slice/docker-abc.scope"));
    }

    #[test]
    fn ignores_a_process_of_the_same_number_on_another_machine() {
        assert!(Cgroup::parse("0::/user.slice/session-1.scope\n", "abc").is_none());
    }

    #[test]
    fn reads_the_probe_of_either_version() {
        let one = "= memory/memory.oom_control\noom_kill_disable 0\nunder_oom 0\noom_kill 3\n= pids/pids.events\nmax 7\n= cpuacct/cpuacct.usage\n2000\n= temporary\n0 12\n";
        let two = "= memory.events\nlow 0\nmax 41\noom 1\noom_kill 3\n= pids.events\nmax 7\n= cpu.stat\nusage_usec 2\n= temporary\n0 12\n";
        let expected = Probed {
            counters: Counters {
                out_of_memory_kills: Some(3),
                refused_forks: Some(7),
                cpu_time: Some(Duration::from_micros(2)),
            },
            temporary_free: Some((0, 12)),
        };
        assert_eq!((parse_probe(one), parse_probe(two)), (expected, expected));
    }

    #[test]
    fn keeps_what_was_known_when_a_group_is_gone() {
        let mut counters = Counters { refused_forks: Some(2), ..Counters::default() };
        counters.update(Counters::default());
        assert_eq!(counters.refused_forks, Some(2));
    }
}
