//! A data folder with small linked repositories, and a toolbox over it.
#![expect(clippy::disallowed_methods, reason = "tests are told by the environment where real input lies")]

use std::path::PathBuf;
use std::time::Duration;

use repos::Catalog;
use sandbox::{HostProcesses, Limits, Sandbox};
use tools::{
    Call, ListFiles, ListFilesInput, ListFilesOutput, ReadFile, ReadFileInput, ReadFileOutput, Result,
    RunInSandbox, RunInSandboxInput, RunInSandboxOutput, SandboxSettings, Tool, Toolbox, WorkspaceSettings,
    WriteFile, WriteFileInput, WriteFileOutput,
};

pub(crate) struct Place {
    folder: tempfile::TempDir,
    pub(crate) toolbox: Toolbox,
}

impl Place {
    /// An empty data folder; commands run as plain processes.
    pub(crate) fn new() -> Self {
        Self::with(WorkspaceSettings::default(), None)
    }

    pub(crate) fn with(workspaces: WorkspaceSettings, image: Option<String>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let on_host = image.is_none();
        let settings = SandboxSettings {
            engine: None,
            image,
            limits: Limits { timeout: Duration::from_secs(60), ..Limits::default() },
            allow_network: false,
            spares: 0,
            workspaces,
        };
        let store = indexer::IndexStore::new(data.join("indexes"));
        let toolbox = Toolbox::new(Catalog::open(&data).unwrap(), store, data.join("workspaces"), settings);
        let toolbox = if on_host { toolbox.with_sandbox(Sandbox::Host(HostProcesses)) } else { toolbox };
        Self { folder, toolbox }
    }

    /// With a repository `r` that holds these files.
    pub(crate) fn holding(self, files: &[(&str, &str)]) -> Self {
        for (path, text) in files {
            let path = self.path("r").join(path);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, text).unwrap();
        }
        self.catalog().add(self.path("r").to_str().unwrap(), None).unwrap();
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The catalog as another process opens it.
    pub(crate) fn catalog(&self) -> Catalog {
        Catalog::open(&self.path("data")).unwrap()
    }

    /// The files of a workspace.
    pub(crate) fn workspace(&self, id: &str) -> PathBuf {
        self.path("data/workspaces").join(id).join("files")
    }

    pub(crate) async fn list(&self, input: ListFilesInput) -> Result<ListFilesOutput> {
        ListFiles::run(&self.toolbox, input, &Call::default()).await
    }

    pub(crate) async fn write(&self, input: WriteFileInput) -> Result<WriteFileOutput> {
        WriteFile::run(&self.toolbox, input, &Call::default()).await
    }

    pub(crate) async fn read(&self, path: &str, workspace: Option<&str>) -> Result<ReadFileOutput> {
        let mut input = serde_json::json!({ "repo": "r", "path": path });
        if let Some(id) = workspace {
            input["workspace"] = id.into();
        }
        let input: ReadFileInput = serde_json::from_value(input).unwrap();
        ReadFile::run(&self.toolbox, input, &Call::default()).await
    }

    pub(crate) async fn run(&self, command: &str, workspace: Option<&str>) -> Result<RunInSandboxOutput> {
        let input = RunInSandboxInput {
            repo: "r".to_owned(),
            command: command.to_owned(),
            workspace: workspace.map(str::to_owned),
            timeout_seconds: None,
            network: None,
        };
        RunInSandbox::run(&self.toolbox, input, &Call::default()).await
    }
}

/// A write of a whole file into `r`.
pub(crate) fn whole(path: &str, content: &str) -> WriteFileInput {
    WriteFileInput {
        repo: "r".to_owned(),
        path: path.to_owned(),
        content: Some(content.to_owned()),
        ..WriteFileInput::default()
    }
}

/// An edit in `r`.
pub(crate) fn edit(path: &str, old: &str, new: &str) -> WriteFileInput {
    WriteFileInput {
        repo: "r".to_owned(),
        path: path.to_owned(),
        old_text: Some(old.to_owned()),
        new_text: Some(new.to_owned()),
        ..WriteFileInput::default()
    }
}

/// A listing of all of `r`.
pub(crate) fn all() -> ListFilesInput {
    ListFilesInput { repo: "r".to_owned(), ..ListFilesInput::default() }
}

/// What CI must provide and a person may lack.
pub(crate) fn provided(variable: &str) -> Option<String> {
    let value = lent(variable);
    assert!(value.is_some() || std::env::var("CI").is_err(), "CI must set {variable}");
    value
}

/// What even CI may lack.
pub(crate) fn lent(variable: &str) -> Option<String> {
    let value = std::env::var(variable).ok().filter(|value| !value.is_empty());
    if value.is_none() {
        eprintln!("SKIPPED: {variable} is not set");
    }
    value
}
