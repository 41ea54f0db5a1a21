//! The kernel's own counters of a container. They tell a memory kill from any other: the engine's flag for it is
//! wrong in both directions, since a killed child of a lucky program sets it and a killed `exec` does not.

use std::time::Duration;

use crate::Evidence;
use crate::verdict::TemporaryFolder;

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
    pub(super) temporary: TemporaryFolder,
}

/// Reads what [`PROBE`] printed.
pub(super) fn parse_probe(printed: &str) -> Probed {
    let mut probed = Probed::default();
    for section in printed.split("= ").skip(1) {
        let (file, text) = section.split_once('\n').unwrap_or((section, ""));
        let counters = &mut probed.counters;
        match file {
            "memory.events" | "memory/memory.oom_control" => {
                counters.out_of_memory_kills = field(text, "oom_kill");
            }
            "pids.events" | "pids/pids.events" => counters.refused_forks = field(text, "max"),
            "cpu.stat" => counters.cpu_time = field(text, "usage_usec").map(Duration::from_micros),
            "cpuacct/cpuacct.usage" => counters.cpu_time = text.trim().parse().ok().map(Duration::from_nanos),
            // Free blocks and free inodes: neither may be none.
            "temporary" if text.split_whitespace().any(|free| free == "0") => {
                probed.temporary = TemporaryFolder::Full;
            }
            _ => {}
        }
    }
    probed
}

/// The number behind `name` on one of the lines.
pub(super) fn field(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

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
            temporary: TemporaryFolder::Full,
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
