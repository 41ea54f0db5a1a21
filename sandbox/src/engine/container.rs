//! The life of one container: made, held open by a stream, removed. If this process dies, the stream ends, the
//! keeper reads the end of its input, and the engine removes the container by itself.

use std::time::Duration;

use bollard::query_parameters::{
    AttachContainerOptionsBuilder, CreateContainerOptionsBuilder, InspectContainerOptions,
    RemoveContainerOptionsBuilder, StartContainerOptions,
};
use tokio_util::task::AbortOnDropHandle;
use uuid::Uuid;

use super::Engine;
use super::call::{ask, refused_with};
use super::local::LocalView;
use super::plan::{Shape, container_for};
use crate::{Error, Result};

/// How often a removal that is under way is looked at again.
const REMOVAL_PAUSE: Duration = Duration::from_millis(20);
const REMOVAL_LOOKS: usize = 500;

/// A running container that waits for its job.
#[derive(Debug)]
pub(super) struct Container {
    /// Chosen here and not by the engine, so that the container can be removed even if its creation was not
    /// confirmed.
    pub(super) name: String,
    /// Where it is seen from outside, if it is on this machine.
    pub(super) local: Option<LocalView>,
    /// Holds the stream open that keeps the container alive; dropping it ends the container.
    _lifeline: AbortOnDropHandle<()>,
}

impl Container {
    /// Makes and starts a container; leaves none behind if that fails.
    pub(super) async fn start(engine: &Engine, shape: &Shape) -> Result<Self> {
        let name = format!("repolab-{}", Uuid::new_v4().simple());
        match start_named(engine, shape, &name).await {
            Ok((lifeline, local)) => Ok(Self { name, local, _lifeline: lifeline }),
            Err(error) => {
                // The first error is the one that explains; a second from here would only hide it.
                remove(engine, &name).await.ok();
                Err(error)
            }
        }
    }
}

type Started = (AbortOnDropHandle<()>, Option<LocalView>);

async fn start_named(engine: &Engine, shape: &Shape, name: &str) -> Result<Started> {
    let docker = &engine.docker;
    let named = CreateContainerOptionsBuilder::new().name(name).build();
    let created = docker.create_container(Some(named), container_for(shape));
    let id = ask("create a container", created).await?.id;
    // Attached before the start, so that no moment is left in which the container lives on its own.
    let stdin_only = AttachContainerOptionsBuilder::new().stdin(true).stream(true).build();
    let attached = ask("attach to a container", docker.attach_container(name, Some(stdin_only))).await?;
    let lifeline = AbortOnDropHandle::new(tokio::spawn(async move {
        let _held = attached;
        std::future::pending::<()>().await;
    }));
    ask("start a container", docker.start_container(name, None::<StartContainerOptions>)).await?;
    let found =
        ask("inspect a container", docker.inspect_container(name, None::<InspectContainerOptions>)).await;
    let pid = found.ok().and_then(|found| found.state).and_then(|state| state.pid);
    Ok((lifeline, pid.and_then(|pid| LocalView::of(pid, &id))))
}

/// Whether the container still runs; an error means that the engine cannot tell.
pub(super) async fn is_running(engine: &Engine, name: &str) -> Result<bool> {
    let call = engine.docker.inspect_container(name, None::<InspectContainerOptions>);
    match ask("inspect a container", call).await {
        Ok(found) => Ok(found.state.and_then(|state| state.running).unwrap_or(false)),
        Err(error) if refused_with(&error) == Some(404) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Ends and removes a container, and returns when it is gone.
pub(super) async fn remove(engine: &Engine, name: &str) -> Result<()> {
    let options = RemoveContainerOptionsBuilder::new().force(true).v(true).build();
    let removed = ask("remove a container", engine.docker.remove_container(name, Some(options))).await;
    match removed {
        Err(error) if refused_with(&error) == Some(404) => Ok(()),
        // The engine is removing it already, because the keeper has ended.
        Err(error) if refused_with(&error) == Some(409) => wait_until_gone(engine, name).await,
        other => other,
    }
}

async fn wait_until_gone(engine: &Engine, name: &str) -> Result<()> {
    for _ in 0..REMOVAL_LOOKS {
        let call = engine.docker.inspect_container(name, None::<InspectContainerOptions>);
        match ask("remove a container", call).await {
            Err(error) if refused_with(&error) == Some(404) => return Ok(()),
            Err(error) => return Err(error),
            Ok(_) => tokio::time::sleep(REMOVAL_PAUSE).await,
        }
    }
    Err(Error::EngineSilent {
        attempt: "remove a container",
        limit: REMOVAL_PAUSE * u32::try_from(REMOVAL_LOOKS).unwrap_or(u32::MAX),
    })
}
