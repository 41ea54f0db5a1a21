//! Names that look like a wrong one, so that an agent's next call is right.

use std::path::Path;

use ignore::WalkBuilder;
use indexer::RepositoryIndex;
use repos::{RepositoryPath, Root};

use crate::{Error, Result};

// A listing for a hint must not take longer than the answer it replaces.
const MOST_FILES: usize = 50_000;
const SUGGESTIONS: usize = 3;

/// The candidates most like `wanted`, best first.
pub(crate) fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    let mut scored: Vec<(f64, &str)> = candidates
        .into_iter()
        .map(|candidate| (likeness(&wanted, &candidate.to_lowercase()), candidate))
        .filter(|(score, _)| *score > 0.75)
        .collect();
    scored.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(right.1)));
    scored.into_iter().take(SUGGESTIONS).map(|(_, name)| name.to_owned()).collect()
}

/// The files below `folder` most like `wanted`, as paths with `/`.
fn nearest_files(folder: &Path, wanted: &str) -> Vec<String> {
    let files: Vec<String> = WalkBuilder::new(folder)
        .standard_filters(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build()
        .flatten()
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .take(MOST_FILES)
        .filter_map(|entry| Some(entry.path().strip_prefix(folder).ok()?.to_str()?.to_owned()))
        .collect();
    nearest(wanted, files.iter().map(String::as_str))
}

/// The symbols of some repositories most like the last part of `wanted`.
pub(crate) fn nearest_symbols<'a>(
    indexes: impl IntoIterator<Item = &'a RepositoryIndex>,
    wanted: &str,
) -> Result<Vec<String>> {
    let own = wanted.rsplit(['.', ':']).next().unwrap_or(wanted).trim_end_matches("()").to_lowercase();
    let mut scored: Vec<(f64, String)> = Vec::new();
    for index in indexes {
        index.each_symbol_name(|name| {
            // Names of very different lengths are no slips of the keyboard.
            if name.len() <= own.len() * 2 && own.len() <= name.len() * 2 {
                let score = strsim::jaro_winkler(&own, &name.to_lowercase());
                if score > 0.82 {
                    scored.push((score, name.to_owned()));
                }
            }
        })?;
    }
    scored.sort_by(|left, right| right.0.total_cmp(&left.0).then_with(|| left.1.cmp(&right.1)));
    scored.dedup();
    Ok(scored.into_iter().take(SUGGESTIONS).map(|(_, name)| name).collect())
}

/// Says that there is no such file, with the nearest ones.
pub(crate) fn no_such_file(root: &Root, repository: &str, path: &RepositoryPath) -> Error {
    Error::NoSuchFile {
        repository: repository.to_owned(),
        path: path.to_string(),
        nearest: nearest_files(root.folder(), path.as_str()),
    }
}

// The same file name in another folder is the usual mistake, so it counts for more than similar letters.
fn likeness(wanted: &str, candidate: &str) -> f64 {
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let whole = strsim::jaro_winkler(wanted, candidate);
    if name(wanted) == name(candidate) { 1.0 + whole } else { whole }
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn prefers_the_same_name_in_another_folder() {
        let files = ["model/attention/CBAM.py", "cbam_train.py", "README.md"];
        assert_eq!(nearest("attention/CBAM.py", files)[0], "model/attention/CBAM.py");
    }

    #[test]
    fn suggests_nothing_for_something_else_entirely() {
        assert!(nearest("zzzzqqq", ["README.md", "setup.py"]).is_empty());
    }
}
