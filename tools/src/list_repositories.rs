//! `list_repositories`: what is served, at which commit, and whether it can be searched at once.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Call, Effect, Result, Tool, Toolbox};

/// See the module.
pub struct ListRepositories;

/// Takes nothing.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListRepositoriesInput {}

/// The repositories that are served.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListRepositoriesOutput {
    /// Every repository that can be read and searched, in the registry's order.
    pub repositories: Vec<RepositorySummary>,
    /// Names that are known but not on this machine.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_checked_out: Vec<String>,
    /// Private copies that are held; an idle one is removed after a while.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub workspaces: Vec<WorkspaceSummary>,
}

/// A workspace.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WorkspaceSummary {
    /// Its handle.
    pub workspace: String,
    /// The repository it is a copy of.
    pub repo: String,
    /// Seconds since its last use.
    pub idle_seconds: u64,
}

/// One repository.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RepositorySummary {
    /// The name to pass as `repo`.
    pub name: String,
    /// The commit that is served, when known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its main languages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// How many files are indexed; absent before the first index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<u64>,
    /// `ready`, `stale` (files changed since), or `missing` (built on the first search).
    pub index: String,
}

impl Tool for ListRepositories {
    const NAME: &'static str = "list_repositories";
    const TITLE: &'static str = "List repositories";
    const DESCRIPTION: &'static str = "Lists the machine-learning repositories this server holds, with their pinned \
        commits, descriptions and index state. Call it first when you do not know the `repo` name that the other \
        tools take.";
    const EFFECT: Effect = Effect::ReadsOnly;
    type Input = ListRepositoriesInput;
    type Output = ListRepositoriesOutput;

    async fn run(toolbox: &Toolbox, _input: Self::Input, _call: &Call) -> Result<Self::Output> {
        let toolbox = toolbox.clone();
        crate::toolbox::blocking(move || Ok(summarize(&toolbox))).await
    }

    fn render(output: &Self::Output) -> String {
        let mut text = String::new();
        for repository in &output.repositories {
            let commit = repository.commit.as_deref().unwrap_or("unknown");
            let files = repository.files.map_or_else(String::new, |files| format!(", {files} files"));
            let languages = repository.languages.join(", ");
            let description = repository.description.as_deref().unwrap_or_default();
            let _ = writeln!(
                text,
                "{} @ {commit} [{languages}{files}, index {}]\n    {description}",
                repository.name, repository.index
            );
        }
        if !output.not_checked_out.is_empty() {
            let _ = writeln!(text, "Not on this machine: {}", output.not_checked_out.join(", "));
        }
        for workspace in &output.workspaces {
            let _ = writeln!(
                text,
                "Workspace {} of {}, unused for {} s",
                workspace.workspace, workspace.repo, workspace.idle_seconds
            );
        }
        if output.repositories.is_empty() {
            text.push_str(
                "No repository is checked out. Next step: `repolab repos sync` or `repolab repos link`.\n",
            );
        }
        text
    }
}

fn summarize(toolbox: &Toolbox) -> ListRepositoriesOutput {
    let mut repositories = Vec::new();
    let mut not_checked_out = Vec::new();
    for entry in toolbox.catalog().entries() {
        let Ok(checkout) = toolbox.catalog().checkout(&entry.name) else {
            not_checked_out.push(entry.name.to_string());
            continue;
        };
        let (files, index) = toolbox.index_summary(&checkout);
        repositories.push(RepositorySummary {
            name: entry.name.to_string(),
            commit: checkout.commit.map(String::from),
            description: entry.description.clone(),
            languages: entry.languages.clone(),
            files,
            index: index.to_owned(),
        });
    }
    let workspaces = toolbox.workspaces().list().into_iter().map(|held| WorkspaceSummary {
        workspace: held.id,
        repo: held.repository.to_string(),
        idle_seconds: held.idle.as_secs(),
    });
    ListRepositoriesOutput { repositories, not_checked_out, workspaces: workspaces.collect() }
}
