//! What ARCHITECTURE.md promises about the tree, checked against the tree.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};

/// Crate and the crates of this workspace that it may use.
const EDGES: [(&str, &[&str]); 6] = [
    ("repos", &[]),
    ("indexer", &["repos"]),
    ("sandbox", &[]),
    ("tools", &["repos", "indexer", "sandbox"]),
    ("evaluator", &["repos", "indexer", "sandbox", "tools"]),
    ("server", &["repos", "indexer", "sandbox", "tools", "evaluator"]),
];

/// Crates that live in one place, so that replacing one touches one crate.
const HOMES: [(&str, &str); 6] = [
    ("rmcp", "server"),
    ("tantivy", "indexer"),
    ("tree-sitter", "indexer"),
    ("bollard", "sandbox"),
    ("clap", "server"),
    ("parquet", "evaluator"),
];

/// Licences that MIT OR Apache-2.0 software may be shipped with, as atoms of SPDX expressions.
const LICENCES: [&str; 14] = [
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Unicode-3.0",
    "Zlib",
    "CC0-1.0",
    "Unlicense",
    "MIT-0",
    "0BSD",
    "BSL-1.0",
    "MPL-2.0",
];

#[test]
fn crates_use_only_the_crates_that_the_design_allows() {
    let metadata = metadata();
    let allowed: BTreeMap<&str, &[&str]> = EDGES.into();
    let members: BTreeSet<String> =
        metadata.workspace_packages().iter().map(|one| one.name.to_string()).collect();
    assert_eq!(members, allowed.keys().map(ToString::to_string).collect());
    for package in metadata.workspace_packages() {
        let used = package.dependencies.iter().filter(|one| members.contains(&one.name));
        for dependency in used.filter(|one| one.kind != DependencyKind::Development) {
            let may = allowed[package.name.as_str()];
            assert!(
                may.contains(&dependency.name.as_str()),
                "{} must not use {}",
                package.name,
                dependency.name
            );
        }
    }
}

#[test]
fn each_foreign_world_has_one_home() {
    for package in metadata().workspace_packages() {
        for dependency in &package.dependencies {
            if let Some((_, home)) = HOMES.iter().find(|(name, _)| *name == dependency.name) {
                assert_eq!(package.name.as_str(), *home, "{} belongs to {home} alone", dependency.name);
            }
        }
    }
    for (path, text) in sources().filter(|(path, _)| !path.starts_with(root().join("tests"))) {
        let inside = path.starts_with(root().join("server/src/mcp"));
        let joins_them = ["serve.rs", "demo"].iter().any(|part| path.to_string_lossy().contains(part));
        assert!(inside || joins_them || !text.contains("use rmcp"), "{} must not know rmcp", path.display());
    }
}

#[test]
fn every_dependency_has_a_licence_that_may_be_shipped() {
    for package in metadata().packages {
        let expression = package.license.clone().unwrap_or_default().replace('/', " OR ");
        let permitted = expression.split(" OR ").any(|choice| {
            let mut atoms = choice.split(" AND ").map(|atom| atom.trim_matches(['(', ')', ' ']));
            atoms.all(|atom| LICENCES.contains(&atom))
        });
        assert!(permitted, "{} {} is under `{expression}`", package.name, package.version);
    }
}

#[test]
fn every_source_file_says_why_it_exists() {
    for (path, text) in sources() {
        assert!(text.starts_with("//! "), "{} does not open with `//!`", path.display());
    }
}

#[test]
fn files_stay_small_enough_to_read() {
    let mut lengths: Vec<(usize, PathBuf)> =
        sources().map(|(path, text)| (text.lines().count(), path)).collect();
    lengths.sort();
    let (longest, path) = lengths.last().unwrap();
    assert!(*longest <= 600, "{} has {longest} lines: the design wants a new noun", path.display());
    let (median, _) = &lengths[lengths.len() / 2];
    assert!(*median <= 150, "half of all files are longer than {median} lines");
}

#[test]
fn no_name_hides_what_a_file_is_for() {
    for (path, _) in sources() {
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let vague = ["util", "utils", "helper", "helpers", "common", "misc", "manager"];
        assert!(!vague.contains(&stem.as_str()), "{} says nothing about its content", path.display());
    }
}

fn metadata() -> Metadata {
    MetadataCommand::new().manifest_path(root().join("Cargo.toml")).exec().unwrap()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Every Rust file of the project with its text.
fn sources() -> impl Iterator<Item = (PathBuf, String)> {
    let mut folders: Vec<PathBuf> = EDGES.iter().map(|(name, _)| root().join(name)).collect();
    folders.extend(["tests", "examples"].map(|name| root().join(name)));
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    assert!(files.len() > 50, "only {} source files found", files.len());
    files.into_iter().map(|path| (path.clone(), fs_err::read_to_string(path).unwrap()))
}
