//! A generation before it is published, and what its files say of one another: that crosses files, so it is worked out
//! anew whenever one of them changes.

use repos::RepositoryPath;

use super::pack::Parts;
use super::records::{ChunkLinks, Records};
use crate::mentions::{Links, Mention, Resolver, Said, collect};

/// A generation that may be published.
pub(crate) struct Draft {
    pub(crate) records: Records,
    /// The numbers of the layers of the generation before that stay.
    pub(crate) kept: Vec<usize>,
    /// The layer that follows them.
    pub(crate) layer: Option<Parts>,
    pub(crate) files_read: u64,
    pub(crate) files_changed: u64,
}

/// What files say of one another.
pub(crate) struct Talk {
    /// About each file.
    pub(crate) said: Vec<Said>,
    pub(crate) links: Vec<ChunkLinks>,
}

impl Talk {
    /// Finds out what the files at `paths` say of one another by their mentions; `chunks` is how many chunks each has.
    pub(crate) fn of(
        paths: &[RepositoryPath],
        chunks: impl Iterator<Item = u32>,
        mentions: &[impl AsRef<[Mention]>],
    ) -> Self {
        let mut first_chunks = Vec::with_capacity(paths.len());
        let mut next = 0;
        for chunks in chunks {
            first_chunks.push(next);
            next += chunks;
        }
        let (said, links) = collect(&Resolver::new(paths), mentions);
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let placed = |links: Links| ChunkLinks {
            document: first_chunks[links.from] + number(links.chunk),
            files: links.to.into_iter().map(|(file, part)| (number(file), part)).collect(),
        };
        Self { said, links: links.into_iter().map(placed).collect() }
    }
}
