//! A private copy of a folder in which jobs may write. Its name cannot be guessed, since whoever knows it may
//! use it; what jobs changed in it can be told; and it disappears with its owner unless it is kept.

mod changes;
mod copy;
mod prune;
mod remove;

use std::path::{Path, PathBuf};

use uuid::Uuid;

use self::changes::Snapshot;
use crate::owner::Owner;
use crate::{Error, Result};

pub use changes::{Change, ChangeKind, Changes};
pub use copy::CopyLimits;

/// The part of a workspace that jobs see.
const FILES: &str = "files";
/// Who uses the workspace; beside the files, where no job reaches it.
const OWNER: &str = "owner";
/// What the files were when they were copied.
const SNAPSHOT: &str = "snapshot";

/// A private copy of a folder. Dropping it removes it, unless it was kept.
#[derive(Debug)]
pub struct Workspace {
    id: String,
    place: PathBuf,
    folder: PathBuf,
    snapshot: Snapshot,
    lifetime: Lifetime,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lifetime {
    UntilDropped,
    Kept,
}

impl Workspace {
    /// Copies `source` to a new place beneath `parent`, which is made if it is missing.
    ///
    /// Copied are regular files with their executable bit, folders, and links that stay inside; `.git` and the
    /// product's own notes are left out, and no link is followed. Under root, the copy belongs to the
    /// [`payload_user`](crate::payload_user).
    pub fn copy_of(source: &Path, parent: &Path, limits: CopyLimits) -> Result<Self> {
        let id = Uuid::new_v4().to_string();
        let place = parent.join(&id);
        let explain = |attempt| {
            let folder = place.clone();
            move |source| Error::Workspace { attempt, folder, source }
        };
        fs_err::create_dir_all(parent).map_err(explain("make"))?;
        copy::create_private_folder(&place).map_err(explain("make"))?;
        let folder = place.join(FILES);
        let mut workspace = Self {
            id,
            folder: folder.clone(),
            snapshot: Snapshot::default(),
            lifetime: Lifetime::UntilDropped,
            place: place.clone(),
        };
        fs_err::write(place.join(OWNER), Owner::current().to_text()).map_err(explain("mark"))?;
        workspace.snapshot = copy::copy_folder(source, &folder, limits)?;
        Ok(workspace)
    }

    /// Opens a workspace beneath `parent` that was kept, by its [`id`](Self::id). It stays kept.
    pub fn reopen(parent: &Path, id: &str) -> Result<Self> {
        let unknown = || Error::NoSuchWorkspace { id: id.to_owned() };
        // Only a well-formed name becomes part of a path.
        let id = Uuid::parse_str(id).map_err(|_| unknown())?.to_string();
        let place = parent.join(&id);
        let text = fs_err::read(place.join(SNAPSHOT)).map_err(|_| unknown())?;
        let snapshot = Snapshot::parse(&text).ok_or_else(unknown)?;
        fs_err::write(place.join(OWNER), Owner::current().to_text()).map_err(|source| Error::Workspace {
            attempt: "mark",
            folder: place.clone(),
            source,
        })?;
        let folder = place.join(FILES);
        Ok(Self { id, place, folder, snapshot, lifetime: Lifetime::Kept })
    }

    /// The unguessable name under which a kept workspace is found again.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The folder to mount into jobs.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What its files occupy on disk, with a share of 16 KiB for each entry, as jobs' disk limits count it.
    pub fn occupied_bytes(&self) -> u64 {
        crate::disk::occupied_bytes(&self.folder)
    }

    /// Lets the workspace live on after this value, for [`reopen`](Self::reopen).
    pub fn keep(&mut self) -> Result<()> {
        fs_err::write(self.place.join(SNAPSHOT), self.snapshot.to_bytes())
            .map_err(|source| Error::Workspace { attempt: "keep", folder: self.place.clone(), source })?;
        self.lifetime = Lifetime::Kept;
        Ok(())
    }

