//! Containers whose owner died before it could remove them. The lifeline ends running ones by itself; what is
//! left is a container made but not yet started, or one that outlived a crash of the engine.

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use bollard::models::{ContainerSummary, ContainerSummaryStateEnum};
use bollard::query_parameters::ListContainersOptionsBuilder;

use super::Engine;
use super::call::ask;
use super::container::remove;
use super::plan::STARTED_LABEL;
use crate::Result;
use crate::owner::{Life, OWNER_LABEL, Owner};

/// How long a stopped container of another machine or an earlier boot is left alone, because its owner cannot
/// be looked at from here.
const ELSEWHERE_AGE: Duration = Duration::from_secs(24 * 60 * 60);

impl Engine {
    /// Removes the containers of this product whose owner is gone, and returns their names.
    ///
    /// Containers of living processes are left alone, and so are those of other machines that run.
    pub async fn reap_orphans(&self) -> Result<Vec<String>> {
        let ours = HashMap::from([("label", vec![OWNER_LABEL])]);
        let options = ListContainersOptionsBuilder::new().all(true).filters(&ours).build();
        let found = ask("list containers", self.docker.list_containers(Some(options))).await?;
        let mut removed = Vec::new();
        for container in found.iter().filter(|container| is_orphan(container)) {
            let Some(id) = &container.id else { continue };
            remove(self, id).await?;
            removed.push(name_of(container).unwrap_or(id).to_owned());
        }
        Ok(removed)
    }
}

fn is_orphan(container: &ContainerSummary) -> bool {
    let Some(labels) = &container.labels else { return false };
    match Owner::from_labels(labels).map(|owner| owner.life()) {
        Some(Life::Dead) => true,
        Some(Life::Elsewhere) => {
            container.state != Some(ContainerSummaryStateEnum::RUNNING)
                && age(labels).is_some_and(|age| age > ELSEWHERE_AGE)
        }
        Some(Life::Alive) | None => false,
    }
}

fn age(labels: &HashMap<String, String>) -> Option<Duration> {
    let started = Duration::from_secs(labels.get(STARTED_LABEL)?.parse().ok()?);
    SystemTime::UNIX_EPOCH.elapsed().ok()?.checked_sub(started)
}

fn name_of(container: &ContainerSummary) -> Option<&str> {
    Some(container.names.as_ref()?.first()?.trim_start_matches('/'))
}
