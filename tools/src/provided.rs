//! Real input for tests, where the environment says that there is some.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

/// The value of the variable, or nothing after saying so aloud.
#[expect(clippy::disallowed_methods, reason = "tests are told by the environment where real input lies")]
pub(crate) fn provided(variable: &str) -> Option<String> {
    let value = std::env::var(variable).ok().filter(|value| !value.is_empty());
    if value.is_none() {
        eprintln!("SKIPPED: {variable} is not set");
    }
    value
}

/// Every regular file below a folder.
pub(crate) fn files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let walk = WalkBuilder::new(folder).standard_filters(false).build().flatten();
    walk.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file())).map(ignore::DirEntry::into_path)
}
