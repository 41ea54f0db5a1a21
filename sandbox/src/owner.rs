//! Who made a container or a workspace, so that leftovers of dead processes can be told from work in progress.
//! A process id alone is not enough: ids are reused, and another machine or container counts its own.

use std::collections::HashMap;

use rustix::process::{Pid, getpid, test_kill_process};

/// Marks what belongs to this product; its value is the owner's process id.
pub(crate) const OWNER_LABEL: &str = "repolab.owner";
const BOOT_LABEL: &str = "repolab.boot";
const NAMESPACE_LABEL: &str = "repolab.namespace";
const PROCESS_START_LABEL: &str = "repolab.process-start";

/// A process, named so that no other process at any time on any machine has the same name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    pid: i32,
    /// The kernel's random id of this boot.
    boot: String,
    /// The process namespace that `pid` is counted in.
    namespace: String,
    /// When the process started, in clock ticks since boot.
    process_start: String,
}

/// What is known about the process behind an [`Owner`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    Alive,
    Dead,
    /// It belongs to another boot, machine or namespace, whose processes cannot be seen from here.
    Elsewhere,
}

impl Owner {
    /// This process.
    pub(crate) fn current() -> Self {
        let pid = getpid().as_raw_nonzero().get();
        Self {
            pid,
            boot: boot_id(),
            namespace: process_namespace(),
            process_start: process_start(pid).unwrap_or_default(),
        }
    }

    /// Whether the process still runs.
    pub(crate) fn life(&self) -> Life {
        if self.boot != boot_id() || self.namespace != process_namespace() {
            return Life::Elsewhere;
        }
        let exists = Pid::from_raw(self.pid)
            .is_some_and(|pid| !matches!(test_kill_process(pid), Err(rustix::io::Errno::SRCH)));
        // A zombie keeps its id and start time until it is awaited, and owns nothing any more.
        let same = exists && process_start(self.pid).unwrap_or_default() == self.process_start;
        if same { Life::Alive } else { Life::Dead }
    }

    pub(crate) fn to_labels(&self) -> HashMap<String, String> {
        HashMap::from([
            (OWNER_LABEL.to_owned(), self.pid.to_string()),
            (BOOT_LABEL.to_owned(), self.boot.clone()),
            (NAMESPACE_LABEL.to_owned(), self.namespace.clone()),
            (PROCESS_START_LABEL.to_owned(), self.process_start.clone()),
        ])
    }

    pub(crate) fn from_labels(labels: &HashMap<String, String>) -> Option<Self> {
        let text = |label: &str| labels.get(label).cloned();
        Some(Self {
            pid: text(OWNER_LABEL)?.parse().ok()?,
            boot: text(BOOT_LABEL)?,
            namespace: text(NAMESPACE_LABEL)?,
            process_start: text(PROCESS_START_LABEL)?,
        })
    }

    /// One line for each part, for a file.
    pub(crate) fn to_text(&self) -> String {
        format!("{}\n{}\n{}\n{}\n", self.pid, self.boot, self.namespace, self.process_start)
    }

    pub(crate) fn from_text(text: &str) -> Option<Self> {
        let mut lines = text.lines().map(str::to_owned);
        Some(Self {
            pid: lines.next()?.parse().ok()?,
            boot: lines.next()?,
            namespace: lines.next()?,
            process_start: lines.next()?,
        })
    }
}

fn boot_id() -> String {
    fs_err::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

fn process_namespace() -> String {
    fs_err::read_link("/proc/self/ns/pid").unwrap_or_default().to_string_lossy().into_owned()
}

/// Field 22 of `/proc/<pid>/stat`, or nothing for a process that has ended.
fn process_start(pid: i32) -> Option<String> {
    let stat = fs_err::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The program's name stands in parentheses and may itself hold spaces and parentheses.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?;
    if state == "Z" || state == "X" { None } else { fields.nth(18).map(str::to_owned) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_that_this_process_lives() {
        let from_labels = Owner::from_labels(&Owner::current().to_labels()).unwrap();
        let from_text = Owner::from_text(&Owner::current().to_text()).unwrap();
        assert_eq!((from_labels.life(), &from_labels), (Life::Alive, &from_text));
    }

    #[test]
    fn tells_a_reused_process_id_apart() {
        let owner = Owner { process_start: "1".to_owned(), ..Owner::current() };
        assert_eq!(owner.life(), Life::Dead);
    }

    #[test]
    fn does_not_judge_processes_of_another_machine() {
        let owner = Owner { boot: "another".to_owned(), ..Owner::current() };
        assert_eq!(owner.life(), Life::Elsewhere);
    }

    #[test]
    fn ignores_containers_that_are_not_ours() {
        assert_eq!(Owner::from_labels(&HashMap::new()), None);
    }
}
