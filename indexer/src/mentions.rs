//! What documents and scripts say about other files: a section that shows `python citation.py --dataset cora`
//! describes that script in the words of its readers, so the words count for the script as well.

use std::collections::HashMap;

use repos::RepositoryPath;
use serde::{Deserialize, Serialize};

use crate::analysis::Chunk;
use crate::source::cut;

// Files that people run, configure or are sent to.
const EXTENSIONS: &[&str] =
    &[".py", ".sh", ".ipynb", ".yaml", ".yml", ".json", ".cc", ".cpp", ".cu", ".toml"];
const LINES_AROUND: usize = 3;
const LONGEST_CONTEXT_BYTES: usize = 600;
// A launcher is mentioned by hundreds of scripts; what they add becomes noise.
const MOST_WORDS_BYTES: usize = 16 << 10;
// A name that fits more files than this means none of them.
const MOST_CANDIDATES: usize = 3;

/// A name of a file as written in another one, with what is said there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mention {
    name: String,
    context: String,
    /// The number of the chunk that holds it.
    chunk: usize,
}

/// The files that a chunk leads its readers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Links {
    /// The number of the file that holds the chunk.
    pub(crate) from: usize,
    /// The number of the chunk in that file.
    pub(crate) chunk: usize,
    /// The numbers of the files.
    pub(crate) to: Vec<usize>,
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

/// The mentions in the chunks of a document or script.
pub(crate) fn mentions(chunks: &[Chunk]) -> Vec<Mention> {
    let mut mentions = Vec::new();
    for (number_of_chunk, chunk) in chunks.iter().enumerate() {
        let lines: Vec<&str> = chunk.body.lines().collect();
        for (number, line) in lines.iter().enumerate() {
            for name in names(line) {
                let around =
                    &lines[number.saturating_sub(LINES_AROUND)..(number + LINES_AROUND + 1).min(lines.len())];
                let title = chunk.title.as_deref().unwrap_or_default();
                let context = format!("{title}\n{}", around.join("\n"));
                let context = cut(&context, LONGEST_CONTEXT_BYTES).to_owned();
                mentions.push(Mention { name, context, chunk: number_of_chunk });
            }
        }
    }
    mentions
}

/// The file names in a line: paths with a known ending, and modules after `-m`.
fn names(line: &str) -> Vec<String> {
    if !line.contains('.') && !line.contains(" -m ") && !line.contains("import ") {
        return Vec::new();
    }
    if let Some(names) = imported(line) {
        return names;
    }
    let is_path = |character: char| character.is_alphanumeric() || "_-./".contains(character);
    let mut names = Vec::new();
    let mut before = "";
    for token in line.split(|character| !is_path(character)).filter(|token| !token.is_empty()) {
        let name = token.trim_end_matches(['.', '/']).trim_start_matches("./");
        if before == "-m" && !name.is_empty() && !name.contains('/') {
            names.push(format!("{}.py", name.replace('.', "/")));
        } else if EXTENSIONS.iter().any(|extension| name.len() > extension.len() && name.ends_with(extension))
        {
            names.push(name.to_owned());
        }
        before = token;
    }
    names
}

/// The modules of a Python import, each under the names that its file may have.
fn imported(line: &str) -> Option<Vec<String>> {
    let line = line.trim_start().trim_start_matches(">>> ");
    let (module, members) = match line.strip_prefix("from ") {
        Some(rest) => rest.split_once(" import ")?,
        None => (line.strip_prefix("import ")?.split([' ', ',']).next()?, ""),
    };
    let is_module =
        |name: &str| !name.is_empty() && name.chars().all(|one| one.is_alphanumeric() || "_.".contains(one));
    if !is_module(module) || module.starts_with('.') {
        return None;
    }
    let folder = module.replace('.', "/");
    let mut names = vec![format!("{folder}.py"), format!("{folder}/__init__.py")];
    for member in members.split([',', ' ', '(', ')']).filter(|member| is_module(member)) {
        names.push(format!("{folder}/{member}.py"));
    }
    Some(names)
}

/// Finds the files that mentions mean.
pub(crate) struct Resolver<'a> {
    paths: &'a [RepositoryPath],
    by_path: HashMap<&'a str, usize>,
    by_name: HashMap<&'a str, Vec<usize>>,
}

impl<'a> Resolver<'a> {
    /// Knows these files.
    pub(crate) fn new(paths: &'a [RepositoryPath]) -> Self {
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (number, path) in paths.iter().enumerate() {
            by_name.entry(path.file_name()).or_default().push(number);
        }
        let by_path = paths.iter().enumerate().map(|(number, path)| (path.as_str(), number)).collect();
        Self { paths, by_path, by_name }
    }

