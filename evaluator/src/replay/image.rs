//! What an image brings along, found out by one small job before the run. An image without `bash` would make every
//! answer fail, and one that has `python3` but no `python` gets a link, which the lock file tells.

use std::collections::BTreeMap;
use std::time::Duration;

use sandbox::{Ending, Job, Limits, Outcome, Sandbox};
use tokio_util::sync::CancellationToken;

use super::ReplayOptions;
use crate::{Error, Result};

/// Prints one line `name=value` for each question.
const QUESTIONS: &str = r#"
for program in bash python python3 conda; do printf '%s=%s\n' "$program" "$(command -v "$program")"; done
printf 'PATH=%s\n' "$PATH"
printf 'version=%s\n' "$("$(command -v python || command -v python3)" --version 2>&1)"
"#;

/// A container on a busy machine may take seconds to start.
const LIMIT: Duration = Duration::from_secs(60);

/// What an image brings along.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Image {
    /// The name by which it was asked for; empty where jobs need no image.
    pub(super) name: String,
    /// Its content hash, where there is one.
    pub(super) digest: Option<String>,
    /// Where it looks for programs.
    pub(super) search_path: String,
    /// Which `python` a program finds.
    pub(super) python: Python,
    /// What that Python says of its version.
    pub(super) python_version: Option<String>,
    /// Whether `conda` is installed.
    pub(super) has_conda: bool,
}

/// Which `python` a program finds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Python {
    /// The image's own.
    Own,
    /// A link of ours to the image's `python3` at this path.
    LinkTo(String),
    /// None at all.
    #[default]
    Missing,
}

impl Image {
    /// Runs the questions in an image; no answer if that is cancelled.
    pub(super) async fn ask(
        name: &str,
        options: &ReplayOptions,
        (sandbox, cancel): (&Sandbox, CancellationToken),
    ) -> Result<Option<Self>> {
        let job = Job {
            image: name.to_owned(),
            argv: ["sh", "-c", QUESTIONS].map(str::to_owned).to_vec(),
            mounts: Vec::new(),
            working_directory: "/".to_owned(),
            environment: BTreeMap::new(),
            stdin: Vec::new(),
            limits: Limits { timeout: LIMIT, ..options.limits.clone() },
            network: options.network,
        };
        let outcome = sandbox.run(&job, cancel).await;
        match &outcome.ending {
            Ending::Exited { .. } => Self::from_answers(name, &outcome).map(Some),
            Ending::Cancelled => Ok(None),
            Ending::Infrastructure { why } => {
                Err(Error::TryImage { image: name.to_owned(), why: why.clone() })
            }
            other => Err(Error::TryImage { image: name.to_owned(), why: format!("it ended as {other:?}") }),
        }
    }

    /// The name under which jobs ask for it: its content hash, so that a tag that moves during a run changes nothing.
    pub(super) fn pinned(&self) -> &str {
        self.digest.as_deref().unwrap_or(&self.name)
    }

    fn from_answers(name: &str, outcome: &Outcome) -> Result<Self> {
        let text = outcome.stdout.text();
        let answers: BTreeMap<&str, &str> = text.lines().filter_map(|line| line.split_once('=')).collect();
        let answer = |question| answers.get(question).copied().filter(|answer| !answer.is_empty());
        if answer("bash").is_none() {
            return Err(Error::ImageLacks { image: name.to_owned(), program: "bash" });
        }
        Ok(Self {
            name: name.to_owned(),
            digest: outcome.evidence.image_digest.clone(),
            search_path: answer("PATH").unwrap_or_default().to_owned(),
            python: match (answer("python"), answer("python3")) {
                (Some(_), _) => Python::Own,
                (None, Some(path)) => Python::LinkTo(path.to_owned()),
                (None, None) => Python::Missing,
            },
            python_version: answer("version").filter(|text| text.starts_with("Python")).map(str::to_owned),
            has_conda: answer("conda").is_some(),
        })
    }
}

#[cfg(test)]
mod tests {
    use sandbox::{Evidence, Output};

    use super::*;

    fn from(answers: &str) -> Result<Image> {
        let mut stdout = Output::keeping(1 << 16);
        stdout.push(answers.as_bytes());
        let (ending, stderr) = (Ending::Exited { code: 0 }, Output::default());
        let outcome =
            Outcome { ending, stdout, stderr, elapsed: Duration::ZERO, evidence: Evidence::default() };
        Image::from_answers("image", &outcome)
    }

    #[test]
    fn reads_what_an_image_has() {
        let image = from(
            "bash=/bin/bash\npython=\npython3=/usr/bin/python3\nconda=\nPATH=/usr/bin:/bin\nversion=Python 3.11.2\n",
        );
        let image = image.unwrap();
        assert_eq!(image.python, Python::LinkTo("/usr/bin/python3".to_owned()));
        assert_eq!((image.search_path.as_str(), image.has_conda), ("/usr/bin:/bin", false));
        assert_eq!(image.python_version.as_deref(), Some("Python 3.11.2"));
        assert_eq!(from("bash=/bin/bash\npython=/opt/python\npython3=/x\n").unwrap().python, Python::Own);
        let bare = from("bash=/bin/bash\nversion=sh: 1: : not found\n").unwrap();
        assert_eq!((bare.python, bare.python_version), (Python::Missing, None));
    }

    #[test]
    fn refuses_an_image_in_which_every_answer_would_fail() {
        let error = from("bash=\npython=/usr/bin/python\n").unwrap_err();
        assert_eq!(error.to_string(), "the image `image` has no `bash`");
    }
}
