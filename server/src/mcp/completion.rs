//! Completion of the parameters of prompts and of the resource template: repositories by name, paths folder by
//! folder as a shell does it.

use repos::{ListBounds, ListedKind, RepositoryPath, Root};
use rmcp::ErrorData;
use rmcp::model::{CompleteRequestParams, CompletionInfo, Reference};
use tools::Toolbox;

use super::explanation::refuse;
use super::{prompts, resource_address};

// A menu is no place to browse a data set; what is typed next narrows it.
const MOST_LOOKED_AT: usize = 10_000;

/// What the parameter could be, at most as many as the protocol allows.
pub(super) fn complete(
    toolbox: &Toolbox,
    request: &CompleteRequestParams,
) -> Result<CompletionInfo, ErrorData> {
    let (name, value) = (request.argument.name.as_str(), request.argument.value.as_str());
    let all = match &request.r#ref {
        Reference::Prompt(prompt) if prompts::takes_a_repository(&prompt.name, name) => {
            repositories(toolbox, value)
        }
        Reference::Resource(template) if template.uri == resource_address::TEMPLATE && name == "repo" => {
            repositories(toolbox, value)
        }
        Reference::Resource(template) if template.uri == resource_address::TEMPLATE && name == "path" => {
            let repo = request.context.as_ref().and_then(|context| context.get_argument("repo"));
            repo.map(|repo| paths(toolbox, repo, value)).unwrap_or_default()
        }
        _ => Vec::new(),
    };
    page(all).map_err(refuse)
}

fn page(mut all: Vec<String>) -> Result<CompletionInfo, String> {
    let total = u32::try_from(all.len()).ok();
    let has_more = all.len() > CompletionInfo::MAX_VALUES;
    all.truncate(CompletionInfo::MAX_VALUES);
    CompletionInfo::with_pagination(all, total, has_more)
}

/// Names that begin so, then names that hold it, whatever the case.
fn repositories(toolbox: &Toolbox, value: &str) -> Vec<String> {
    let value = value.to_lowercase();
    let checkouts = toolbox.catalog().checkouts().unwrap_or_default();
    let names: Vec<String> = checkouts.iter().map(|checkout| checkout.name.to_string()).collect();
    let begin = names.iter().filter(|name| name.starts_with(&value));
    let hold = names.iter().filter(|name| !name.starts_with(&value) && name.contains(&value));
    begin.chain(hold).cloned().collect()
}

/// What the folder of `value` holds that begins like its last part; folders end with `/`.
fn paths(toolbox: &Toolbox, repo: &str, value: &str) -> Vec<String> {
    let (folder, start) = value.rsplit_once('/').map_or(("", value), |(folder, start)| (folder, start));
    let found = || -> Option<Vec<String>> {
        let catalog = toolbox.catalog();
        let checkout = catalog.checkout(&catalog.resolve(repo).ok()?.name).ok()?;
        let path: RepositoryPath = folder.parse().ok()?;
        Some(names(&checkout.root().ok()?, &path, start))
    };
    let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    found().unwrap_or_default().into_iter().map(|name| format!("{prefix}{name}")).collect()
}

fn names(root: &Root, folder: &RepositoryPath, start: &str) -> Vec<String> {
    let bounds = ListBounds { depth: 1, entries: MOST_LOOKED_AT };
    let mut listed = root.list(folder, bounds).map(|listing| listing.entries).unwrap_or_default();
    listed.sort_by_key(|entry| entry.kind != ListedKind::Folder);
    let named = listed.iter().filter_map(|entry| {
        let name = entry.path.rsplit('/').next()?;
        let end = if entry.kind == ListedKind::Folder { "/" } else { "" };
        name.starts_with(start).then(|| format!("{name}{end}"))
    });
    named.collect()
}