    /// Collects what is said about each file, and which chunks lead where; `all` holds the mentions of each file,
    /// in the order of the paths.
    pub(crate) fn collect(&self, all: &[impl AsRef<[Mention]>]) -> (Vec<Said>, Vec<Links>) {
        let mut said = vec![Said::default(); self.paths.len()];
        let mut links: Vec<Links> = Vec::new();
        for (from, mentions) in all.iter().enumerate() {
            for mention in mentions.as_ref() {
                let mut targets = self.resolve(from, &mention.name);
                targets.retain(|target| *target != from);
                for target in &targets {
                    said[*target].add(&mention.context);
                }
                match links.last_mut() {
                    Some(last) if (last.from, last.chunk) == (from, mention.chunk) => last.to.extend(targets),
                    _ if targets.is_empty() => {}
                    _ => links.push(Links { from, chunk: mention.chunk, to: targets }),
                }
            }
        }
        for links in &mut links {
            links.to.sort_unstable();
            links.to.dedup();
        }
        (said, links)
    }

    /// The files that `name` means when written in the file `from`: beneath the nearest folder around it that
    /// has such a file, else whatever few paths end so.
    fn resolve(&self, from: usize, name: &str) -> Vec<usize> {
        let mut folder = self.paths[from].as_str();
        let climb = name.matches("../").count();
        let name = name.trim_start_matches("../");
        for _ in 0..climb {
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        }
        while let Some((above, _)) = folder.rsplit_once('/') {
            if let Some(found) = self.by_path.get(format!("{above}/{name}").as_str()) {
                return vec![*found];
            }
            folder = above;
        }
        if let Some(found) = self.by_path.get(name) {
            return vec![*found];
        }
        let base = name.rsplit('/').next().unwrap_or(name);
        let ends_so = |candidate: &&usize| {
            self.paths[**candidate].as_str().strip_suffix(name).is_some_and(|rest| rest.ends_with('/'))
        };
        let found: Vec<usize> =
            self.by_name.get(base).into_iter().flatten().filter(ends_so).copied().collect();
        if found.len() <= MOST_CANDIDATES { found } else { Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_file_names_in_commands_links_and_prose() {
        for (line, expected) in [
            ("python -u ./main.py --gpu 0", &["main.py"][..]),
            ("see [the script](examples/a-b/train.py).", &["examples/a-b/train.py"]),
            ("CUDA_VISIBLE_DEVICES=0 bash ../scripts/run.sh", &["../scripts/run.sh"]),
            ("python -m open_clip_train.main --lr 1", &["open_clip_train/main.py"]),
            ("from a.b import C, d", &["a/b.py", "a/b/__init__.py", "a/b/C.py", "a/b/d.py"]),
            ("import torch.nn as nn", &["torch/nn.py", "torch/nn/__init__.py"]),
            ("from here you can import data.", &[]),
            ("nothing here. 3.5 is no file, nor is .py", &[]),
        ] {
            assert_eq!(names(line), expected, "{line}");
        }
    }

    fn paths() -> Vec<RepositoryPath> {
        ["README.md", "a/README.md", "a/b/x.sh", "a/train.py", "c/train.py", "c/d/only.py", "run.py"]
            .map(|path| path.parse().unwrap())
            .to_vec()
    }

    #[test]
    fn means_the_nearest_file_of_that_name() {
        let paths = paths();
        let resolver = Resolver::new(&paths);
        for (from, name, expected) in [
            (1, "train.py", &[3][..]),
            (2, "train.py", &[3]),
            (2, "../train.py", &[3]),
            (0, "train.py", &[3, 4]),
            (0, "c/train.py", &[4]),
            (1, "d/only.py", &[5]),
            (2, "run.py", &[6]),
            (0, "missing.py", &[]),
            (0, "rain.py", &[]),
        ] {
            assert_eq!(resolver.resolve(from, name), expected, "{name} from {from}");
        }
    }

    #[test]
    fn keeps_the_words_around_a_mention() {
        let chunk = Chunk {
            kind: crate::ChunkKind::Section,
            start_line: 1,
            end_line: 3,
            title: Some("Citeseer".to_owned()),
            cell: None,
            body: "To train:\npython train.py\n".to_owned(),
        };
        let paths = paths();
        let mut all = vec![Vec::new(); paths.len()];
        all[1] = mentions(&[chunk]);
        let (said, links) = Resolver::new(&paths).collect(&all);
        assert_eq!(links, [Links { from: 1, chunk: 0, to: vec![3] }]);
        assert_eq!(said[3], Said { places: 1, words: "Citeseer\nTo train:\npython train.py\n".to_owned() });
        assert_eq!(said.iter().map(|said| said.places).sum::<u32>(), 1);
    }
}