    /// Removes the workspace, kept or not.
    pub fn remove(mut self) -> Result<()> {
        // From here on the drop has nothing to do, even if the removal fails half-way.
        self.lifetime = Lifetime::Kept;
        remove::remove_tree(&self.place).map_err(|source| Error::Workspace {
            attempt: "remove",
            folder: self.place.clone(),
            source,
        })
    }

    /// What differs from the moment of the copy, sorted by path: the first thousand of it.
    pub fn changed_files(&self) -> Result<Vec<Change>> {
        Ok(self.changes(1000)?.listed)
    }

    /// What differs from the moment of the copy: at most `most` changes, and how many there are.
    pub fn changes(&self, most: usize) -> Result<Changes> {
        Ok(self.snapshot.compare(&Snapshot::take(&self.folder), most))
    }

    /// Removes the workspaces beneath `parent` whose process is gone and that nobody has opened for
    /// `older_than`; returns their names.
    pub fn prune(parent: &Path, older_than: std::time::Duration) -> Result<Vec<String>> {
        prune::prune(parent, older_than)
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        if self.lifetime == Lifetime::Kept {
            return;
        }
        if let Err(error) = remove::remove_tree(&self.place) {
            tracing::warn!(folder = %self.place.display(), %error, "a workspace could not be removed");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;
    use crate::payload_user;

    fn sample() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("source");
        fs_err::create_dir_all(source.join("pkg/.git")).unwrap();
        fs_err::create_dir_all(source.join(".git")).unwrap();
        fs_err::write(source.join(".git/config"), "secret").unwrap();
        fs_err::write(source.join(".export.json"), "{}").unwrap();
        fs_err::write(source.join("pkg/a.py"), "a = 1\n").unwrap();
        fs_err::write(source.join("run.sh"), "#!/bin/sh\n").unwrap();
        fs_err::set_permissions(source.join("run.sh"), PermissionsExt::from_mode(0o744)).unwrap();
        symlink("pkg/a.py", source.join("alias")).unwrap();
        symlink("/etc/passwd", source.join("absolute")).unwrap();
        symlink("pkg/../../outside", source.join("outside")).unwrap();
        folder
    }

    fn copy(folder: &tempfile::TempDir) -> Workspace {
        let parent = folder.path().join("workspaces");
        Workspace::copy_of(&folder.path().join("source"), &parent, CopyLimits::default()).unwrap()
    }

    fn listing(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = walkdir::WalkDir::new(folder)
            .min_depth(1)
            .into_iter()
            .map(|entry| entry.unwrap().path().strip_prefix(folder).unwrap().display().to_string())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn copies_files_folders_and_inner_links_only() {
        let folder = sample();
        let workspace = copy(&folder);
        assert_eq!(listing(workspace.folder()), ["alias", "pkg", "pkg/a.py", "run.sh"]);
        let script = fs_err::metadata(workspace.folder().join("run.sh")).unwrap();
        assert_eq!((script.mode() & 0o777, script.uid()), (0o755, payload_user().uid));
        let alias = fs_err::symlink_metadata(workspace.folder().join("alias")).unwrap();
        assert_eq!((alias.is_symlink(), alias.uid()), (true, payload_user().uid));
    }

    #[test]
    fn refuses_a_folder_beyond_its_limits_and_leaves_nothing() {
        let folder = sample();
        let parent = folder.path().join("workspaces");
        for limits in [CopyLimits { bytes: 10, entries: 100 }, CopyLimits { bytes: 1 << 20, entries: 2 }] {
            let error = Workspace::copy_of(&folder.path().join("source"), &parent, limits).unwrap_err();
            assert!(matches!(error, Error::FolderTooLarge { .. }), "{error:?}");
        }
        assert_eq!(listing(&parent), [""; 0]);
    }

    #[test]
    fn tells_what_was_added_changed_and_removed() {
        let folder = sample();
        let workspace = copy(&folder);
        assert_eq!(workspace.changed_files().unwrap(), []);
        fs_err::write(workspace.folder().join("pkg/a.py"), "a = 2\n").unwrap();
        fs_err::write(workspace.folder().join("new"), "").unwrap();
        fs_err::remove_file(workspace.folder().join("run.sh")).unwrap();
        let found: Vec<_> = workspace
            .changed_files()
            .unwrap()
            .into_iter()
            .map(|change| (change.path.display().to_string(), change.kind))
            .collect();
        let expected =
            [("new", ChangeKind::Added), ("pkg/a.py", ChangeKind::Modified), ("run.sh", ChangeKind::Removed)];
        assert_eq!(found, expected.map(|(path, kind)| (path.to_owned(), kind)));
    }

    #[test]
    fn says_how_many_changes_it_did_not_list() {
        let folder = sample();
        let workspace = copy(&folder);
        for number in 0..5 {
            fs_err::write(workspace.folder().join(number.to_string()), "").unwrap();
        }
        let changes = workspace.changes(2).unwrap();
        assert_eq!((changes.listed.len(), changes.total), (2, 5));
    }

    #[test]
    fn finds_a_kept_workspace_again_with_its_changes() {
        let folder = sample();
        let parent = folder.path().join("workspaces");
        let mut workspace = copy(&folder);
        fs_err::write(workspace.folder().join("new"), "").unwrap();
        workspace.keep().unwrap();
        let id = workspace.id().to_owned();
        drop(workspace);
        let again = Workspace::reopen(&parent, &id).unwrap();
        assert_eq!(again.changed_files().unwrap().len(), 1);
        again.remove().unwrap();
        assert!(matches!(Workspace::reopen(&parent, &id), Err(Error::NoSuchWorkspace { .. })));
    }

    #[test]
    fn opens_nothing_by_a_path_for_a_name() {
        let folder = sample();
        for name in ["../source", "", "files", "/etc"] {
            let opened = Workspace::reopen(&folder.path().join("workspaces"), name);
            assert!(matches!(opened, Err(Error::NoSuchWorkspace { .. })), "{name}");
        }
    }

    #[test]
    fn disappears_even_with_locked_and_endless_folders_inside() {
        let folder = sample();
        let workspace = copy(&folder);
        let place = workspace.place.clone();
        // Deeper than a path can be long, made the way a program would make it.
        let mut inner =
            rustix::fs::open(workspace.folder(), rustix::fs::OFlags::DIRECTORY, 0o700.into()).unwrap();
        for _ in 0..3000 {
            rustix::fs::mkdirat(&inner, "d", 0o700.into()).unwrap();
            inner = rustix::fs::openat(&inner, "d", rustix::fs::OFlags::DIRECTORY, 0o700.into()).unwrap();
        }
        let locked = workspace.folder().join("locked");
        fs_err::create_dir(&locked).unwrap();
        fs_err::write(locked.join("file"), "").unwrap();
        fs_err::set_permissions(&locked, PermissionsExt::from_mode(0o500)).unwrap();
        drop(workspace);
        assert!(!place.exists());
    }

    #[test]
    fn prunes_what_dead_processes_left_and_nothing_else() {
        let folder = sample();
        let parent = folder.path().join("workspaces");
        let (alive, mut dead) = (copy(&folder), copy(&folder));
        dead.keep().unwrap();
        let of_another_boot = Owner::current().to_text().replacen('\n', "\nanother", 1);
        fs_err::write(dead.place.join(OWNER), of_another_boot).unwrap();
        let an_hour = std::time::Duration::from_secs(3600);
        assert_eq!(Workspace::prune(&parent, an_hour).unwrap(), [""; 0]);
        assert_eq!(Workspace::prune(&parent, std::time::Duration::ZERO).unwrap(), [dead.id()]);
        assert!(alive.folder().is_dir() && !dead.folder().exists());
    }
}
