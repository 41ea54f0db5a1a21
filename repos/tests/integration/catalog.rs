//! What is known, what is here, and how people change both.

use repos::{Error, Origin as Kind, Pin, State};

use crate::origin::Origin;
use crate::place::{Place, name, sentence};

fn state(place: &Place, name: &str) -> State {
    let statuses = place.catalog().status().unwrap();
    statuses.into_iter().find(|status| status.entry.name.as_str() == name).unwrap().state
}

#[test]
fn opening_and_asking_creates_nothing() {
    let place = Place::new();
    let catalog = place.catalog();
    assert_eq!(catalog.entries().len(), 18);
    assert!(catalog.checkouts().unwrap().is_empty());
    assert_eq!(catalog.status().unwrap().len(), 18);
    assert!(!place.data().exists());
}

#[test]
fn finds_entries_by_name_alias_and_number() {
    let catalog = Place::new().catalog();
    let entry = |text: &str| catalog.entry(&text.parse().unwrap()).unwrap().name.to_string();
    assert_eq!(entry("TIMM"), "pytorch-image-models");
    assert_eq!(catalog.entry_by_github_id(9).unwrap().name.as_str(), "external-attention-pytorch");
    assert!(catalog.entry_by_github_id(12).is_none());
    assert_eq!(catalog.resolve("https://github.com/deep-floyd/if").unwrap().name.as_str(), "if");
    let error = catalog.entry(&"dgll".parse().unwrap()).unwrap_err();
    assert!(error.hint().unwrap().starts_with("did you mean `dgl`"), "{:?}", error.hint());
}

#[test]
fn a_known_repository_that_is_not_here_says_how_to_get_it() {
    let error = Place::new().catalog().checkout(&"dgl".parse().unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "the repository `dgl` is not checked out");
    assert_eq!(error.hint().unwrap(), "run `repolab repos sync dgl` or `repolab repos link dgl FOLDER`");
}

#[test]
fn a_link_is_served_until_it_is_removed() {
    let place = Place::new();
    let origin = Origin::with_files(place.path("my-dgl"));
    let commit = origin.commit();
    let dgl = "dgl".parse().unwrap();
    let checkout = place.catalog().link(&dgl, origin.folder()).unwrap();
    assert_eq!((&checkout.commit, checkout.origin), (&Some(commit.clone()), Kind::Linked));
    assert_eq!(place.catalog().checkout(&dgl).unwrap(), checkout);
    assert_eq!(place.catalog().checkouts().unwrap(), [checkout]);
    let wanted = place.catalog().entry(&dgl).unwrap().commit.clone().unwrap();
    assert_eq!(state(&place, "dgl"), State::WrongCommit { found: commit, wanted });

    place.catalog().unlink(&dgl).unwrap();
    assert_eq!(state(&place, "dgl"), State::NotCheckedOut);
    let error = place.catalog().unlink(&dgl).unwrap_err();
    assert!(matches!(error, Error::NotLinked { .. }), "{error}");
    assert!(origin.folder().join("a.py").exists());
}

#[test]
fn a_link_into_nothing_is_refused_and_one_that_breaks_is_told() {
    let place = Place::new();
    let bert = "bert".parse().unwrap();
    let error = place.catalog().link(&bert, &place.path("absent")).unwrap_err();
    assert!(sentence(&error).contains("absent"), "{}", sentence(&error));

    let origin = Origin::with_files(place.path("o"));
    place.catalog().link(&bert, origin.folder()).unwrap();
    fs_err::remove_dir_all(origin.folder()).unwrap();
    let error = place.catalog().checkout(&bert).unwrap_err();
    assert!(matches!(error, Error::LinkIsGone { .. }), "{error}");
    assert!(place.catalog().checkouts().unwrap().is_empty());
    assert_eq!(state(&place, "bert"), State::Broken { why: error.to_string() });
}

#[test]
fn links_every_folder_that_is_called_like_a_repository() {
    let place = Place::new();
    for folder in ["all/LAVIS", "all/timm", "all/pytorch-image-models", "all/notes", "all/.hidden", "all/DGL"]
    {
        fs_err::create_dir_all(place.path(folder)).unwrap();
    }
    fs_err::write(place.path("all/bert"), "a file").unwrap();
    let report = place.catalog().link_all(&place.path("all")).unwrap();
    let linked: Vec<_> = report.linked.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(linked, ["dgl", "lavis", "pytorch-image-models"]);
    assert!(report.linked[2].folder.ends_with("pytorch-image-models"));
    assert_eq!(report.unknown, ["notes", "timm"]);
    assert_eq!(report.missing.len(), 15);
    assert_eq!(place.catalog().checkouts().unwrap(), report.linked);
}

