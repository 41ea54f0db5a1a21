//! WHAT an agent can do: one file per tool, free of any protocol.
//! A tool is an input, an output and a function between them; the MCP server and the command line call the
//! same functions, so a person can see exactly what an agent sees.

mod call;
mod error;
mod index_states;
mod indexes;
mod matching_files;
mod nearest;
mod paging;
#[cfg(test)]
mod provided;
mod tokens;
mod tool;
mod toolbox;
mod visible;
mod whole_file;
mod workspaces;

mod find_references;
mod list_files;
mod list_repositories;
mod outline;
mod read_file;
mod run_in_sandbox;
mod search;
mod write_file;

pub use call::{Call, Progress};
pub use error::{Error, Result};
pub use find_references::{
    FindReferences, FindReferencesInput, FindReferencesOutput, ReferenceDefinition, ReferenceUse,
};
pub use list_files::{FileEntry, ListFiles, ListFilesInput, ListFilesOutput};
pub use list_repositories::{
    ListRepositories, ListRepositoriesInput, ListRepositoriesOutput, RepositorySummary,
};
pub use matching_files::SearchFile;
pub use outline::{Outline, OutlineInput, OutlineOutput, OutlineSymbol};
pub use read_file::{ReadFile, ReadFileInput, ReadFileOutput};
pub use run_in_sandbox::{RunInSandbox, RunInSandboxInput, RunInSandboxOutput};
pub use search::{Search, SearchHit, SearchInput, SearchMode, SearchOutput, SearchShow};
pub use tokens::estimate_tokens;
pub use tool::{Effect, Tool};
pub use toolbox::{SandboxSettings, Toolbox};
pub use visible::visible;
pub use whole_file::{Content, LineRange, WholeFile};
pub use workspaces::{WorkspaceSettings, WorkspaceSummary};
pub use write_file::{WriteFile, WriteFileInput, WriteFileOutput};
