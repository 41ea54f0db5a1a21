//! Real code, linked, indexed and searched. CI brings three registered repositories as packages; with all eighteen
//! at their pins (`REPOLAB_CORPUS`) the whole benchmark corpus goes through.

use serde_json::Value;

use crate::support::{Place, Session, lent, provided};

/// Links every repository below the folder and indexes it.
fn indexed(folder: &str) -> (Place, Value) {
    let place = Place::new();
    place.run(["repos", "link", "--all", folder]).success();
    let summary = place.json(["index"]);
    (place, summary)
}

#[track_caller]
fn paths(place: &Place, repository: &str, query: &str) -> Vec<String> {
    let found = place.json(["search", query, "--repo", repository, "--limit", "5"]);
    let hits = found["hits"].as_array().unwrap();
    assert!(!hits.is_empty(), "nothing found for {query:?} in {repository}");
    hits.iter().map(|hit| hit["path"].as_str().unwrap().to_owned()).collect()
}

#[track_caller]
fn finds(place: &Place, repository: &str, query: &str, file: &str) {
    let paths = paths(place, repository, query);
    assert!(
        paths.iter().any(|path| path.ends_with(file)),
        "{query:?} in {repository} gave {paths:?}, not {file}"
    );
}

#[test]
fn packages_of_real_repositories_are_indexed_and_searched() {
    let Some(folder) = provided("REPOLAB_TEST_REPOSITORIES") else { return };
    let (place, summary) = indexed(&folder);
    assert_eq!(summary["repositories"].as_array().unwrap().len(), 3, "{summary}");
    assert!(summary["symbols"].as_u64().unwrap() > 5_000, "{summary}");
    let bytes = |name: &str| summary[name].as_u64().unwrap();
    let for_ranking = bytes("index_bytes") - bytes("trigram_bytes");
    assert!(for_ranking * 100 < bytes("bytes") * 40, "{summary}");
    finds(&place, "pytorch-image-models", "VisionTransformer", "vision_transformer.py");
    finds(&place, "pytorch-image-models", "squeeze and excite module", "squeeze_excite.py");
    finds(&place, "open_clip", "contrastive clip loss", "loss.py");
    finds(&place, "esm", "load pretrained model from the hub", "pretrained.py");
    let again = place.json(["index"]);
    assert_eq!(again["chunks"], summary["chunks"]);
    let mut session = Session::initialized(&place);
    let result = session.call("search", serde_json::json!({ "query": "class SwinTransformer" }));
    let first = &result["structuredContent"]["hits"][0];
    assert!(first["path"].as_str().unwrap().contains("swin_transformer"), "{first}");
}

#[test]
fn all_eighteen_repositories_are_linked_indexed_and_searched() {
    // The corpus comes from git servers, which CI does not reach.
    let Some(folder) = lent("REPOLAB_CORPUS") else { return };
    let (place, summary) = indexed(&folder);
    assert_eq!(summary["repositories"].as_array().unwrap().len(), 18, "{summary}");
    for report in summary["repositories"].as_array().unwrap() {
        let name = report["repository"].as_str().unwrap();
        assert!(report["files"].as_u64().unwrap() > 10, "{report}");
        paths(&place, name, "train the model");
    }
    finds(&place, "bert", "BertModel", "modeling.py");
    finds(&place, "dgl", "graph attention layer GATConv", "gatconv.py");
    finds(&place, "external-attention-pytorch", "external attention", "ExternalAttention.py");
}
