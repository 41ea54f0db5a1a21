//! What a job's writable folders occupy on disk, measured again and again while it runs. A quota would be
//! exact, but ext4 without project quotas has none; one file's size is bounded exactly by `RLIMIT_FSIZE`.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;
use walkdir::WalkDir;

use crate::{Access, Job};

/// How long a writer may go unwatched; a disk that writes 1 GB/s overshoots by a quarter of that.
const INTERVAL: Duration = Duration::from_millis(250);

/// A walk may take at most this share of the time, as 1 in N, so that a large tree does not cost a core.
const IDLE_PER_WALK: u32 = 10;

/// Trees beyond these bounds cannot be measured in bounded time and count as over every limit.
const DEEPEST: usize = 512;
const MOST_ENTRIES: u64 = 2_000_000;

/// What an entry costs besides its blocks, so that a flood of empty files ends, too: ext4 has one inode for each
/// 16 KiB of disk (the default of `mke2fs -i`), so an entry takes the room of its inode's share.
const BYTES_PER_ENTRY: u64 = 16 << 10;

/// Measures the writable folders of one job until dropped.
#[derive(Debug)]
pub(crate) struct DiskWatch {
    written: watch::Receiver<u64>,
    limit: u64,
    folders: Vec<PathBuf>,
    before: u64,
    _task: AbortOnDropHandle<()>,
}

impl DiskWatch {
    /// Measures once, then starts watching; none for a job that can write nowhere.
    pub(crate) async fn start(job: &Job) -> Option<Self> {
        let folders = writable_folders(job);
        if folders.is_empty() {
            return None;
        }
        let (before, cost) = measure(folders.clone()).await;
        let (sender, written) = watch::channel(0);
        let watched = folders.clone();
        let task = tokio::spawn(async move {
            let mut pause = INTERVAL.max(cost * IDLE_PER_WALK);
            loop {
                tokio::time::sleep(pause).await;
                let (now, cost) = measure(watched.clone()).await;
                pause = INTERVAL.max(cost * IDLE_PER_WALK);
                // What was written and removed again has still been written.
                sender.send_modify(|most| *most = now.saturating_sub(before).max(*most));
            }
        });
        let limit = job.limits.disk_bytes;
        Some(Self { written, limit, folders, before, _task: AbortOnDropHandle::new(task) })
    }

    /// Returns when more than the limit has been written, and never otherwise.
    pub(crate) async fn wait_until_full(&mut self) {
        let limit = self.limit;
        if self.written.wait_for(|written| *written > limit).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Measures a last time; returns the most that was ever seen.
    pub(crate) async fn finish(self) -> u64 {
        let (now, _) = measure(self.folders.clone()).await;
        now.saturating_sub(self.before).max(*self.written.borrow())
    }
}

/// [`DiskWatch::wait_until_full`] of a watch that may not exist.
pub(crate) async fn wait_until_full(watch: Option<&mut DiskWatch>) {
    match watch {
        Some(watch) => watch.wait_until_full().await,
        None => std::future::pending().await,
    }
}

/// [`DiskWatch::finish`] of a watch that may not exist.
pub(crate) async fn finish(watch: Option<DiskWatch>) -> Option<u64> {
    match watch {
        Some(watch) => Some(watch.finish().await),
        None => None,
    }
}

fn writable_folders(job: &Job) -> Vec<PathBuf> {
    job.mounts
        .iter()
        .filter(|mount| mount.access == Access::ReadWrite)
        .map(|mount| mount.source.clone())
        .collect()
}

async fn measure(folders: Vec<PathBuf>) -> (u64, Duration) {
    let started = Instant::now();
    let walk = move || folders.iter().map(|folder| occupied_bytes(folder)).fold(0, u64::saturating_add);
    let bytes = tokio::task::spawn_blocking(walk).await.unwrap_or(0);
    (bytes, started.elapsed())
}

/// The blocks of everything beneath `folder`; holes of sparse files are free, links are not followed.
pub(crate) fn occupied_bytes(folder: &Path) -> u64 {
    let mut bytes = 0_u64;
    let mut entries = 0_u64;
    for entry in WalkDir::new(folder).max_depth(DEEPEST) {
        entries += 1;
        // Entries that vanish between listing and asking are the normal case under a running job.
        let Ok(entry) = entry else { continue };
        if entry.depth() == DEEPEST || entries > MOST_ENTRIES {
            return u64::MAX;
        }
        let blocks = entry.metadata().map_or(0, |metadata| metadata.blocks() * 512);
        bytes = bytes.saturating_add(blocks + BYTES_PER_ENTRY);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_blocks_and_entries_but_not_holes_or_links() {
        let folder = tempfile::tempdir().unwrap();
        let empty = occupied_bytes(folder.path());
        fs_err::write(folder.path().join("full"), vec![1; 1 << 20]).unwrap();
        fs_err::File::create(folder.path().join("sparse")).unwrap().set_len(1 << 40).unwrap();
        std::os::unix::fs::symlink("/usr", folder.path().join("link")).unwrap();
        let grown = occupied_bytes(folder.path()) - empty;
        assert!((1 << 20..(1 << 20) + 65_536).contains(&grown), "{grown}");
    }

    #[test]
    fn gives_up_on_a_tree_without_end() {
        let folder = tempfile::tempdir().unwrap();
        let mut deep = folder.path().to_owned();
        for _ in 0..DEEPEST {
            deep.push("d");
            fs_err::create_dir(&deep).unwrap();
        }
        assert_eq!(occupied_bytes(folder.path()), u64::MAX);
    }
}