#[test]
fn adds_a_folder_and_forgets_it_again() {
    let place = Place::new();
    let origin = Origin::with_files(place.path("My-Model"));
    let mut catalog = place.catalog();
    let entry = catalog.add(origin.folder().to_str().unwrap(), None).unwrap();
    assert_eq!((entry.name.as_str(), entry.pin, &entry.url), ("my-model", Pin::Added, &None));
    assert_eq!(catalog.entries().last(), Some(&entry));
    // At once in this process, and in the next.
    assert!(catalog.checkout(&entry.name).unwrap().commit.is_some());
    assert!(place.catalog().checkout(&entry.name).is_ok());
    let error = catalog
        .sync(std::slice::from_ref(&entry.name), &repos::SyncOptions::default(), &())
        .remove(0)
        .1
        .unwrap_err();
    assert!(matches!(error, Error::NothingToFetch { .. }), "{error}");

    catalog.remove(&entry.name).unwrap();
    assert!(catalog.resolve("my-model").is_err() && place.catalog().resolve("my-model").is_err());
    assert!(origin.folder().join("a.py").exists());
}

#[test]
fn removes_what_was_fetched_of_an_added_repository() {
    let place = Place::new();
    let origin = Origin::with_files(place.path("o"));
    place.catalog().add(&origin.url(), Some(name())).unwrap();
    place.sync().unwrap();
    place.catalog().remove(&name()).unwrap();
    assert_eq!(place.checkouts(), [""; 0]);
    assert_eq!(place.catalog().entries().len(), 18);
}

#[test]
fn removing_a_registered_repository_only_forgets_its_link() {
    let place = Place::new();
    let dgl = "dgl".parse().unwrap();
    let error = place.catalog().remove(&dgl).unwrap_err();
    assert!(matches!(error, Error::NotAdded { .. }), "{error}");
    place.catalog().link(&dgl, &place.path("")).unwrap();
    place.catalog().remove(&dgl).unwrap();
    assert_eq!(state(&place, "dgl"), State::NotCheckedOut);
    assert_eq!(place.catalog().entries().len(), 18);
}

#[test]
fn a_name_that_reads_like_a_known_one_is_taken() {
    let place = Place::new();
    let folder = place.path("");
    let folder = folder.to_str().unwrap();
    for (name, owner) in [("dgl", "dgl"), ("timm", "pytorch-image-models"), ("open-clip", "open_clip")] {
        let error = place.catalog().add(folder, Some(name.parse().unwrap())).unwrap_err();
        assert_eq!(error.to_string(), format!("the name `{name}` already means the repository `{owner}`"));
    }
    // Another process may have taken it since this one looked.
    let mut earlier = place.catalog();
    place.catalog().add(folder, Some(name())).unwrap();
    let error = earlier.add(folder, Some(name())).unwrap_err();
    assert!(matches!(error, Error::NameTaken { .. }), "{error}");
}

#[test]
fn refuses_to_add_what_is_neither_folder_nor_url() {
    let place = Place::new();
    for source in ["", "-x", "huggingface/transformers", "ext::sh -c x", "/nonexistent"] {
        let error = place.catalog().add(source, Some(name())).unwrap_err();
        assert!(matches!(error, Error::InvalidSource { .. }), "{source}: {error}");
    }
    assert!(!place.data().exists());
}

#[test]
fn status_is_one_flat_document_for_machines() {
    let place = Place::new();
    place.catalog().link(&"dgl".parse().unwrap(), &place.path("")).unwrap();
    let status = serde_json::to_value(place.catalog().status().unwrap()).unwrap();
    assert_eq!(status[0]["state"], "ready");
    assert_eq!(status[0]["checkout"]["origin"], "linked");
    assert_eq!(status[0]["entry"]["environment"]["conda"], "dgl_DS");
    assert_eq!(status[1]["state"], "not_checked_out");
}

#[test]
fn notices_what_another_process_adds_and_removes() {
    let place = Place::new();
    let origin = Origin::with_files(place.path("mine"));
    let open = place.catalog();
    assert!(open.is_current());
    let mut other = place.catalog();
    other.add(origin.folder().to_str().unwrap(), None).unwrap();
    assert!(!open.is_current() && open.resolve("mine").is_err());
    let open = open.reopened().unwrap();
    assert!(open.is_current() && open.resolve("mine").is_ok());
    other.remove(&"mine".parse().unwrap()).unwrap();
    assert!(!open.is_current() && open.reopened().unwrap().resolve("mine").is_err());
}
