//! Containers started ahead, so that a job whose like has just run starts at once: an agent calls again and again
//! in one workspace. Each is used by one job only, so that no job finds what another left.

use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::Mutex;

use super::Engine;
use super::container::{self, Container};
use super::plan::Shape;

/// How long a spare waits; an agent that thinks longer than this can bear a start of a fifth of a second.
const PATIENCE: Duration = Duration::from_secs(300);

/// The containers that stand ready or will.
#[derive(Debug)]
pub(super) struct Spares {
    most: usize,
    pool: Mutex<Pool>,
}

#[derive(Debug, Default)]
struct Pool {
    /// Oldest first.
    ready: Vec<(Shape, Container)>,
    coming: Vec<Shape>,
}

impl Engine {
    /// Keeps up to `most` containers ready for jobs like those that ran last.
    ///
    /// A spare is made in the background after a job, waits for at most five minutes, and ends with this value.
    #[must_use]
    pub fn with_spares(mut self, most: usize) -> Self {
        self.spares = (most > 0).then(|| Arc::new(Spares { most, pool: Mutex::default() }));
        self
    }

    /// Removes the spares that see `folder`, because nothing will run there any more.
    pub async fn remove_spares_of(&self, folder: &Path) {
        let Some(spares) = &self.spares else { return };
        let mut pool = spares.pool.lock().await;
        let unused = pool.ready.extract_if(.., |(shape, _)| shape.mounts_from(folder));
        let unused = unused.map(|(_, container)| container).collect();
        drop(pool);
        remove_all(self, unused).await;
    }

    pub(super) async fn take_spare(&self, shape: &Shape) -> Option<Container> {
        let ready = &mut self.spares.as_ref()?.pool.lock().await.ready;
        let place = ready.iter().position(|(other, _)| other == shape)?;
        Some(ready.remove(place).1)
    }

    /// Makes a spare in the background, unless one of its shape stands ready or is on its way.
    pub(super) fn prepare_spare(&self, shape: Shape) {
        let Some(spares) = &self.spares else { return };
        // Weak, so that spares end with the caller's engine and not with the last of these tasks.
        let spares = Arc::downgrade(spares);
        let engine = Self { spares: None, ..self.clone() };
        tokio::spawn(async move {
            if reserve(&spares, &shape).await.is_some() {
                keep_ready(&engine, &spares, shape).await;
            }
        });
    }
}

async fn reserve(spares: &Weak<Spares>, shape: &Shape) -> Option<()> {
    let spares = spares.upgrade()?;
    let mut pool = spares.pool.lock().await;
    let known = pool.ready.iter().map(|(other, _)| other).chain(&pool.coming).any(|other| other == shape);
    if known || pool.coming.len() >= spares.most {
        return None;
    }
    pool.coming.push(shape.clone());
    Some(())
}

async fn keep_ready(engine: &Engine, spares: &Weak<Spares>, shape: Shape) {
    let made = Container::start(engine, &shape).await;
    // A spare that cannot be made is no failure: the next job makes its own container and reports.
    let name = made.as_ref().map_or_else(|_| String::new(), |container| container.name.clone());
    let Some(surplus) = put(spares, shape, made.ok()).await else { return };
    remove_all(engine, surplus).await;
    tokio::time::sleep(PATIENCE).await;
    let Some(spares) = spares.upgrade() else { return };
    let mut pool = spares.pool.lock().await;
    let expired = pool.ready.extract_if(.., |(_, container)| container.name == name);
    let expired = expired.map(|(_, container)| container).collect();
    drop(pool);
    remove_all(engine, expired).await;
}

/// Adds a spare and returns those that there is no room for; nothing if nobody wants spares any more.
async fn put(spares: &Weak<Spares>, shape: Shape, made: Option<Container>) -> Option<Vec<Container>> {
    let spares = spares.upgrade()?;
    let mut pool = spares.pool.lock().await;
    pool.coming.retain(|other| *other != shape);
    pool.ready.extend(made.map(|container| (shape, container)));
    let surplus = pool.ready.len().saturating_sub(spares.most);
    Some(pool.ready.drain(..surplus).map(|(_, container)| container).collect())
}

async fn remove_all(engine: &Engine, containers: Vec<Container>) {
    for container in containers {
        container::remove(engine, &container.name).await.ok();
    }
}
