//! Images are named by people and pinned by content: what ran is known even after a tag has moved.

use super::Engine;
use super::call::{ask, refused_with};
use crate::{Error, Result};

impl Engine {
    /// The content hash of an image that the engine has.
    ///
    /// Nothing is ever pulled: a job must not depend on the network or on what a tag means today.
    pub async fn image_digest(&self, image: &str) -> Result<String> {
        let found = ask("look up an image", self.docker.inspect_image(image)).await;
        let missing = || Error::ImageMissing { image: image.to_owned() };
        match found {
            Ok(found) => found.id.ok_or_else(missing),
            Err(error) if refused_with(&error) == Some(404) => Err(missing()),
            Err(error) => Err(error),
        }
    }
}
