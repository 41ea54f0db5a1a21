//! The files by which the server is handed out name its version, its tools and one and the same identity.

use std::path::{Path, PathBuf};

use expect_test::expect_file;
use serde_json::{Value, json};

use crate::support::{Place, Session, lent};

#[test]
fn the_bundle_has_the_version_and_the_tools_of_the_program() {
    let mut session = Session::initialized(&Place::new());
    let served = session.request("tools/list", json!({}));
    let tools: Vec<Value> = served["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| json!({ "name": tool["name"], "description": tool["title"] }))
        .collect();
    let mut manifest = parsed("manifest.json");
    manifest["version"] = json!(env!("CARGO_PKG_VERSION"));
    manifest["tools"] = json!(tools);
    expect_file!["../server/distribution/manifest.json"].assert_eq(&format!("{manifest:#}\n"));
}

#[test]
fn the_registry_entry_has_the_version_of_the_program_everywhere() {
    let version = env!("CARGO_PKG_VERSION");
    let mut entry = parsed("server.json");
    entry["version"] = json!(version);
    for package in entry["packages"].as_array_mut().unwrap() {
        match package["registryType"].as_str().unwrap() {
            "cargo" => package["version"] = json!(version),
            "oci" => {
                let (image, _) = package["identifier"].as_str().unwrap().rsplit_once(':').unwrap();
                package["identifier"] = json!(format!("{image}:{version}"));
            }
            "mcpb" => {
                let path = package["identifier"].as_str().unwrap();
                let (before, rest) = path.split_once("/v").unwrap();
                let (_, file) = rest.split_once('/').unwrap();
                package["identifier"] = json!(format!("{before}/v{version}/{file}"));
            }
            other => panic!("nothing is known of {other}"),
        }
    }
    expect_file!["../server/distribution/server.json"].assert_eq(&format!("{entry:#}\n"));
}

#[test]
fn the_image_is_labelled_with_the_name_in_the_registry() {
    let name = parsed("server.json")["name"].as_str().unwrap().to_owned();
    let recipe = fs_err::read_to_string(folder().join("Dockerfile")).unwrap();
    assert!(recipe.contains(&format!("io.modelcontextprotocol.server.name=\"{name}\"")), "{recipe}");
    assert!(recipe.contains("\nUSER repolab\n") && recipe.contains("\nCMD [\"serve\"]\n"), "{recipe}");
}

#[test]
fn both_files_follow_the_schemas_of_those_who_read_them() {
    let Some(schemas) = lent("REPOLAB_TEST_SCHEMAS").map(PathBuf::from) else { return };
    for (file, schema) in
        [("server.json", "server.schema.json"), ("manifest.json", "mcpb-manifest-v0.3.schema.json")]
    {
        let schema = serde_json::from_str(&fs_err::read_to_string(schemas.join(schema)).unwrap()).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let document = parsed(file);
        let faults: Vec<String> = validator.iter_errors(&document).map(|fault| fault.to_string()).collect();
        assert!(faults.is_empty(), "{file}: {faults:?}");
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("distribution")
}

fn parsed(name: &str) -> Value {
    serde_json::from_str(&fs_err::read_to_string(folder().join(name)).unwrap()).unwrap()
}
