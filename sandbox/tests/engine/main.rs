//! The sandbox against a real container engine: what a hostile or unlucky program does, and what is left of it.
//! Needs an engine and the images of `.ci/test-images`; without them every test says so and passes, except
//! under `CI`, where it fails.

mod confinement;
mod endings;
mod leftovers;
mod limits;
mod streams;
mod support;
mod trouble;
