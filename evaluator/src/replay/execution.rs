//! One attempt executed: a fresh copy of the repository, the answer put into it, one job in a fresh container.
//! Trouble on the way is an outcome of the machine's, never of the answer.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::os::unix::fs::fchown;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use sandbox::{
    Access, CopyLimits, Ending, Evidence, Job, Limits, Mount, Outcome, Output, Sandbox, Workspace,
    payload_user,
};
use tokio_util::sync::CancellationToken;

use super::ReplayOptions;
use super::image::Python;
use super::preparation::{Preparation, Prepared};
use crate::attempt::Attempt;
use crate::rule::{Conda, Program};
use crate::{Trial, TrialOutcome};

/// Where a job sees the copies of repositories.
const WORKSPACES: &str = "/workspace";

/// Where a job sees the link `python`.
const LINKS: &str = "/opt/repolab/bin";

/// All that the executed attempts of a run share.
#[derive(Debug)]
pub(super) struct Execution<'a> {
    pub(super) options: &'a ReplayOptions,
    pub(super) sandbox: &'a Sandbox,
    pub(super) preparation: &'a Preparation,
    /// Folders that hold a link `python`, by where it leads.
    pub(super) shims: BTreeMap<String, PathBuf>,
    pub(super) cancel: &'a CancellationToken,
}

/// An attempt that was executed, with what is kept of it.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) trial: Trial,
    pub(super) program: Program,
    pub(super) outcome: Outcome,
}

impl Execution<'_> {
    /// Executes an attempt; nothing if the replay is cancelled.
    pub(super) async fn run(&self, attempt: &Attempt<'_>) -> Option<Ran> {
        if self.cancel.is_cancelled() {
            return None;
        }
        let prepared = self.preparation.of_attempt(attempt)?;
        let program = self.options.rule.program(attempt, conda(prepared))?;
        let outcome = match self.lay_out(prepared, &program).await {
            Ok(workspace) => self.run_in(workspace, prepared, &program, attempt).await,
            Err(why) => spoiled(why),
        };
        let trial = Trial::executed(attempt, self.options.conditions(), &outcome);
        (trial.outcome != TrialOutcome::Cancelled).then_some(Ran { trial, program, outcome })
    }

    /// Removes the folder that held the copies, if it is the run's own.
    pub(super) fn remove_workspaces(&self) {
        if self.options.workspaces.is_none() {
            // Each copy has removed itself; where one could not, what is left must not be hidden.
            fs_err::remove_dir(self.options.workspaces()).ok();
        }
    }

    /// A fresh copy of the repository with the program's files in it, or why there is none.
    async fn lay_out(&self, prepared: &Prepared, program: &Program) -> Result<Workspace, String> {
        let (source, parent) = (prepared.place.checkout.folder.clone(), self.options.workspaces());
        let program = program.clone();
        let work = move || {
            let copied = Workspace::copy_of(&source, &parent, CopyLimits::default());
            let workspace = copied.map_err(|error| error.explanation())?;
            put_files(workspace.folder(), &program).map_err(|error| {
                let folder = &program.files_folder;
                format!("the answer could not be put into the folder `{folder}` of the repository: {error}")
            })?;
            Ok(workspace)
        };
        tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(error.to_string()))
    }

    async fn run_in(
        &self,
        workspace: Workspace,
        prepared: &Prepared,
        program: &Program,
        attempt: &Attempt<'_>,
    ) -> Outcome {
        let limits =
            Limits { timeout: self.options.conditions().limit(attempt), ..self.options.limits.clone() };
        let job = self.job((workspace.folder(), prepared), program, limits);
        let outcome = self.sandbox.run(&job, self.cancel.clone()).await;
        // Removing a large tree takes a while; a failure is logged by the workspace itself.
        tokio::task::spawn_blocking(move || drop(workspace)).await.ok();
        outcome
    }

    fn job(&self, (folder, prepared): (&Path, &Prepared), program: &Program, limits: Limits) -> Job {
        let repository = format!("{WORKSPACES}/{}", prepared.place.repository);
        let inner = program.folder.as_str();
        let working_directory =
            if inner.is_empty() { repository.clone() } else { format!("{repository}/{inner}") };
        let copy = Mount { source: folder.to_owned(), target: repository, access: Access::ReadWrite };
        let mut job = Job {
            image: prepared.image.pinned().to_owned(),
            argv: program.argv.clone(),
            mounts: vec![copy],
            working_directory,
            environment: BTreeMap::new(),
            stdin: Vec::new(),
            limits,
            network: self.options.network,
        };
        self.link_python(prepared, &mut job);
        job
    }

    fn link_python(&self, prepared: &Prepared, job: &mut Job) {
        let Python::LinkTo(path) = &prepared.image.python else { return };
        let Some(folder) = self.shims.get(path) else { return };
        let seen_at = match self.sandbox {
            Sandbox::Engine(_) => LINKS.to_owned(),
            // On the host nothing is mounted, so the folder is where it is.
            Sandbox::Host(_) => folder.display().to_string(),
        };
        job.environment.insert("PATH".to_owned(), format!("{seen_at}:{}", prepared.image.search_path));
        job.mounts.push(Mount { source: folder.clone(), target: LINKS.to_owned(), access: Access::ReadOnly });
    }
}

fn conda(prepared: &Prepared) -> Option<Conda<'_>> {
    let environment = prepared.place.conda_environment.as_deref()?;
    Some(Conda { environment, installed: prepared.image.has_conda })
}

/// Writes the program's files beneath `workspace`, wherever the repository's own links lead.
fn put_files(workspace: &Path, program: &Program) -> io::Result<()> {
    let root = Dir::open_ambient_dir(workspace, ambient_authority())?;
    let folder = root.open_dir(program.files_folder.as_path())?;
    for (name, content) in &program.files {
        let mut file = folder.create(name)?.into_std();
        file.write_all(content.as_bytes())?;
        let user = payload_user();
        fchown(&file, Some(user.uid), Some(user.gid))?;
    }
    Ok(())
}

/// The outcome of an attempt that never ran, through no fault of its own.
fn spoiled(why: String) -> Outcome {
    Outcome {
        ending: Ending::Infrastructure { why },
        stdout: Output::default(),
        stderr: Output::default(),
        elapsed: Duration::ZERO,
        evidence: Evidence::default(),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::Rule;
    use crate::task::sample::python_task;

    fn program() -> Program {
        Rule::MlBenchL.program(&Attempt::new(&python_task(), 1, "print(1)"), None).unwrap()
    }

    #[test]
    fn puts_files_where_the_rule_wants_them() {
        let folder = tempfile::tempdir().unwrap();
        put_files(folder.path(), &program()).unwrap();
        assert_eq!(fs_err::read_to_string(folder.path().join("temp.py")).unwrap(), "print(1)");
    }

    #[test]
    fn writes_through_no_link_that_leads_out() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().join("workspace");
        fs_err::create_dir(&workspace).unwrap();
        symlink("../outside", workspace.join("temp.py")).unwrap();
        put_files(&workspace, &program()).unwrap_err();
        assert!(!folder.path().join("outside").exists());
    }

    #[test]
    fn says_that_the_repository_lacks_the_tasks_folder() {
        let folder = tempfile::tempdir().unwrap();
        let program = Program { files_folder: "missing".parse().unwrap(), ..program() };
        put_files(folder.path(), &program).unwrap_err();
    }
}
