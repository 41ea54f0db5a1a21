//! Everything that trials need, found before the first one runs: whatever is missing stops the run while it has
//! cost nothing.

use std::collections::{BTreeMap, BTreeSet};

use sandbox::Sandbox;

use super::image::{Image, Python};
use super::{Place, ReplayOptions, Stage};
use crate::attempt::Attempt;
use crate::{Error, Form, Result};

/// What the trials of a run need.
#[derive(Debug, Default)]
pub(super) struct Preparation {
    /// By the benchmark's number for the repository.
    pub(super) places: BTreeMap<i64, Prepared>,
    /// What the sandbox says it is.
    pub(super) sandbox: Option<String>,
}

/// A repository with the image in which its answers run.
#[derive(Clone, Debug)]
pub(super) struct Prepared {
    pub(super) place: Place,
    pub(super) image: Image,
}

impl Preparation {
    pub(super) async fn of(
        attempts: &[Attempt<'_>],
        options: &ReplayOptions,
        stage: &Stage<'_>,
    ) -> Result<Self> {
        if attempts.is_empty() {
            return Ok(Self::default());
        }
        let sandbox = stage.sandbox.ok_or(Error::NoSandbox)?;
        let numbers: BTreeSet<i64> = attempts.iter().map(|attempt| attempt.task.key.github_id).collect();
        let mut images: BTreeMap<String, Image> = BTreeMap::new();
        let mut places = BTreeMap::new();
        for github_id in numbers {
            let found = stage.places.place(github_id);
            let place = found.map_err(|source| Error::FindRepository { github_id, source })?;
            let name = image_name(&place, options, sandbox)?;
            if !images.contains_key(&name) {
                let image = Image::ask(&name, options, (sandbox, stage.cancel.clone())).await?;
                let cancelled = Error::Cancelled { done: 0, total: attempts.len() };
                images.insert(name.clone(), image.ok_or(cancelled)?);
            }
            places.insert(github_id, Prepared { place, image: images[&name].clone() });
        }
        let preparation = Self { places, sandbox: Some(sandbox.describe()) };
        preparation.refuse_missing_python(attempts, options)?;
        Ok(preparation)
    }

    /// The repository and image of an attempt that is to be run.
    pub(super) fn of_attempt(&self, attempt: &Attempt) -> Option<&Prepared> {
        self.places.get(&attempt.task.key.github_id)
    }

    /// Every path to which `python` has to be linked.
    pub(super) fn python_links(&self) -> BTreeSet<&str> {
        let links = self.places.values().filter_map(|prepared| match &prepared.image.python {
            Python::LinkTo(path) => Some(path.as_str()),
            Python::Own | Python::Missing => None,
        });
        links.collect()
    }

    fn refuse_missing_python(&self, attempts: &[Attempt], options: &ReplayOptions) -> Result<()> {
        let needs = |attempt: &&Attempt| options.conditions().form(attempt) == Form::Python;
        let images =
            attempts.iter().filter(needs).filter_map(|attempt| Some(&self.of_attempt(attempt)?.image));
        match images.into_iter().find(|image| image.python == Python::Missing) {
            Some(image) => Err(Error::ImageLacks { image: image.name.clone(), program: "python" }),
            None => Ok(()),
        }
    }
}

fn image_name(place: &Place, options: &ReplayOptions, sandbox: &Sandbox) -> Result<String> {
    match (sandbox, options.image.as_ref().or(place.image.as_ref())) {
        (Sandbox::Host(_), _) => Ok(String::new()),
        (Sandbox::Engine(_), Some(image)) => Ok(image.clone()),
        (Sandbox::Engine(_), None) => Err(Error::NoImage { repository: place.repository.clone() }),
    }
}
