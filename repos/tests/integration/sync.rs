//! Exactly the pinned commit, verified, or a clear error and nothing half-done.

use std::time::Duration;

use repos::{Error, RepositoryName, State, SyncOptions};

use crate::origin::Origin;
use crate::place::{Place, Steps, name, options, sentence, sync, text};

#[test]
fn fetches_the_pinned_commit_and_nothing_else() {
    let place = Place::new();
    let origin = Origin::with_files(place.path("o"));
    origin.write("a.py", "x = 2\n");
    let pinned = origin.commit();
    origin.write("a.py", "x = 3\n");
    origin.commit();
    place.pin(&origin.url(), &pinned);

    let synced = place.sync().unwrap();
    assert_eq!((synced.commit, synced.fetched), (pinned.clone(), true));
    assert_eq!(text(place.checkout().join("a.py")), "x = 2\n");
    assert_eq!(text(place.checkout().join("inner/b.py")), "y = 2\n");
    assert_eq!(text(place.checkout().join(".git/shallow")).trim(), pinned.as_str());
    assert_eq!(place.checkouts(), ["origin"]);
    assert_eq!(place.catalog().checkout(&name()).unwrap().commit, Some(pinned));
}

#[test]
fn what_is_there_needs_no_server() {
    let place = Place::new();
    let origin = Origin::with_files(place.path("o"));
    place.catalog().add(&origin.url(), Some(name())).unwrap();
    place.sync().unwrap();
    fs_err::remove_dir_all(origin.folder()).unwrap();

    let steps = Steps::default();
    let synced = sync(&place.catalog(), &options(), &steps).unwrap();
    assert!(!synced.fetched);
    assert_eq!(steps.names(), ["Started", "AlreadyThere"]);
}

#[test]
fn an_added_url_stays_at_the_commit_of_its_first_sync() {
    let place = Place::new();
    let origin = Origin::with_files(place.path("o"));
    let first = origin.commit();
    // The catalog stays open over both syncs, as a server's does.
    let mut catalog = place.catalog();
    catalog.add(&origin.url(), Some(name())).unwrap();
    assert_eq!(sync(&catalog, &options(), &()).unwrap().commit, first);
    origin.write("a.py", "x = 2\n");
    origin.commit();
    assert_eq!(sync(&catalog, &options(), &()).unwrap().commit, first);
    assert_eq!(place.catalog().entry(&name()).unwrap().commit, Some(first));
}

#[test]
fn tells_its_steps_in_order() {
    let place = Place::new();
    let origin = Origin::with_files(place.path("o"));
    place.catalog().add(&origin.url(), Some(name())).unwrap();
    let steps = Steps::default();
    sync(&place.catalog(), &options(), &steps).unwrap();
    let mut names = steps.names();
    // `Fetching` without and with a percentage are one word.
    names.dedup();
    assert_eq!(names, ["Started", "Fetching", "CheckingOut", "Verified"]);
}

#[test]
fn a_new_pin_replaces_the_older_checkout() {
    let place = Place::new();
    let origin = Origin::with_files(place.path("o"));
    let older = origin.commit();
    place.pin(&origin.url(), &older);
    place.sync().unwrap();
    origin.write("a.py", "x = 2\n");
    fs_err::remove_file(origin.folder().join("inner/b.py")).unwrap();
    let newer = origin.commit();
    place.pin(&origin.url(), &newer);

    let status = place.catalog().status().unwrap().pop().unwrap();
    assert_eq!(status.state, State::WrongCommit { found: older, wanted: newer.clone() });
    assert_eq!(place.sync().unwrap().commit, newer);
    assert_eq!(text(place.checkout().join("a.py")), "x = 2\n");
    assert!(!place.checkout().join("inner/b.py").exists());
    assert_eq!(place.checkouts(), ["origin"]);
}

#[test]
fn says_that_a_commit_is_not_there() {
    let place = Place::new();
    let origin = Origin::with_files(place.path("o"));
    place.pin(&origin.url(), &"1".repeat(40).parse().unwrap());
    let error = place.sync().unwrap_err();
    assert!(matches!(error, Error::NoSuchCommit { .. }), "{}", sentence(&error));
    let message = format!("commit {} of `origin` is not in {}", "1".repeat(40), origin.url());
    assert_eq!(error.to_string(), message);
    assert_eq!(place.checkouts(), [""; 0]);
}

