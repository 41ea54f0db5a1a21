//! Following a job until something ends it: itself, a limit, the caller, or the engine's death. An output stream
//! that ended proves nothing, so the engine is always asked whether the program has ended, too.

use std::time::Duration;

use futures_util::StreamExt;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use super::Engine;
use super::counters::Counters;
use super::exec::{Ended, Exec, ended, push};
use super::local::{Children, LocalView};
use crate::capture::Capture;
use crate::disk::{self, DiskWatch};
use crate::{Error, Result};

/// How often a program whose streams are open is asked about: a child in the background may hold them open
/// long after the program has ended.
const FIRST_LOOK: Duration = Duration::from_millis(20);
const SLOWEST_LOOK: Duration = Duration::from_millis(250);

/// How often after its streams have closed, which usually means that it ends this moment.
const CLOSING_LOOK: Duration = Duration::from_millis(1);
const SLOWEST_CLOSING_LOOK: Duration = Duration::from_millis(50);

/// Looks that may fail in a row before the engine counts as gone.
const FAILURES: usize = 3;

/// How long the streams may be quiet after the program has ended while a child of it may hold them open. Under
/// load the engine delivers the last words of a program late, and they must not be lost.
const QUIET: Duration = Duration::from_millis(500);
/// How long if no child is left, so that the streams are sure to close.
const QUIET_WITHOUT_CHILDREN: Duration = Duration::from_secs(10);
/// How long children may go on writing.
const LONGEST_DRAIN: Duration = Duration::from_secs(2);

/// What ended the following.
#[derive(Debug)]
pub(super) enum Stop {
    Ended(Ended),
    TimedOut,
    Cancelled,
    OutputCapped,
    DiskFull,
    Lost(Error),
}

/// What the program may still have, and what is watched about it.
pub(super) struct Watched<'a> {
    pub(super) deadline: Instant,
    pub(super) cancel: &'a CancellationToken,
    pub(super) disk: Option<&'a mut DiskWatch>,
    pub(super) local: Option<&'a LocalView>,
    pub(super) counters: &'a mut Counters,
}

/// Reads the output and waits for the first reason to stop.
pub(super) async fn follow(
    engine: &Engine,
    exec: &mut Exec,
    capture: &mut Capture,
    watched: Watched<'_>,
) -> Stop {
    let Watched { deadline, cancel, mut disk, local, counters } = watched;
    let streams_closed = Notify::new();
    let id = exec.id.clone();
    let program = wait_until_ended(engine, &id, &streams_closed, || {
        counters.update(local.map(LocalView::counters).unwrap_or_default());
    });
    let timer = tokio::time::sleep_until(deadline);
    tokio::pin!(program, timer);
    let mut open = true;
    loop {
        tokio::select! {
            biased;
            () = cancel.cancelled() => return Stop::Cancelled,
            ended = &mut program => return ended.map_or_else(Stop::Lost, Stop::Ended),
            () = &mut timer => return Stop::TimedOut,
            () = disk::wait_until_full(disk.as_deref_mut()) => return Stop::DiskFull,
            frame = exec.frames.next(), if open => if let Some(Ok(frame)) = frame {
                push(capture, &frame);
            } else {
                open = false;
                streams_closed.notify_one();
            },
        }
        if capture.is_over_ceiling() {
            return Stop::OutputCapped;
        }
    }
}

/// Reads on while `ending` the program: an engine that cannot deliver output neither starts nor ends a process.
pub(super) async fn read_while<T>(
    exec: &mut Exec,
    capture: &mut Capture,
    ending: impl Future<Output = T>,
) -> T {
    tokio::pin!(ending);
    loop {
        tokio::select! {
            biased;
            ended = &mut ending => return ended,
            frame = exec.frames.next() => match frame {
                Some(Ok(frame)) => push(capture, &frame),
                Some(Err(_)) | None => return ending.await,
            },
        }
    }
}

/// Whether a job's output streams have come to their end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drained {
    Whole,
    /// A child in the background holds them open.
    HeldOpen,
}

/// Reads what is still on its way after the program has ended, but waits for no child that goes on writing.
pub(super) async fn drain(exec: &mut Exec, capture: &mut Capture, children: Children) -> Drained {
    let (quiet, longest) = match children {
        Children::None => (QUIET_WITHOUT_CHILDREN, QUIET_WITHOUT_CHILDREN * 2),
        Children::Possible => (QUIET, LONGEST_DRAIN),
    };
    let read = async {
        loop {
            match timeout(quiet, exec.frames.next()).await {
                Ok(Some(Ok(frame))) => push(capture, &frame),
                Ok(Some(Err(_)) | None) => return Drained::Whole,
                Err(_) => return Drained::HeldOpen,
            }
        }
    };
    timeout(longest, read).await.unwrap_or(Drained::HeldOpen)
}

async fn wait_until_ended(
    engine: &Engine,
    id: &str,
    streams_closed: &Notify,
    mut at_each_look: impl FnMut(),
) -> Result<Ended> {
    let (mut pause, mut slowest, mut closing, mut failures) = (FIRST_LOOK, SLOWEST_LOOK, false, 0);
    loop {
        tokio::select! {
            () = tokio::time::sleep(pause) => pause = (pause * 2).min(slowest),
            () = streams_closed.notified() => {
                (pause, slowest, closing) = (CLOSING_LOOK, SLOWEST_CLOSING_LOOK, true);
            }
        }
        at_each_look();
        match ended(engine, id).await {
            Ok(Some(ended)) => return Ok(ended),
            Ok(None) => failures = 0,
            // While output still arrives, the engine lives, and a look that failed may be repeated.
            Err(error) => {
                failures += usize::from(closing);
                if failures >= FAILURES {
                    return Err(error);
                }
            }
        }
    }
}
