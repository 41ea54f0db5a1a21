//! What a replay is asked to do. Everything here that could change a score goes into the run's lock file.

use std::path::PathBuf;
use std::time::Duration;

use sandbox::{Limits, Network};
use serde::{Deserialize, Serialize};

use crate::Rule;
use crate::attempt::Attempt;
use crate::rule::Conditions;

/// Output kept of each stream of a trial: logs of a short training run fit, a flood does not.
const KEPT_OUTPUT_BYTES: usize = 1 << 20;

/// Which attempts are run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Execution {
    /// None: only the static checks count.
    None,
    /// Those whose text does not already fail by the rule. `ml-bench-a` looks at no text, so all but empty ones.
    #[default]
    Passing,
    /// All that can be run.
    All,
}

/// What a replay is asked to do.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayOptions {
    /// How attempts are run and scored.
    pub rule: Rule,
    /// Which attempts are run.
    pub execution: Execution,
    /// An image in place of the repositories' own.
    pub image: Option<String>,
    /// A limit of time in place of the rule's own.
    pub timeout: Option<Duration>,
    /// What else a trial may use; its `timeout` is not looked at.
    pub limits: Limits,
    /// What trials may reach.
    pub network: Network,
    /// Trials at one time. Limits are short, so more than one makes a score depend on the machine's load.
    pub parallel: usize,
    /// The folder that receives the run; new or empty.
    pub run_folder: PathBuf,
    /// The folder for the trials' copies of repositories; a folder within the run's own if none is given.
    pub workspaces: Option<PathBuf>,
}

impl ReplayOptions {
    /// Runs what passes the static checks, one trial at a time, under the rule's own limits, without network.
    pub fn new(rule: Rule, run_folder: PathBuf) -> Self {
        Self {
            rule,
            execution: Execution::default(),
            image: None,
            timeout: None,
            limits: Limits { kept_output_bytes: KEPT_OUTPUT_BYTES, ..Limits::default() },
            network: Network::None,
            parallel: 1,
            run_folder,
            workspaces: None,
        }
    }

    /// Whether the attempt is to be run.
    pub(super) fn executes(&self, attempt: &Attempt) -> bool {
        let runnable = self.rule.program(attempt, None).is_some();
        match self.execution {
            Execution::None => false,
            Execution::Passing => runnable && !self.rule.fails_unseen(attempt),
            Execution::All => runnable,
        }
    }

    pub(super) fn conditions(&self) -> Conditions {
        Conditions { rule: self.rule, override_limit: self.timeout }
    }

    pub(super) fn workspaces(&self) -> PathBuf {
        self.workspaces.clone().unwrap_or_else(|| self.run_folder.join("workspaces"))
    }
}
