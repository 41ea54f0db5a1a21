//! A task: one row of the benchmark's dataset with all its columns. Its gold answer and its oracle text are for
//! scoring and for people; no agent ever sees them.

use std::fmt;

use repos::RepositoryPath;
use serde::{Deserialize, Serialize};

use crate::Arguments;

/// What identifies a task. The dataset's `id` alone is not unique.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TaskKey {
    /// The benchmark's number for the repository.
    pub github_id: i64,
    /// The row's number, unique within the repository.
    pub id: i64,
}

impl fmt::Display for TaskKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "({}, {})", self.github_id, self.id)
    }
}

/// What a task asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// Shell commands that run scripts of the repository.
    #[serde(rename = "Bash Script")]
    BashScript,
    /// A Python program that uses the repository as a library.
    #[serde(rename = "Python Code")]
    PythonCode,
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::BashScript => "Bash Script",
            Self::PythonCode => "Python Code",
        })
    }
}

/// One row of the dataset. It serializes to the dataset's own columns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// What identifies it.
    #[serde(flatten)]
    pub key: TaskKey,
    /// The repository's address.
    pub github: String,
    /// The row's number within the repository as the dataset counts it, with gaps.
    pub repo_id: i64,
    /// The folder of the repository in which the answer runs.
    pub path: RepositoryPath,
    /// The arguments that the instruction asks for.
    pub arguments: Arguments,
    /// What the user wants, in plain words.
    pub instruction: String,
    /// The section of a README that the task was made from.
    pub oracle: String,
    /// What the answer has to be.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Shell commands that set the stage, or nothing.
    pub prefix_code: String,
    /// The gold answer.
    pub output: String,
}

#[cfg(test)]
pub(crate) mod sample {
    //! Tasks for the tests of this crate.

    use super::{Kind, Task, TaskKey};

    pub(crate) fn bash_task() -> Task {
        Task {
            key: TaskKey { github_id: 1, id: 7 },
            github: "https://example.invalid/One".to_owned(),
            repo_id: 7,
            path: "sub/folder".parse().unwrap(),
            arguments: "{'rate': 0.5}".to_owned().try_into().unwrap(),
            instruction: "Train at a rate of 0.5.".to_owned(),
            oracle: String::new(),
            kind: Kind::BashScript,
            prefix_code: String::new(),
            output: "sh train.sh --rate 0.5".to_owned(),
        }
    }

    pub(crate) fn python_task() -> Task {
        Task { kind: Kind::PythonCode, path: "".parse().unwrap(), ..bash_task() }
    }
}
