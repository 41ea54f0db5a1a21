//! The protocol's own conformance suite, against the product's HTTP stack. Most of its scenarios call tools, resources
//! and prompts by fixed names, which an example serves on the same stack; the others also run against the real server.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::listening::Listening;
use crate::support::{Place, Ran, provided};

/// Each revision, and how many checks the suite made of it when this was written.
const REQUIREMENTS: [(&str, usize); 2] = [("2026-07-28", 197), ("2025-11-25", 83)];

/// What needs no fixtures.
const FOR_ANY_SERVER: [&str; 12] = [
    "server-initialize",
    "server-session-lifecycle",
    "ping",
    "tools-list",
    "dns-rebinding-protection",
    "http-header-validation",
    "server-sse-multiple-streams",
    "sep-2164-resource-not-found",
    "input-required-result-unsupported-methods",
    "input-required-result-missing-input-response",
    "input-required-result-ignore-extra-params",
    "input-required-result-validate-input",
];

#[test]
fn the_fixtures_meet_the_requirements_of_both_eras() {
    let Some(clients) = provided("REPOLAB_TEST_CLIENTS") else { return };
    let place = Place::new();
    let server = Listening::start(fixtures(&place));
    for (revision, least) in REQUIREMENTS {
        let baseline = expected_failures().display().to_string();
        let ran = suite(
            &place,
            (&clients, &server),
            &["--requirements", revision, "--expected-failures", &baseline],
        )
        .success();
        let (passed, failed) = total(&ran);
        assert!(passed >= least && failed == 0, "{revision}: {}", ran.transcript());
    }
}

#[test]
fn the_product_passes_every_scenario_that_needs_no_fixtures() {
    let Some(clients) = provided("REPOLAB_TEST_CLIENTS") else { return };
    let place = Place::new().with_repository("sample", &[("a.py", "def answer():\n    return 42\n")]);
    let server = Listening::start(place.command(["serve", "--http", "127.0.0.1:0"]));
    for scenario in FOR_ANY_SERVER {
        suite(&place, (&clients, &server), &["--scenario", scenario]).success();
    }
}

#[test]
fn no_failure_is_expected() {
    let text = fs_err::read_to_string(expected_failures()).unwrap();
    let lists: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lists, ["server: []"], "a scenario that fails is a bug to mend, not to list");
}

/// The example that serves what the suite asks for; cargo puts it beside the program under test.
#[expect(clippy::disallowed_methods, reason = "tests start the server under test")]
fn fixtures(place: &Place) -> Command {
    let program = Path::new(env!("CARGO_BIN_EXE_repolab")).with_file_name("examples/conformance_server");
    assert!(
        program.is_file(),
        "{} is missing: `cargo build --example conformance_server`",
        program.display()
    );
    let mut command = Command::new(program);
    command.env_clear().current_dir(place.folder());
    command
}

/// Runs the suite; its own, newer Node.js stands beside it.
#[expect(
    clippy::disallowed_methods,
    reason = "tests start foreign clients, with an environment of their own"
)]
fn suite(place: &Place, (clients, server): (&str, &Listening), arguments: &[&str]) -> Ran {
    let programs = Path::new(clients).join("node_modules/.bin");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new(programs.join("conformance"));
    command
        .args(["server", "--url", server.url()])
        .args(arguments)
        .arg("--output-dir")
        .arg(place.folder().join("results"))
        .env_clear()
        .env("PATH", format!("{}:{path}", programs.display()))
        .env("HOME", place.folder())
        .current_dir(place.folder());
    Ran::of(command)
}

/// The numbers of `Total: 197 passed, 0 failed`.
fn total(ran: &Ran) -> (usize, usize) {
    let text = ran.stdout();
    let total = text.lines().find_map(|line| line.strip_prefix("Total: "));
    let words = total.unwrap_or_else(|| panic!("no total: {}", ran.transcript())).split_whitespace();
    let numbers: Vec<usize> = words.filter_map(|word| word.parse().ok()).collect();
    (numbers[0], numbers[1])
}

fn expected_failures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/conformance/expected-failures.yaml")
}
