//! Ending a job's whole process tree, children in sessions of their own included. No single way works always:
//! a signal to everything reaches what the engine cannot name, but needs a free process slot, which a fork bomb
//! takes; killing the container needs none, but takes its counters along.

use std::time::Duration;

use bollard::query_parameters::KillContainerOptionsBuilder;

use super::Engine;
use super::call::{ask, refused_with};
use super::exec::run_small;
use crate::Result;
use crate::user::User;

/// A signal takes 50 ms on an idle machine; beyond this the harder way is quicker.
const SIGNAL_LIMIT: Duration = Duration::from_secs(3);

/// Kills every process of `user` in the container, or else the container.
pub(super) async fn end_payload(engine: &Engine, container: &str, user: User) -> Result<()> {
    // The keeper belongs to root, so root's processes cannot be signalled apart from it.
    if user.uid != 0 {
        let signal = run_small(engine, container, user, "kill -9 -1");
        if let Ok(Ok((0, _))) = tokio::time::timeout(SIGNAL_LIMIT, signal).await {
            return Ok(());
        }
    }
    let options = KillContainerOptionsBuilder::new().signal("KILL").build();
    match ask("kill a container", engine.docker.kill_container(container, Some(options))).await {
        // It has ended by itself meanwhile.
        Err(error) if matches!(refused_with(&error), Some(404 | 409)) => Ok(()),
        other => other,
    }
}
