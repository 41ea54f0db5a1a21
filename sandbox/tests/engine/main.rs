//! The sandbox against a real container engine: what a hostile or unlucky program does, and what is left of it.
//! Needs an engine and the images of `.ci/test-images`; without them every test says so and passes, except
//! under `CI`, where it fails.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests panic, and say aloud when they are skipped"
)]

mod confinement;
mod endings;
mod leftovers;
mod limits;
mod mortal;
mod spares;
mod streams;
mod support;
mod trouble;
