//! From evidence to verdict. An exit code alone is ambiguous: 137 is what a shell reports for a killed child
//! and what a program may return by itself, so a limit is named only where a counter shows it at work.

use crate::{Ending, Evidence, Limits};

/// What a shell returns for a child that `SIGXFSZ` ended; only our limit on file size sends that signal.
const FILE_SIZE_EXCEEDED: i32 = 128 + 25;

/// How the temporary folder stood when the program had ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TemporaryFolder {
    #[default]
    Spacious,
    Full,
}

/// Why a program that ended by itself with `code` ended so.
///
/// A program that returns 0 has succeeded by its own account, whatever happened to its children; the
/// counters stay in the evidence for those who are stricter. Only writing too much is never a success.
pub(crate) fn judge(code: i32, limits: &Limits, evidence: &Evidence, temporary: TemporaryFolder) -> Ending {
    let happened = |count: Option<u64>| count.is_some_and(|count| count > 0);
    let overshot = evidence.written_bytes.is_some_and(|bytes| bytes > limits.disk_bytes);
    let disk_full = evidence.written_bytes.is_some_and(|bytes| bytes >= limits.disk_bytes)
        || temporary == TemporaryFolder::Full
        || code == FILE_SIZE_EXCEEDED;
    match code {
        // Between two looks a quick program can write too much and be done.
        0 if overshot => Ending::DiskFull,
        0 => Ending::Exited { code },
        _ if happened(evidence.out_of_memory_kills) => Ending::OutOfMemory,
        _ if happened(evidence.refused_forks) => Ending::TooManyProcesses,
        _ if disk_full => Ending::DiskFull,
        _ => Ending::Exited { code },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(code: i32, change: impl FnOnce(&mut Evidence), expected: &Ending) {
        let mut evidence = Evidence {
            out_of_memory_kills: Some(0),
            refused_forks: Some(0),
            written_bytes: Some(0),
            ..Evidence::default()
        };
        change(&mut evidence);
        let found = judge(code, &Limits::default(), &evidence, TemporaryFolder::Spacious);
        assert_eq!(&found, expected);
    }

    #[test]
    fn believes_an_exit_code_that_no_counter_contradicts() {
        for code in [0, 1, 124, 137, 255] {
            check(code, |_| (), &Ending::Exited { code });
        }
    }

    #[test]
    fn names_the_limit_that_a_counter_shows() {
        check(137, |evidence| evidence.out_of_memory_kills = Some(1), &Ending::OutOfMemory);
        check(1, |evidence| evidence.out_of_memory_kills = Some(2), &Ending::OutOfMemory);
        check(2, |evidence| evidence.refused_forks = Some(9), &Ending::TooManyProcesses);
        check(1, |evidence| evidence.written_bytes = Some(2 << 30), &Ending::DiskFull);
        check(153, |_| (), &Ending::DiskFull);
    }

    #[test]
    fn takes_a_program_that_returns_zero_at_its_word() {
        check(0, |evidence| evidence.out_of_memory_kills = Some(1), &Ending::Exited { code: 0 });
        check(0, |evidence| evidence.refused_forks = Some(1), &Ending::Exited { code: 0 });
        check(0, |evidence| evidence.written_bytes = Some(2 << 30), &Ending::Exited { code: 0 });
        check(0, |evidence| evidence.written_bytes = Some((2 << 30) + 1), &Ending::DiskFull);
    }

    #[test]
    fn blames_a_full_temporary_folder_only_for_failures() {
        for (code, expected) in [(1, Ending::DiskFull), (0, Ending::Exited { code: 0 })] {
            let evidence = Evidence::default();
            assert_eq!(judge(code, &Limits::default(), &evidence, TemporaryFolder::Full), expected);
        }
    }
}
