//! Everything the tools share: the catalog, the open indexes, the sandbox and the workspaces.
//! It is cheap to clone and safe to use from many calls at once.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use indexer::IndexStore;
use repos::{Catalog, Checkout, Entry, Root};
use sandbox::{Engine, EngineOptions, Limits, Sandbox};
use tokio::sync::OnceCell;

use crate::index_states::IndexStates;
use crate::indexes::Indexes;
use crate::workspaces::{WorkspaceSettings, Workspaces};
use crate::{Error, Result};

/// What the tools work on.
#[derive(Clone)]
pub struct Toolbox {
    shared: Arc<Shared>,
}

struct Shared {
    catalog: RwLock<Arc<Catalog>>,
    indexes: Indexes,
    index_states: IndexStates,
    sandbox: OnceCell<Sandbox>,
    settings: SandboxSettings,
    workspaces: Workspaces,
}

/// How code is run.
#[derive(Clone, Debug)]
pub struct SandboxSettings {
    /// The engine's address, such as `unix:///run/user/1000/docker.sock`; the engine's own default otherwise.
    pub engine: Option<String>,
    /// The image for every repository, in place of the registry's hints.
    pub image: Option<String>,
    /// What one command may use.
    pub limits: Limits,
    /// Whether a call may ask for network access.
    pub allow_network: bool,
    /// Containers kept ready for the next call, which then answers in a third of the time.
    pub spares: usize,
    /// How workspaces are kept.
    pub workspaces: WorkspaceSettings,
}

impl Toolbox {
    /// Joins a catalog and an index store; workspaces go below `workspaces`.
    pub fn new(catalog: Catalog, store: IndexStore, workspaces: PathBuf, settings: SandboxSettings) -> Self {
        Self {
            shared: Arc::new(Shared {
                catalog: RwLock::new(Arc::new(catalog)),
                indexes: Indexes::new(store),
                index_states: IndexStates::default(),
                sandbox: OnceCell::new(),
                workspaces: Workspaces::new(workspaces, settings.workspaces.clone()),
                settings,
            }),
        }
    }

    /// Uses `sandbox` in place of connecting to a container engine on the first run.
    #[must_use]
    pub fn with_sandbox(self, sandbox: Sandbox) -> Self {
        // A second call keeps the first sandbox, which is what a shared cell can promise.
        let _ = self.shared.sandbox.set(sandbox);
        self
    }

    /// The repositories that are known now, whichever process added or removed them.
    pub fn catalog(&self) -> Arc<Catalog> {
        let known = self.shared.catalog.read().unwrap_or_else(PoisonError::into_inner).clone();
        if known.is_current() {
            return known;
        }
        match known.reopened() {
            Ok(catalog) => {
                let catalog = Arc::new(catalog);
                *self.shared.catalog.write().unwrap_or_else(PoisonError::into_inner) = catalog.clone();
                catalog
            }
            // What was known is worth more than nothing while somebody repairs the file.
            Err(error) => {
                tracing::warn!("could not read what changed in the catalog: {error}");
                known
            }
        }
    }

    /// Whether sandboxed code may reach the network when it asks to.
    pub fn allows_network(&self) -> bool {
        self.settings().allow_network
    }

    /// The open indexes.
    pub(crate) fn indexes(&self) -> &Indexes {
        &self.shared.indexes
    }

    pub(crate) fn index_states(&self) -> &IndexStates {
        &self.shared.index_states
    }

    pub(crate) fn settings(&self) -> &SandboxSettings {
        &self.shared.settings
    }

    pub(crate) fn workspaces(&self) -> &Workspaces {
        &self.shared.workspaces
    }

    /// The entry and the checkout that `name` stands for, whichever way it is spelled.
    pub(crate) fn repository(&self, name: &str) -> Result<(Entry, Checkout)> {
        let catalog = self.catalog();
        let entry = catalog.resolve(name)?.clone();
        let checkout = catalog.checkout(&entry.name)?;
        Ok((entry, checkout))
    }

    /// The folder to read from: the checkout's own, or that of a workspace.
    pub(crate) fn root(&self, checkout: &Checkout, workspace: Option<&str>) -> Result<Root> {
        match workspace {
            None => Ok(checkout.root()?),
            Some(id) => Ok(Root::open(self.workspaces().get(id, &checkout.name)?.folder())?),
        }
    }

    /// The sandbox, connected on first use so that a server starts without an engine.
    pub(crate) async fn sandbox(&self) -> Result<&Sandbox> {
        let options = EngineOptions { host: self.settings().engine.clone() };
        self.shared
            .sandbox
            .get_or_try_init(|| async {
                let engine = Engine::connect(&options).await?;
                for name in engine.reap_orphans().await.unwrap_or_default() {
                    tracing::info!("removed the container {name} of a process that is gone");
                }
                self.workspaces().remove_leftovers();
                let engine = engine.with_spares(self.settings().spares);
                self.remove_spares_with_workspaces(engine.clone());
                Ok(Sandbox::Engine(engine))
            })
            .await
    }

    fn remove_spares_with_workspaces(&self, engine: Engine) {
        let runtime = tokio::runtime::Handle::current();
        self.workspaces().when_removed(move |folder| {
            let engine = engine.clone();
            runtime.spawn(async move { engine.remove_spares_of(&folder).await });
        });
    }

    /// How many files are indexed, and the state of the index in a word.
    pub(crate) fn index_summary(&self, checkout: &Checkout) -> (Option<u64>, &'static str) {
        self.indexes().summary(checkout)
    }
}

/// Runs blocking work off the async threads; a panic in it continues in the caller, where it is caught.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(_) => Err(Error::Interrupted),
    }
}
