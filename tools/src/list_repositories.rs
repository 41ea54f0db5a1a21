//! `list_repositories`: what is served, at which commit, and whether it can be searched at once.

use std::fmt::Write;

use repos::Entry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Call, Effect, Result, Tool, Toolbox, WorkspaceSummary};

const NOTHING_HERE: &str = "no repository is on this machine yet; `repolab repos sync` fetches those of the registry, \
    `repolab repos link NAME FOLDER` and `repolab repos add FOLDER` serve folders that are here; this server sees them at once";
// An answer of this size is well below what clients cut.
const MOST_BYTES: usize = 45_000;
// A commit, languages, a state and the names of the fields.
const ROW_BYTES: usize = 180;
const MOST_NAMES: usize = 100;

/// See the module.
pub struct ListRepositories;

/// Takes nothing.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListRepositoriesInput {}

/// The repositories that are served.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListRepositoriesOutput {
    /// Repositories on this machine.
    pub repositories: Vec<RepositorySummary>,
    /// Known, but not on this machine.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_checked_out: Vec<String>,
    /// Workspaces in use.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub workspaces: Vec<WorkspaceSummary>,
    /// What was left out, and the next step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// One repository.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RepositorySummary {
    /// The name to pass as `repo`.
    pub name: String,
    /// Commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its main languages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// Indexed files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<u64>,
    /// `ready`, `stale` (files changed since), or `missing` (built on the first search).
    pub index: String,
}

impl Tool for ListRepositories {
    const NAME: &'static str = "list_repositories";
    const TITLE: &'static str = "List repositories";
    const DESCRIPTION: &'static str = "Lists the repositories served, with commits, descriptions and index state, and the open \
        workspaces. Call it first when you do not know the `repo` name that other tools take.";
    const EFFECT: Effect = Effect::ReadsOnly;
    type Input = ListRepositoriesInput;
    type Output = ListRepositoriesOutput;

    async fn run(toolbox: &Toolbox, _input: Self::Input, _call: &Call) -> Result<Self::Output> {
        let toolbox = toolbox.clone();
        crate::toolbox::blocking(move || summarize(&toolbox)).await
    }

    fn render(output: &Self::Output) -> String {
        let mut text = String::new();
        for repository in &output.repositories {
            text.push_str(&line(repository));
        }
        if !output.not_checked_out.is_empty() {
            let _ = writeln!(text, "Not on this machine: {}", output.not_checked_out.join(", "));
        }
        for workspace in &output.workspaces {
            let _ = writeln!(
                text,
                "Workspace {} of {}: {} changed file(s), unused for {} s",
                workspace.workspace, workspace.repo, workspace.changed_files, workspace.idle_seconds
            );
        }
        for note in &output.notes {
            let _ = writeln!(text, "Note: {note}");
        }
        text
    }
}

/// The repository on one line, and its description on another.
fn line(repository: &RepositorySummary) -> String {
    let commit = repository.commit.as_ref().map_or_else(String::new, |commit| format!(" @ {commit}"));
    let mut facts = repository.languages.clone();
    facts.extend(repository.files.map(|files| format!("{files} files")));
    facts.push(format!("index {}", repository.index));
    let description =
        repository.description.as_ref().map_or_else(String::new, |about| format!("    {about}\n"));
    format!("{}{commit} [{}]\n{description}", repository.name, facts.join(", "))
}

fn summarize(toolbox: &Toolbox) -> Result<ListRepositoriesOutput> {
    let catalog = toolbox.catalog();
    // Asked for all at once: one by one each would read the catalog file anew.
    let checkouts = catalog.checkouts()?;
    let here = |entry: &&Entry| checkouts.iter().any(|checkout| checkout.name == entry.name);
    let states = toolbox.index_states().of_all(toolbox, &checkouts);
    let entry_of = |name| catalog.entries().iter().find(|entry| entry.name == name);
    let summaries = checkouts.iter().zip(states).filter_map(|(checkout, state)| {
        Some(RepositorySummary {
            name: checkout.name.to_string(),
            commit: checkout.commit.clone().map(String::from),
            description: entry_of(checkout.name.clone())?.description.clone(),
            languages: entry_of(checkout.name.clone())?.languages.clone(),
            files: state.files,
            index: state.word.to_owned(),
        })
    });
    let mut output = ListRepositoriesOutput {
        repositories: summaries.collect(),
        not_checked_out: catalog
            .entries()
            .iter()
            .filter(|entry| !here(entry))
            .map(|entry| entry.name.to_string())
            .collect(),
        workspaces: toolbox.workspaces().summaries(),
        notes: Vec::new(),
    };
    shorten(&mut output);
    if output.repositories.is_empty() {
        output.notes.push(NOTHING_HERE.to_owned());
    }
    Ok(output)
}

/// Leaves descriptions out, and then repositories, until the answer fits.
fn shorten(output: &mut ListRepositoriesOutput) {
    let size = |one: &RepositorySummary| {
        ROW_BYTES + one.name.len() + one.description.as_ref().map_or(0, String::len)
    };
    if output.repositories.iter().map(size).sum::<usize>() > MOST_BYTES {
        output.repositories.iter_mut().for_each(|one| one.description = None);
        output.notes.push("descriptions were left out, because there are many repositories".to_owned());
    }
    let most = MOST_BYTES / (ROW_BYTES + 40);
    if output.repositories.len() > most {
        let more = output.repositories.split_off(most).len();
        output.notes.push(format!(
            "{more} more repositories were left out; `search` without `repo` finds them, and every tool takes their names"
        ));
    }
    if output.not_checked_out.len() > MOST_NAMES {
        let more = output.not_checked_out.split_off(MOST_NAMES).len();
        output.notes.push(format!("{more} more names that are not on this machine were left out"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_is_known_and_nothing_else() {
        let mut repository = RepositorySummary {
            name: "sample".to_owned(),
            commit: None,
            description: None,
            languages: Vec::new(),
            files: None,
            index: "missing".to_owned(),
        };
        assert_eq!(line(&repository), "sample [index missing]\n");
        repository.commit = Some("abc".to_owned());
        repository.languages = vec!["python".to_owned()];
        repository.files = Some(3);
        repository.description = Some("A sample.".to_owned());
        assert_eq!(line(&repository), "sample @ abc [python, 3 files, index missing]\n    A sample.\n");
    }
}
