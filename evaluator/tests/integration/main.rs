//! The evaluator from outside: real data, real processes and a real engine, in one binary.

#![expect(clippy::print_stderr, reason = "a skipped test must be seen")]
#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]

/// A folder with a repository, tasks and predictions of our own, and the way to real input.
mod support;

/// Answers executed in a real container engine.
mod engine;
/// The benchmark's dataset and recorded outputs, against figures of its own code.
mod real_data;
/// Replays in plain processes of this machine: rules, run folders, everything that does not fit.
mod replay;
/// What answers the questions of the real dataset in the real repositories.
mod truth;
