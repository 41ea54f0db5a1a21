//! Servers of every kind: today's, old, refusing, absent and silent.

use std::io::Read;
use std::net::TcpListener;
use std::time::Duration;

use repos::{Commit, Error, SyncOptions};

use crate::http_server::{Manners, serve};
use crate::origin::Origin;
use crate::place::{Place, options, sentence, sync, text};

/// Three commits behind a server; the pin is the first.
fn place_with_server(manners: Manners) -> (Place, Commit) {
    let place = Place::new();
    let origin = Origin::with_files(place.path("o"));
    let first = origin.git(&["rev-parse", "HEAD"]).parse().unwrap();
    for number in 2..4 {
        origin.write("a.py", &format!("x = {number}\n"));
        origin.commit();
    }
    let server = serve(place.path(""), manners);
    place.pin(&format!("{server}/o/.git"), &first);
    (place, first)
}

#[test]
fn fetches_over_http() {
    let (place, first) = place_with_server(Manners::Current);
    assert_eq!(place.sync().unwrap().commit, first);
    assert_eq!(text(place.checkout().join(".git/shallow")).trim(), first.as_str());
}

#[test]
fn finds_the_commit_on_a_server_that_refuses_a_bare_hash() {
    let (place, first) = place_with_server(Manners::Old);
    assert_eq!(place.sync().unwrap().commit, first);
    assert_eq!(text(place.checkout().join("a.py")), "x = 1\n");
}

#[test]
fn says_that_the_commit_is_not_there_whatever_the_server() {
    for manners in [Manners::Current, Manners::Old] {
        let place = Place::new();
        Origin::with_files(place.path("o"));
        let server = serve(place.path(""), manners);
        place.pin(&format!("{server}/o/.git"), &"1".repeat(40).parse().unwrap());
        let error = place.sync().unwrap_err();
        assert!(matches!(error, Error::NoSuchCommit { .. }), "{}", sentence(&error));
    }
}

#[test]
fn never_asks_for_a_password() {
    let refused = "401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"";
    for status in [refused, "403 Forbidden", "404 Not Found"] {
        let (place, _) = place_with_server(Manners::Refuses(status));
        let error = place.sync().unwrap_err();
        assert!(matches!(error, Error::NoAccess { .. }), "{status}: {}", sentence(&error));
        assert!(error.hint().unwrap().contains("never asks for a password"));
    }
}

#[test]
fn does_not_follow_a_redirect_to_another_transport() {
    let place = Place::new();
    let origin = Origin::with_files(place.path("o"));
    let location = format!("302 Found\r\nLocation: {}", origin.url());
    let server = serve(place.path(""), Manners::Refuses(location.leak()));
    place.pin(&format!("{server}/o"), &origin.commit());
    place.sync().unwrap_err();
    assert_eq!(place.checkouts(), [""; 0]);
}

#[test]
fn says_that_a_host_is_unreachable() {
    // Nothing listens on port 1; the name is reserved never to exist.
    for url in ["http://127.0.0.1:1/x", "https://repolab.invalid/x"] {
        let place = Place::new();
        place.pin(url, &"1".repeat(40).parse().unwrap());
        let error = place.sync().unwrap_err();
        assert!(matches!(error, Error::Unreachable { .. }), "{}", sentence(&error));
        let sentence = sentence(&error);
        assert!(sentence.starts_with(&format!("could not reach {url}")), "{sentence}");
        assert!(sentence.contains("git says: "), "{sentence}");
        assert!(error.hint().unwrap().contains("repolab repos link origin FOLDER"));
    }
}

#[test]
fn a_silent_server_is_given_up_and_git_ended_with_its_children() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = Place::new();
    place.pin(&format!("http://{}/x", server.local_addr().unwrap()), &"1".repeat(40).parse().unwrap());
    let options = SyncOptions { timeout: Duration::from_secs(1), ..options() };
    let error = sync(&place.catalog(), &options, &()).unwrap_err();
    assert!(matches!(error, Error::FetchTimedOut { .. }), "{}", sentence(&error));
    // The connection belonged to a grandchild of ours; its end shows that it is gone too.
    let (mut connection, _) = server.accept().unwrap();
    // Sooner than git's own patience with slow servers ends.
    connection.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    connection.read_to_end(&mut Vec::new()).unwrap();
    assert_eq!(place.checkouts(), [""; 0]);
}
