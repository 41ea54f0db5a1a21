//! What documents and scripts say about other files: a section that shows `python citation.py --dataset cora`
//! describes that script in the words of its readers, so the words count for the script as well.

use std::collections::HashMap;

use repos::RepositoryPath;

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mention {
    name: String,
    context: String,
}

/// What is said about one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    /// In how many places.
    pub(crate) places: u32,
    /// The words around them.
    pub(crate) words: String,
}

/// The mentions in the chunks of a document or script.
pub(crate) fn mentions(chunks: &[Chunk]) -> Vec<Mention> {
    let mut mentions = Vec::new();
    for chunk in chunks {
        let lines: Vec<&str> = chunk.body.lines().collect();
        for (number, line) in lines.iter().enumerate() {
            for name in names(line) {
                let around =
                    &lines[number.saturating_sub(LINES_AROUND)..(number + LINES_AROUND + 1).min(lines.len())];
                let title = chunk.title.as_deref().unwrap_or_default();
                let context = format!("{title}\n{}", around.join("\n"));
                mentions.push(Mention { name, context: cut(&context, LONGEST_CONTEXT_BYTES).to_owned() });
            }
        }
    }
    mentions
}

/// The file names in a line: paths with a known ending, and modules after `-m`.
fn names(line: &str) -> Vec<String> {
    if !line.contains('.') && !line.contains(" -m ") {
        return Vec::new();
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

    /// Collects what is said about each file; `all` holds the mentions of each, in the order of the paths.
    pub(crate) fn collect(&self, all: &[Vec<Mention>]) -> Vec<Said> {
        let mut said = vec![Said::default(); self.paths.len()];
        for (from, mentions) in all.iter().enumerate() {
            for mention in mentions {
                for target in self.resolve(from, &mention.name) {
                    let said = &mut said[target];
                    said.places += 1;
                    if target != from && said.words.len() + mention.context.len() < MOST_WORDS_BYTES {
                        said.words.push_str(&mention.context);
                        said.words.push('\n');
                    }
                }
            }
        }
        said
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
            body: "To train:\npython train.py\n".to_owned(),
        };
        let paths = paths();
        let mut all = vec![Vec::new(); paths.len()];
        all[1] = mentions(&[chunk]);
        let said = Resolver::new(&paths).collect(&all);
        assert_eq!(said[3], Said { places: 1, words: "Citeseer\nTo train:\npython train.py\n".to_owned() });
        assert_eq!(said.iter().map(|said| said.places).sum::<u32>(), 1);
    }
}
