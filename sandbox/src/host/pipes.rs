//! The streams of a process on this machine, read as they come so that the process never waits for a reader.

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::Child;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

use crate::Job;
use crate::capture::{Capture, Stream};

/// How long a stream may be quiet, and how long it is read at all, after the program has ended: a child in the
/// background may hold it open.
const QUIET: Duration = Duration::from_millis(150);
const LONGEST_DRAIN: Duration = Duration::from_secs(2);

/// Both output streams of a process, with what arrived so far.
pub(super) struct Pipes {
    pub(super) capture: Capture,
    chunks: mpsc::Receiver<(Stream, Vec<u8>)>,
    _tasks: Vec<AbortOnDropHandle<()>>,
}

impl Pipes {
    pub(super) fn take(child: &mut Child, job: &Job) -> Self {
        // Bounded, so that a program that writes faster than it is read waits instead of filling memory.
        let (sender, chunks) = mpsc::channel(16);
        let mut tasks = Vec::new();
        if let Some(mut pipe) = child.stdin.take() {
            let stdin = job.stdin.clone();
            tasks.push(tokio::spawn(async move {
                // A program may end without reading; that is no failure.
                pipe.write_all(&stdin).await.ok();
            }));
        }
        tasks
            .extend(child.stdout.take().map(|pipe| tokio::spawn(read(pipe, Stream::Stdout, sender.clone()))));
        tasks.extend(child.stderr.take().map(|pipe| tokio::spawn(read(pipe, Stream::Stderr, sender))));
        let capture = Capture::new(&job.limits);
        Self { capture, chunks, _tasks: tasks.into_iter().map(AbortOnDropHandle::new).collect() }
    }

    /// Takes the next bytes that arrive; waits for ever once both streams have ended.
    pub(super) async fn read_some(&mut self) {
        match self.chunks.recv().await {
            Some((stream, bytes)) => self.capture.push(stream, &bytes),
            None => std::future::pending().await,
        }
    }

    /// Reads what is still on its way after the program has ended, but waits for no child that goes on writing.
    pub(super) async fn drain(&mut self) {
        let read = async {
            while let Ok(Some((stream, bytes))) = timeout(QUIET, self.chunks.recv()).await {
                self.capture.push(stream, &bytes);
            }
        };
        timeout(LONGEST_DRAIN, read).await.ok();
    }
}

async fn read(mut pipe: impl AsyncRead + Unpin, stream: Stream, sender: mpsc::Sender<(Stream, Vec<u8>)>) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(count @ 1..) = pipe.read(&mut buffer).await {
        if sender.send((stream, buffer[..count].to_vec())).await.is_err() {
            return;
        }
    }
}
