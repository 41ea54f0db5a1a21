//! What documents and scripts say about other files: a section that shows `python citation.py --dataset cora`
//! describes that script in the words of its readers, so the words count for the script as well.

mod names;
mod resolver;

use serde::{Deserialize, Serialize};

use crate::analysis::Chunk;
use crate::source::cut;

pub(crate) use names::Part;
use names::{Command, Name};
pub(crate) use resolver::Resolver;

const LINES_AROUND: usize = 3;
const LONGEST_CONTEXT_BYTES: usize = 600;
// A launcher is mentioned by hundreds of scripts; what they add becomes noise.
const MOST_WORDS_BYTES: usize = 16 << 10;

/// A name of a file as written in another one, with what is said there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mention {
    name: String,
    context: String,
    /// The number of the chunk that holds it.
    chunk: usize,
    part: Part,
}

/// The files that a chunk leads its readers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Links {
    /// The number of the file that holds the chunk.
    pub(crate) from: usize,
    /// The number of the chunk in that file.
    pub(crate) chunk: usize,
    /// The numbers of the files, each with how it takes part.
    pub(crate) to: Vec<(usize, Part)>,
}

/// What is said about one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    /// In how many places.
    pub(crate) places: u32,
    /// The words around them.
    pub(crate) words: String,
}

impl Said {
    fn add(&mut self, context: &str) {
        self.places += 1;
        if self.words.len() + context.len() < MOST_WORDS_BYTES {
            self.words.push_str(context);
            self.words.push('\n');
        }
    }
}

impl Links {
    /// Adds a file; what is said most tellingly of it counts.
    fn add(&mut self, file: usize, part: Part) {
        match self.to.iter_mut().find(|(known, _)| *known == file) {
            Some((_, known)) => *known = part.min(*known),
            None => self.to.push((file, part)),
        }
    }
}

/// The mentions in the chunks of a document or script.
pub(crate) fn mentions(chunks: &[Chunk]) -> Vec<Mention> {
    let mut mentions = Vec::new();
    for (number_of_chunk, chunk) in chunks.iter().enumerate() {
        let lines: Vec<&str> = chunk.body.lines().collect();
        let mut command = Command::default();
        for (number, line) in lines.iter().enumerate() {
            for Name { name, part } in command.names(line) {
                let around =
                    &lines[number.saturating_sub(LINES_AROUND)..(number + LINES_AROUND + 1).min(lines.len())];
                let title = chunk.title.as_deref().unwrap_or_default();
                let context = format!("{title}\n{}", around.join("\n"));
                let context = cut(&context, LONGEST_CONTEXT_BYTES).to_owned();
                mentions.push(Mention { name, context, chunk: number_of_chunk, part });
            }
        }
    }
    mentions
}

/// Collects what is said about each file, and which chunks lead where; `all` holds the mentions in each file, in the
/// order of the paths that `resolver` knows.
pub(crate) fn collect(resolver: &Resolver<'_>, all: &[impl AsRef<[Mention]>]) -> (Vec<Said>, Vec<Links>) {
    let mut said = vec![Said::default(); all.len()];
    let mut links: Vec<Links> = Vec::new();
    for (from, mentions) in all.iter().enumerate() {
        for mention in mentions.as_ref() {
            let mut targets = resolver.resolve(from, &mention.name);
            targets.retain(|target| *target != from);
            for target in targets {
                said[target].add(&mention.context);
                match links.last_mut() {
                    Some(last) if (last.from, last.chunk) == (from, mention.chunk) => {
                        last.add(target, mention.part);
                    }
                    _ => links.push(Links { from, chunk: mention.chunk, to: vec![(target, mention.part)] }),
                }
            }
        }
    }
    (said, links)
}

#[cfg(test)]
mod tests {
    use repos::RepositoryPath;

    use super::*;

    #[test]
    fn keeps_the_words_around_a_mention_and_what_is_done_with_the_file() {
        let chunk = Chunk {
            kind: crate::ChunkKind::Section,
            start_line: 1,
            end_line: 3,
            title: Some("Citeseer".to_owned()),
            cell: None,
            body: "To train:\npython train.py\n".to_owned(),
        };
        let paths: Vec<RepositoryPath> =
            ["a/README.md", "a/train.py"].map(|path| path.parse().unwrap()).to_vec();
        let (said, links) = collect(&Resolver::new(&paths), &[mentions(&[chunk]), Vec::new()]);
        assert_eq!(links, [Links { from: 0, chunk: 0, to: vec![(1, Part::Run)] }]);
        let words = "Citeseer\nTo train:\npython train.py\n".to_owned();
        assert_eq!(said, [Said::default(), Said { places: 1, words }]);
    }
}
