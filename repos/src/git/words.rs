//! What git writes to standard error: progress for people, and the reason of a failure.
//! Git has one exit code for everything, so its words are the only way to tell a dead network from a lost commit;
//! they are read with `LC_ALL=C`, and a reason that is not recognized is still shown.

use std::collections::VecDeque;

/// The last lines that git wrote before it failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("git says: {0}")]
pub struct LastWords(String);

/// Lines that are kept; the reason is among the last.
const LINES: usize = 6;
/// Characters of a line that are kept; a server may send anything.
const LINE_CHARACTERS: usize = 300;

/// Why a fetch failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FetchFailure {
    Unreachable,
    NoAccess,
    NoSuchCommit,
    /// The server only hands out the tips of branches and tags.
    HashRefused,
    Incomplete,
    Other,
}

/// Parts of git's texts that tell a failure; the first match counts, so the narrow ones come first.
const SIGNS: &[(&str, FetchFailure)] = &[
    ("unadvertised object", FetchFailure::HashRefused),
    ("not our ref", FetchFailure::NoSuchCommit),
    ("couldn't find remote ref", FetchFailure::NoSuchCommit),
    ("missing blob object", FetchFailure::Incomplete),
    ("missing tree object", FetchFailure::Incomplete),
    ("unable to read", FetchFailure::Incomplete),
    ("could not fetch", FetchFailure::Incomplete),
    ("did not send all necessary objects", FetchFailure::Incomplete),
    ("pack-objects died", FetchFailure::Incomplete),
    ("missing necessary objects", FetchFailure::Incomplete),
    ("could not read Username", FetchFailure::NoAccess),
    ("could not read Password", FetchFailure::NoAccess),
    ("terminal prompts disabled", FetchFailure::NoAccess),
    ("Authentication failed", FetchFailure::NoAccess),
    ("Permission denied", FetchFailure::NoAccess),
    ("not found", FetchFailure::NoAccess),
    ("returned error: 4", FetchFailure::NoAccess),
    ("does not appear to be a git repository", FetchFailure::NoAccess),
    ("does not exist", FetchFailure::NoAccess),
    ("Could not resolve", FetchFailure::Unreachable),
    ("Failed to connect", FetchFailure::Unreachable),
    ("Could not connect", FetchFailure::Unreachable),
    ("Connection refused", FetchFailure::Unreachable),
    ("Connection timed out", FetchFailure::Unreachable),
    ("Connection reset", FetchFailure::Unreachable),
    ("Connection closed", FetchFailure::Unreachable),
    ("Empty reply from server", FetchFailure::Unreachable),
    ("Network is unreachable", FetchFailure::Unreachable),
    ("No route to host", FetchFailure::Unreachable),
    ("Operation too slow", FetchFailure::Unreachable),
    ("unable to access", FetchFailure::Unreachable),
];

impl LastWords {
    /// Which kind of failure the words tell.
    pub(crate) fn fetch_failure(&self) -> FetchFailure {
        let sign = SIGNS.iter().find(|(sign, _)| self.0.contains(sign));
        sign.map_or(FetchFailure::Other, |(_, failure)| *failure)
    }
}

/// Collects lines of standard error.
#[derive(Debug, Default)]
pub(crate) struct Listener {
    lines: VecDeque<String>,
}

impl Listener {
    /// Takes one line; its percentage when it tells how much of the objects has arrived.
    pub(crate) fn hear(&mut self, line: &str) -> Option<u8> {
        let line = line.trim();
        if let Some((what, percent)) = progress(line) {
            return (what == "Receiving objects").then_some(percent);
        }
        let shown: String = line.chars().filter(|one| !one.is_control()).take(LINE_CHARACTERS).collect();
        if !shown.is_empty() {
            self.lines.push_back(shown);
        }
        if self.lines.len() > LINES {
            self.lines.pop_front();
        }
        None
    }

    /// What was heard last, on one line.
    pub(crate) fn last_words(self) -> LastWords {
        let lines: Vec<String> = self.lines.into();
        LastWords(if lines.is_empty() { "nothing".to_owned() } else { lines.join("; ") })
    }
}

/// `Receiving objects:  42% (1/2)` as what and how much.
fn progress(line: &str) -> Option<(&str, u8)> {
    let (what, rest) = line.rsplit_once(": ")?;
    let (percent, _) = rest.trim_start().split_once("% (")?;
    Some((what, percent.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_percentage_of_received_objects_only() {
        let mut listener = Listener::default();
        for (line, percent) in [
            ("Receiving objects:  42% (42/100), 1.10 MiB | 2.00 MiB/s", Some(42)),
            ("Receiving objects: 100% (100/100), done.", Some(100)),
            ("Resolving deltas:  10% (1/10)", None),
            ("remote: Compressing objects:   3% (1/33)", None),
            ("From https://github.com/dmlc/dgl", None),
        ] {
            assert_eq!(listener.hear(line), percent, "{line}");
        }
        assert_eq!(listener.last_words().to_string(), "git says: From https://github.com/dmlc/dgl");
    }

    #[test]
    fn keeps_the_end_and_no_control_characters() {
        let mut listener = Listener::default();
        for number in 0..20 {
            listener.hear(&format!("remote: \u{1b}]0;x\u{7}line {number}"));
        }
        listener.hear(&"x".repeat(1 << 20));
        let words = listener.last_words().to_string();
        assert!(
            words.contains("line 19") && !words.contains("line 9") && !words.contains('\u{1b}'),
            "{words}"
        );
        assert!(words.len() < LINES * LINE_CHARACTERS);
    }

    #[test]
    fn tells_failures_apart() {
        for (line, failure) in [
            ("fatal: unable to access 'https://x/': Could not resolve host: x", FetchFailure::Unreachable),
            (
                "fatal: unable to access 'http://127.0.0.1:1/': Failed to connect to 127.0.0.1 port 1",
                FetchFailure::Unreachable,
            ),
            ("fatal: remote error: upload-pack: not our ref 1111", FetchFailure::NoSuchCommit),
            ("error: Server does not allow request for unadvertised object 1111", FetchFailure::HashRefused),
            (
                "fatal: could not read Username for 'https://github.com': terminal prompts disabled",
                FetchFailure::NoAccess,
            ),
            ("fatal: repository 'https://github.com/a/b/' not found", FetchFailure::NoAccess),
            ("fatal: something new", FetchFailure::Other),
        ] {
            let mut listener = Listener::default();
            listener.hear(line);
            assert_eq!(listener.last_words().fetch_failure(), failure, "{line}");
        }
    }
}
