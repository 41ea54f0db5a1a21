//! A server that is open sees what other processes do to the catalog, and lists many repositories.

use tools::{Call, ListRepositories, ListRepositoriesInput, ListRepositoriesOutput, Tool};

use crate::place::Place;

async fn repositories(place: &Place) -> ListRepositoriesOutput {
    ListRepositories::run(&place.toolbox, ListRepositoriesInput {}, &Call::default()).await.unwrap()
}

#[tokio::test]
async fn sees_what_another_process_adds_links_and_removes() {
    let place = Place::new();
    let names = async || -> Vec<String> {
        repositories(&place).await.repositories.into_iter().map(|one| one.name).collect()
    };
    assert_eq!(names().await, [""; 0]);
    fs_err::create_dir(place.path("mine")).unwrap();
    fs_err::write(place.path("mine/a.py"), "").unwrap();
    let mut other = place.catalog();
    other.add(place.path("mine").to_str().unwrap(), None).unwrap();
    assert_eq!(names().await, ["mine"]);
    other.link(&"dgl".parse().unwrap(), &place.path("mine")).unwrap();
    assert_eq!(names().await, ["dgl", "mine"]);
    other.remove(&"mine".parse().unwrap()).unwrap();
    other.unlink(&"dgl".parse().unwrap()).unwrap();
    assert_eq!(names().await, [""; 0]);
}

#[tokio::test]
async fn a_broken_catalog_file_keeps_what_was_known() {
    let place = Place::new().holding(&[("a.py", "a\n")]);
    assert!(place.read("a.py", None).await.is_ok());
    fs_err::write(place.path("data/catalog.toml"), "links = 3").unwrap();
    assert!(place.toolbox.catalog().resolve("r").is_ok());
}

#[tokio::test]
async fn with_nothing_here_both_forms_name_the_next_step() {
    let output = repositories(&Place::new()).await;
    let text = ListRepositories::render(&output);
    for form in [text, serde_json::to_string(&output).unwrap()] {
        assert!(form.contains("repolab repos sync") && form.contains("repolab repos link"), "{form}");
    }
}

#[tokio::test]
async fn lists_two_hundred_repositories() {
    let place = Place::new();
    let mut catalog = place.catalog();
    for number in 0..200 {
        let folder = place.path(&format!("many/small-{number:03}"));
        fs_err::create_dir_all(&folder).unwrap();
        fs_err::write(folder.join("a.py"), "def f(): pass\n").unwrap();
        catalog.add(folder.to_str().unwrap(), None).unwrap();
    }
    let started = std::time::Instant::now();
    let output = repositories(&place).await;
    println!("200 repositories without indexes were listed in {:?}", started.elapsed());
    assert_eq!(output.repositories.len(), 200);
    assert!(output.repositories.iter().all(|one| one.index == "missing"));
    assert!(ListRepositories::render(&output).len() < 60_000);
    assert!(serde_json::to_string(&output).unwrap().len() < 60_000);

    let store = indexer::IndexStore::new(place.path("data/indexes"));
    for checkout in place.catalog().checkouts().unwrap() {
        store.build(&checkout, &()).unwrap();
    }
    for attempt in ["first", "again"] {
        let started = std::time::Instant::now();
        let output = repositories(&place).await;
        println!("200 repositories with indexes were listed {attempt} in {:?}", started.elapsed());
        assert!(output.repositories.iter().all(|one| one.index == "ready" && one.files == Some(1)));
    }
}
