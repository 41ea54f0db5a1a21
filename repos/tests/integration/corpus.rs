//! The eighteen real repositories at their pins, laid out below the folder that `REPOLAB_CORPUS` names.

use std::path::PathBuf;

use repos::State;

use crate::place::Place;

#[expect(clippy::print_stdout, reason = "a skipped test says so")]
#[expect(clippy::disallowed_methods, reason = "tests are told by variables where real input lies")]
fn corpus() -> Option<PathBuf> {
    let folder = std::env::var_os("REPOLAB_CORPUS").map(PathBuf::from);
    if folder.is_none() {
        // The corpus comes from git servers, which CI does not reach; so CI skips this too.
        println!("SKIPPED: REPOLAB_CORPUS does not name the folder of the real repositories");
    }
    folder
}

#[test]
fn all_eighteen_are_linked_at_their_pins() {
    let Some(corpus) = corpus() else { return };
    let place = Place::new();
    let report = place.catalog().link_all(&corpus).unwrap();
    assert_eq!(
        (report.linked.len(), report.missing.as_slice(), report.unknown.len()),
        (18, [].as_slice(), 0)
    );
    for status in place.catalog().status().unwrap() {
        assert!(matches!(status.state, State::Ready { .. }), "{}: {:?}", status.entry.name, status.state);
    }
    for checkout in place.catalog().checkouts().unwrap() {
        assert!(!checkout.root().unwrap().read(&"README.md".parse().unwrap(), 1 << 20).unwrap().is_empty());
    }
}
