//! All tools agree on what is in a workspace.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tools::{
    Call, Error, ListFilesInput, ListRepositories, ListRepositoriesInput, RunInSandbox, RunInSandboxInput,
    Tool, WorkspaceSettings, WriteFileInput,
};

use crate::place::{Place, all, edit, provided, whole};

#[tokio::test]
async fn writes_lists_reads_runs_and_reads_again_in_containers() {
    let Some(image) = provided("REPOLAB_TEST_IMAGE") else { return };
    agree(Place::with(WorkspaceSettings::default(), Some(image))).await;
}

#[tokio::test]
async fn writes_lists_reads_runs_and_reads_again_on_the_host() {
    agree(Place::new()).await;
}

async fn agree(place: Place) {
    let place = place.holding(&[("run.sh", "#!/bin/sh\necho old\n"), ("a.txt", "a\n")]);
    let id = place.write(whole("src/new.txt", "written\n")).await.unwrap().workspace;
    let workspace = Some(id.clone());
    place
        .write(WriteFileInput { workspace: workspace.clone(), ..edit("run.sh", "old", "new") })
        .await
        .unwrap();

    let listed = place.list(ListFilesInput { workspace: workspace.clone(), ..all() }).await.unwrap();
    let paths: Vec<&str> = listed.entries.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(paths, ["a.txt", "run.sh", "src", "src/new.txt"]);
    assert!(place.read("src/new.txt", Some(&id)).await.unwrap().text.contains("written"));
    assert!(place.read("src/new.txt", None).await.is_err(), "the repository itself never changes");

    let command =
        "cat src/new.txt; sh run.sh; echo changed >> src/new.txt; echo made > src/made.txt; rm a.txt";
    let ran = place.run(command, Some(&id)).await.unwrap();
    assert_eq!((ran.stdout.as_str(), ran.exit_code), ("written\nnew\n", Some(0)), "{}", ran.stderr);
    let changed = ["removed a.txt", "modified run.sh", "added src/made.txt", "added src/new.txt"];
    assert_eq!(ran.changed_files, changed);

    assert!(place.read("src/new.txt", Some(&id)).await.unwrap().text.contains("changed"));
    assert!(place.read("a.txt", Some(&id)).await.is_err());
    let listed = place.list(ListFilesInput { workspace: workspace.clone(), ..all() }).await.unwrap();
    let paths: Vec<&str> = listed.entries.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(paths, ["run.sh", "src", "src/made.txt", "src/new.txt"]);
    place.write(WriteFileInput { workspace, ..edit("src/made.txt", "made", "remade") }).await.unwrap();

    let other = place.run("cat src/new.txt", None).await.unwrap();
    assert_ne!(other.exit_code, Some(0), "two workspaces never see each other");
    let output = ListRepositories::run(&place.toolbox, ListRepositoriesInput {}, &Call::default()).await;
    let output = output.unwrap();
    let count = output.workspaces.iter().find(|one| one.workspace == id).unwrap().changed_files;
    assert_eq!((output.workspaces.len(), count), (2, 4));
    assert!(ListRepositories::render(&output).contains(&id));
}

#[tokio::test]
async fn a_running_command_outlives_the_idle_time() {
    let settings = WorkspaceSettings { idle: Duration::from_millis(200), ..WorkspaceSettings::default() };
    let place = Place::with(settings, None).holding(&[("a", "")]);
    let ran = place.run("sleep 1.5; echo done > b; cat b", None).await.unwrap();
    assert_eq!(ran.stdout, "done\n", "{}", ran.stderr);
    let id = ran.workspace.unwrap();
    let folder = place.workspace(&id);
    let start = std::time::Instant::now();
    while folder.exists() {
        assert!(start.elapsed() < Duration::from_secs(30), "it was not removed");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let error = place.read("b", Some(&id)).await.unwrap_err();
    assert!(matches!(error, Error::WorkspaceExpired { .. }), "{error}");
    assert!(error.hint().unwrap().contains("leave `workspace` out"));
}

#[tokio::test]
async fn progress_rises_while_a_command_runs() {
    let place = Place::new().holding(&[("a", "")]);
    let heard: Arc<Mutex<Vec<(f64, f64, String)>>> = Arc::default();
    let listener = heard.clone();
    let call = Call {
        progress: Arc::new(move |done, total, message: &str| {
            listener.lock().unwrap().push((done, total, message.to_owned()));
        }),
        ..Call::default()
    };
    let input: RunInSandboxInput = serde_json::from_value(
        serde_json::json!({ "repo": "r", "command": "sleep 2.5", "timeout_seconds": 9 }),
    )
    .unwrap();
    RunInSandbox::run(&place.toolbox, input, &call).await.unwrap();
    let heard = heard.lock().unwrap();
    assert!(heard.len() >= 2, "{heard:?}");
    assert!(heard.windows(2).all(|pair| pair[0].0 < pair[1].0), "{heard:?}");
    assert_eq!((heard[0].1, heard[0].2.as_str()), (9.0, "running for 1 s of at most 9 s"));
}

#[tokio::test]
async fn says_how_to_see_what_was_cut() {
    let place = Place::new().holding(&[("a", "")]);
    let ran = place.run("seq 100000; for i in $(seq 80); do : > f$i; done", None).await.unwrap();
    assert!(ran.omitted_bytes > 0 && ran.more_changed_files == 30, "{}", ran.more_changed_files);
    let text = RunInSandbox::render(&ran);
    for part in ["> output.txt", "read_file", "list_files"] {
        assert!(text.contains(part) && ran.notes.iter().any(|note| note.contains(part)), "{text}");
    }
}
