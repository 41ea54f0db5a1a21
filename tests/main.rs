//! The one integration binary: it drives the real `repolab` as a person, a client or a script would.
//! Add a module only for a new way in; behaviour of a crate is tested below its own code.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "in a test, a panic is the report")]
#![expect(clippy::needless_pass_by_value, reason = "a JSON value is written where it is used")]

/// Starts `repolab` in an environment of its own and shows everything when an assertion fails.
mod support;

/// Coding agents, driven headless against a scripted model.
mod agents;
/// The crates' edges, the protocol's borders, licences and file sizes, as ARCHITECTURE.md states them.
mod architecture;
/// What clients are told about the server, and their files.
mod client_config;
/// Clients that are not ours: the Python SDK and the MCP Inspector.
mod clients;
/// Help, exit codes and error texts.
mod command_line;
/// What users complained of in servers like this one, and the attacks that succeeded on them.
mod complaints;
/// The protocol's own conformance suite.
mod conformance;
/// `repolab demo`, as a newcomer runs it.
mod demo;
/// Registry entry, bundle and image, which must agree with the program.
mod distribution;
/// The ranking of every question, as text in git.
mod goldens;
/// Paths that lead out, through every tool.
mod hostile_paths;
/// The server over HTTP: each protection against whom it protects from.
mod http;
/// What stands on every line of the log.
mod log;
/// Traps of MCP servers, each met in the wild.
mod pitfalls;
/// Prompts, and the completion of their arguments.
mod prompts;
/// The benchmark's real dataset and recorded agent outputs.
mod real_data;
/// Real repositories: linked, indexed, searched.
mod real_repositories;
/// Recorded answers executed in a real engine.
mod replay;
/// Files as resources: listed, read, completed, refused.
mod resources;
/// Ten thousand mixed calls over one connection.
mod soak;
/// Long runs as tasks of the protocol's extension.
mod tasks;
/// Indexes that follow the disk.
mod watching;
/// The wire: both protocol eras over standard input and output, and what must not break them.
mod wire;