#[test]
fn says_that_files_are_missing_on_the_other_side() {
    let place = Place::new();
    let origin = Origin::with_files(place.path("o"));
    let object = origin.git(&["rev-parse", "HEAD:a.py"]);
    let (folder, file) = object.split_at(2);
    fs_err::remove_file(origin.folder().join(format!(".git/objects/{folder}/{file}"))).unwrap();
    place.catalog().add(&origin.url(), Some(name())).unwrap();
    let error = place.sync().unwrap_err();
    assert!(matches!(error, Error::IncompleteRemote { .. }), "{}", sentence(&error));
    assert!(error.hint().unwrap().contains("repolab repos link origin"));
    assert_eq!(place.checkouts(), [""; 0]);
}

#[test]
fn says_that_a_repository_is_empty_or_absent() {
    let place = Place::new();
    let origin = Origin::new(place.path("o"));
    place.catalog().add(&origin.url(), Some(name())).unwrap();
    let error = place.sync().unwrap_err();
    assert!(matches!(error, Error::EmptyRemote { .. }), "{}", sentence(&error));
    fs_err::remove_dir_all(origin.folder()).unwrap();
    let error = place.sync().unwrap_err();
    assert!(matches!(error, Error::NoAccess { .. }), "{}", sentence(&error));
}

#[test]
fn two_that_sync_the_same_repository_fetch_it_once() {
    let place = Place::new();
    let origin = Origin::with_files(place.path("o"));
    place.pin(&origin.url(), &origin.commit());
    let fetched: Vec<bool> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..4).map(|_| scope.spawn(|| place.sync().unwrap().fetched)).collect();
        running.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(fetched.iter().filter(|fetched| **fetched).count(), 1, "{fetched:?}");
}

#[test]
fn gives_up_when_another_process_holds_the_repository_for_too_long() {
    let place = Place::new();
    let origin = Origin::with_files(place.path("o"));
    place.catalog().add(&origin.url(), Some(name())).unwrap();
    fs_err::create_dir_all(place.data().join("checkouts")).unwrap();
    let lock = fs_err::File::create(place.data().join("checkouts/.lock-origin")).unwrap();
    lock.lock().unwrap();
    let options = SyncOptions { timeout: Duration::from_millis(200), ..options() };
    let error = sync(&place.catalog(), &options, &()).unwrap_err();
    assert!(matches!(error, Error::Busy { .. }), "{}", sentence(&error));
}

#[test]
fn one_failure_does_not_stop_the_others() {
    let place = Place::new();
    let mut catalog = place.catalog();
    let names: [RepositoryName; 3] = ["one", "two", "three"].map(|name| name.parse().unwrap());
    for name in &names {
        let origin = Origin::with_files(place.path(&format!("o-{name}")));
        catalog.add(&origin.url(), Some(name.clone())).unwrap();
    }
    fs_err::remove_dir_all(place.path("o-two")).unwrap();
    let results = catalog.sync(&names, &options(), &());
    let outcome: Vec<_> = results.iter().map(|(name, result)| (name.as_str(), result.is_ok())).collect();
    assert_eq!(outcome, [("one", true), ("two", false), ("three", true)]);
}

#[test]
fn clears_whatever_lies_in_the_way() {
    let place = Place::new();
    let origin = Origin::with_files(place.path("o"));
    for debris in [".partial-origin", ".old-origin"] {
        fs_err::create_dir_all(place.data().join("checkouts").join(debris).join(".git/objects")).unwrap();
        fs_err::write(place.data().join("checkouts").join(debris).join(".git/HEAD"), "garbage").unwrap();
    }
    place.catalog().add(&origin.url(), Some(name())).unwrap();
    place.sync().unwrap();
    assert_eq!(place.checkouts(), ["origin"]);
}

#[test]
fn a_linked_repository_is_left_alone() {
    let place = Place::new();
    let origin = Origin::with_files(place.path("o"));
    place.catalog().add(&origin.url(), Some(name())).unwrap();
    let own = place.path("own");
    fs_err::create_dir_all(&own).unwrap();
    place.catalog().link(&name(), &own).unwrap();
    let error = place.sync().unwrap_err();
    assert!(matches!(error, Error::Linked { .. }), "{}", sentence(&error));
    assert_eq!(fs_err::read_dir(&own).unwrap().count(), 0);
}
