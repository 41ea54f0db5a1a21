//! The next step after each error, in commands of repolab. It stands apart from the errors, so that a sentence says
//! what failed and only this file has to know the command line.

use crate::{Error, RepositoryName};

impl Error {
    /// What the user can do about it, where that is known.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::UnknownRepository { suggestions, .. } => did_you_mean(suggestions),
            Self::InvalidName { .. } => {
                "`repolab repos list` shows the known names; `--name` chooses one for `repolab repos add`"
                    .to_owned()
            }
            Self::InvalidCommit { .. } => "`git rev-parse REVISION` prints the full hash".to_owned(),
            Self::InvalidPath { .. } | Self::PathEscapes { .. } => {
                "give a path inside the repository, such as `src/train.py`".to_owned()
            }
            Self::NotCheckedOut { name } => {
                format!("run `repolab repos sync {name}` or `repolab repos link {name} FOLDER`")
            }
            Self::LinkIsGone { name, .. } => format!(
                "run `repolab repos link {name} FOLDER` with its new place, or `repolab repos remove {name}` to forget the link"
            ),
            Self::OpenRoot { .. } => "`repolab repos status` shows which folders are served".to_owned(),
            Self::Link { .. } | Self::ListFolder { .. } => {
                "give a folder that exists and that you may read".to_owned()
            }
            Self::NotLinked { .. } => "`repolab repos status` shows the links".to_owned(),
            Self::NotAdded { name } => {
                format!("to free its space delete the folder `checkouts/{name}` in the data folder")
            }
            Self::InvalidSource { .. } => {
                "a repository on GitHub is added by its whole address, such as https://github.com/OWNER/NAME"
                    .to_owned()
            }
            Self::NameTaken { taken_by, .. } => format!(
                "choose another name with `--name`, or serve a folder of yours as `{taken_by}` with `repolab repos link {taken_by} FOLDER`"
            ),
            Self::ParseCatalog { path, .. } => {
                format!(
                    "correct {0}, or move it away: links and added repositories are then forgotten",
                    path.display()
                )
            }
            Self::ReadCatalog { .. } | Self::WriteCatalog { .. } | Self::ChangeCheckout { .. } => {
                "check the space and the permissions of the data folder; `repolab doctor` shows where it is"
                    .to_owned()
            }
            Self::NothingToFetch { name } => format!("search it with `repolab search WORDS --repo {name}`"),
            Self::Linked { name, .. } => format!(
                "check the pinned commit out there yourself, or run `repolab repos remove {name}` to forget the link and sync again"
            ),
            Self::Busy { name, .. } => {
                format!("wait for the other process, then run `repolab repos sync {name}`")
            }
            Self::StartGit { .. } => {
                "install git, for example `apt install git`; `repolab doctor` shows whether it is found"
                    .to_owned()
            }
            Self::Git { .. } | Self::NotVerified { .. } => {
                "run the sync again: it starts anew; if the disk is full, free some space first".to_owned()
            }
            Self::FetchTimedOut { name, .. } => {
                format!("run `repolab repos sync {name} --timeout-seconds N` with more time")
            }
            Self::Unreachable { name, .. } => format!(
                "check the network and the proxy, then run `repolab repos sync {name}`; {}",
                link_instead(name)
            ),
            Self::NoAccess { name, .. } => format!(
                "check the address; repolab never asks for a password, so clone a private repository yourself: {}",
                link_instead(name)
            ),
            Self::Fetch { name, .. }
            | Self::IncompleteRemote { name, .. }
            | Self::NoSuchCommit { name, .. } => link_instead(name),
            Self::EmptyRemote { name, .. } => {
                format!("push a commit there first, or run `repolab repos remove {name}`")
            }
            Self::DanglingLink { .. } => "write to another path, or remove the link first".to_owned(),
            Self::FileNotFound { .. }
            | Self::NotAFolder { .. }
            | Self::ListInside { .. }
            | Self::WriteFile { .. }
            | Self::NotAFile { .. }
            | Self::FileTooLarge { .. }
            | Self::ReadFile { .. }
            | Self::InvalidRegistry { .. } => return None,
        })
    }
}

fn did_you_mean(suggestions: &[RepositoryName]) -> String {
    let quoted: Vec<String> = suggestions.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        None => "`repolab repos list` shows every known name; `repolab repos add` adds another".to_owned(),
        Some((only, [])) => format!("did you mean {only}?"),
        Some((last, others)) => format!("did you mean {} or {last}?", others.join(", ")),
    }
}

fn link_instead(name: &RepositoryName) -> String {
    format!("`repolab repos link {name} FOLDER` serves a folder that you have")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proposes_one_two_or_three_names() {
        for (names, hint) in [
            (vec!["dgl"], "did you mean `dgl`?"),
            (vec!["dgl", "dagnn"], "did you mean `dgl` or `dagnn`?"),
            (vec!["a", "b", "c"], "did you mean `a`, `b` or `c`?"),
        ] {
            let suggestions: Vec<RepositoryName> = names.iter().map(|name| name.parse().unwrap()).collect();
            assert_eq!(did_you_mean(&suggestions), hint);
        }
        assert!(did_you_mean(&[]).contains("repolab repos list"));
    }

    #[test]
    fn names_both_ways_to_get_a_checkout() {
        let hint = Error::NotCheckedOut { name: "dgl".parse().unwrap() }.hint().unwrap();
        assert!(hint.contains("repolab repos sync dgl") && hint.contains("repolab repos link dgl"), "{hint}");
    }
}
