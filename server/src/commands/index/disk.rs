//! Hears from the kernel which repositories change. Where the kernel has no room left for so many folders, it asks
//! every few seconds instead: an update that finds nothing changed costs a listing.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use ::repos::Checkout;
use anyhow::{Context, Result};
use notify::{Config, ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::commands::{runtime, told_to_end};
use crate::printer::Printer;

// An editor saves in several steps, a switch of branches in thousands; both are over when nothing follows for so long.
const QUIET: Duration = Duration::from_millis(200);
// Something that never stops writing must not keep everything else from being indexed.
const LONGEST_BURST: Duration = Duration::from_secs(2);
const POLL_EVERY: Duration = Duration::from_secs(2);

/// What comes from other threads.
enum Message {
    Disk(notify::Result<Event>),
    Stop,
}

/// The folders of repositories, being watched.
pub(super) struct Disk {
    messages: Receiver<Message>,
    watcher: RecommendedWatcher,
    folders: Vec<PathBuf>,
    /// The numbers of the repositories that must be asked.
    polled: BTreeSet<usize>,
    printer: Printer,
}

impl Disk {
    /// Watches the folders of `checkouts` until the process is told to end.
    pub(super) fn watch(checkouts: &[Checkout], printer: Printer) -> Result<Self> {
        let (sender, messages) = mpsc::channel();
        stop_on_signal(sender.clone())?;
        let heard = move |event| drop(sender.send(Message::Disk(event)));
        let config = Config::default().with_follow_symlinks(false);
        let watcher = RecommendedWatcher::new(heard, config).context("could not watch the disk")?;
        let folders = checkouts.iter().map(|checkout| checkout.folder.clone()).collect();
        let mut disk = Self { messages, watcher, folders, polled: BTreeSet::new(), printer };
        for number in 0..disk.folders.len() {
            disk.add(number)?;
        }
        Ok(disk)
    }

    /// The numbers of the repositories that may have changed, once they stay as they are; nothing when it is time to
    /// end.
    pub(super) fn next(&mut self) -> Option<BTreeSet<usize>> {
        let mut changed = BTreeSet::new();
        while changed.is_empty() {
            match self.receive(if self.polled.is_empty() { Duration::MAX } else { POLL_EVERY }) {
                Ok(message) => self.note(message, &mut changed)?,
                Err(RecvTimeoutError::Timeout) => changed.clone_from(&self.polled),
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
        let started = Instant::now();
        while started.elapsed() < LONGEST_BURST {
            let Ok(message) = self.receive(QUIET) else { break };
            self.note(message, &mut changed)?;
        }
        Some(changed)
    }

    fn add(&mut self, number: usize) -> Result<()> {
        match self.watcher.watch(&self.folders[number], RecursiveMode::Recursive) {
            Ok(()) => Ok(()),
            Err(error) if matches!(error.kind, ErrorKind::MaxFilesWatch) => {
                self.poll(number);
                Ok(())
            }
            Err(error) => {
                Err(error).with_context(|| format!("could not watch {}", self.folders[number].display()))
            }
        }
    }

    fn poll(&mut self, number: usize) {
        if self.polled.insert(number) {
            self.printer.notice(&format!(
                "{} is looked at every {} s: the kernel watches no more folders (fs.inotify.max_user_watches)",
                self.folders[number].display(),
                POLL_EVERY.as_secs()
            ));
        }
    }

    fn receive(&self, patience: Duration) -> Result<Message, RecvTimeoutError> {
        self.messages.recv_timeout(patience)
    }

    /// Adds the repositories that a message speaks of; nothing when it says to end.
    fn note(&mut self, message: Message, changed: &mut BTreeSet<usize>) -> Option<()> {
        match message {
            Message::Stop => return None,
            Message::Disk(Ok(event)) if event.need_rescan() => changed.extend(0..self.folders.len()),
            // Reading is no change, and an update reads.
            Message::Disk(Ok(event)) if matches!(event.kind, EventKind::Access(_)) => {}
            Message::Disk(Ok(event)) => {
                changed.extend(event.paths.iter().filter_map(|path| changed_repository(&self.folders, path)));
            }
            Message::Disk(Err(error)) => {
                let is_full = matches!(error.kind, ErrorKind::MaxFilesWatch);
                for number in 0..self.folders.len() {
                    let folder = &self.folders[number];
                    if error.paths.is_empty() || error.paths.iter().any(|path| path.starts_with(folder)) {
                        changed.insert(number);
                        if is_full {
                            self.poll(number);
                        }
                    }
                }
            }
        }
        Some(())
    }
}

/// The repository whose files, or whose commit, a change of `path` may change.
fn changed_repository(folders: &[PathBuf], path: &Path) -> Option<usize> {
    let within =
        |(number, folder): (usize, &PathBuf)| Some((number, path.strip_prefix(folder).ok()?.to_owned()));
    let (number, path) = folders.iter().enumerate().find_map(within)?;
    let is_git = |part: Component<'_>| part.as_os_str().eq_ignore_ascii_case(".git");
    (!path.components().any(is_git) || path == Path::new(".git/HEAD")).then_some(number)
}

fn stop_on_signal(sender: Sender<Message>) -> Result<()> {
    let runtime = runtime()?;
    std::thread::spawn(move || {
        runtime.block_on(told_to_end());
        let _ = sender.send(Message::Stop);
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_gits_own_files_only_the_head_counts() {
        let folders = ["/a/one", "/a/two"].map(PathBuf::from);
        for (path, expected) in [
            ("/a/one/x.py", Some(0)),
            ("/a/two/deep/er/x.py", Some(1)),
            ("/a/two", Some(1)),
            ("/a/one/.git/HEAD", Some(0)),
            ("/a/one/.git/index.lock", None),
            ("/a/one/.git/objects/ab/cdef", None),
            ("/a/one/module/.git/HEAD", None),
            ("/a/three/x.py", None),
        ] {
            assert_eq!(changed_repository(&folders, Path::new(path)), expected, "{path}");
        }
    }
}
