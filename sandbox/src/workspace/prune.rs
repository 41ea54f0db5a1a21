//! Workspaces of processes that died without removing them, found by the mark that each of them bears.

use std::path::Path;
use std::time::Duration;

use uuid::Uuid;

use super::{OWNER, remove};
use crate::owner::{Life, Owner};
use crate::{Error, Result};

pub(super) fn prune(parent: &Path, older_than: Duration) -> Result<Vec<String>> {
    let explain = |attempt| move |source| Error::Workspace { attempt, folder: parent.to_owned(), source };
    let entries = match fs_err::read_dir(parent) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(explain("list"))?,
    };
    let mut removed = Vec::new();
    for entry in entries {
        let place = entry.map_err(explain("list"))?.path();
        let name = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if Uuid::parse_str(&name).is_ok() && is_abandoned(&place, older_than) {
            remove::remove_tree(&place).map_err(explain("remove"))?;
            removed.push(name);
        }
    }
    removed.sort();
    Ok(removed)
}

fn is_abandoned(place: &Path, older_than: Duration) -> bool {
    let mark = place.join(OWNER);
    let owner = fs_err::read_to_string(&mark).ok().and_then(|text| Owner::from_text(&text));
    // Files do not outlive a boot by accident, so an owner of another boot is as dead as one without a mark.
    let alive = owner.is_some_and(|owner| owner.life() == Life::Alive);
    let used = fs_err::metadata(&mark).or_else(|_| fs_err::metadata(place));
    let age = used.and_then(|metadata| metadata.modified()).ok().and_then(|time| time.elapsed().ok());
    !alive && age.is_some_and(|age| age >= older_than)
}
