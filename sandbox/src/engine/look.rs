//! The last look at a job's container before it goes: what the kernel counted, and how full its memory folder is.

use std::time::Duration;

use bollard::models::ContainerUpdateBody;

use super::call::ask;
use super::container::Container;
use super::counters::{PROBE, parse_probe};
use super::exec::run_small;
use super::follow::{Drained, Stop};
use super::local::LocalView;
use super::run::{Flow, Followed};
use crate::verdict::TemporaryFolder;

/// A look from inside takes 50 ms on an idle machine.
const PROBE_LIMIT: Duration = Duration::from_secs(10);

/// What a look from inside takes: the engine's runtime alone has about ten threads.
const PROBE_PROCESSES: i64 = 32;

impl Flow {
    /// Reads the counters a last time, from outside where possible.
    pub(super) async fn look(
        &self,
        container: &Container,
        followed: &mut Followed,
        drained: Drained,
    ) -> TemporaryFolder {
        let local = container.local.as_ref();
        followed.counters.update(local.map(LocalView::counters).unwrap_or_default());
        if !matches!(followed.stop, Stop::Ended(ended) if ended.started && ended.code != 0) {
            return TemporaryFolder::Spacious;
        }
        match (local.and_then(LocalView::temporary_folder), local, drained) {
            (Some(found), _, _) => found,
            // While a stream is held open, the engine starts nothing for four seconds; the counters are known.
            (None, Some(_), Drained::HeldOpen) => TemporaryFolder::Spacious,
            (None, _, _) => self.look_inside(container, followed).await,
        }
    }

    async fn look_inside(&self, container: &Container, followed: &mut Followed) -> TemporaryFolder {
        let mut printed = self.probe(container).await;
        if printed.is_empty() {
            // Children in the background may have left no process for the probe.
            self.make_room(container).await;
            printed = self.probe(container).await;
        }
        let probed = parse_probe(&printed);
        followed.counters.update(probed.counters);
        probed.temporary
    }

    /// What the probe printed; nothing if it could not run.
    async fn probe(&self, container: &Container) -> String {
        let probe = run_small(&self.engine, &container.name, self.user, PROBE);
        match tokio::time::timeout(PROBE_LIMIT, probe).await {
            Ok(Ok((0, printed))) => printed,
            _ => String::new(),
        }
    }

    /// Raises the limit on processes by a few, now that the program itself has ended.
    async fn make_room(&self, container: &Container) {
        let limit = i64::from(self.job.limits.processes) + PROBE_PROCESSES;
        let body = ContainerUpdateBody { pids_limit: Some(limit), ..ContainerUpdateBody::default() };
        let update = self.engine.docker.update_container(&container.name, body);
        // Without room the probe fails again, and the counters stay unknown.
        ask("change a container's limits", update).await.ok();
    }
}
