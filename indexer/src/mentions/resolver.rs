//! Which files a name in a document or script means: beneath the nearest folder around it that has such a file, as its
//! reader would look for it.

use std::collections::HashMap;

use repos::RepositoryPath;

// A name that fits more files than this means none of them.
const MOST_CANDIDATES: usize = 3;

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

    /// The numbers of the files that `name` means when written in the file `from`: the one or the few beneath the
    /// nearest folder around it that has such files, else whatever few paths end so.
    pub(super) fn resolve(&self, from: usize, name: &str) -> Vec<usize> {
        let mut folder = self.paths[from].as_str();
        let climb = name.matches("../").count();
        let name = name.trim_start_matches("../");
        for _ in 0..climb {
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        }
        while let Some((above, _)) = folder.rsplit_once('/') {
            let found = self.beneath(above, name);
            if !found.is_empty() {
                return found;
            }
            folder = above;
        }
        if let Some(found) = self.by_path.get(name) {
            return vec![*found];
        }
        few(self.ending_so(name))
    }

    /// The file at `name` beneath a folder, else the few further down.
    fn beneath(&self, folder: &str, name: &str) -> Vec<usize> {
        if let Some(found) = self.by_path.get(format!("{folder}/{name}").as_str()) {
            return vec![*found];
        }
        let is_beneath = |number: &usize| {
            self.paths[*number].as_str().strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
        };
        few(self.ending_so(name).filter(is_beneath))
    }

    /// The files whose paths end so.
    fn ending_so(&self, name: &str) -> impl Iterator<Item = usize> {
        let base = name.rsplit('/').next().unwrap_or(name);
        let ends_so = move |number: &usize| {
            self.paths[*number].as_str().strip_suffix(name).is_some_and(|rest| rest.ends_with('/'))
        };
        self.by_name.get(base).into_iter().flatten().copied().filter(ends_so)
    }
}

/// All of them, or none where they are many.
fn few(numbers: impl Iterator<Item = usize>) -> Vec<usize> {
    let found: Vec<usize> = numbers.take(MOST_CANDIDATES + 1).collect();
    if found.len() <= MOST_CANDIDATES { found } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_the_nearest_file_of_that_name() {
        let paths: Vec<RepositoryPath> = [
            "README.md",
            "a/README.md",
            "a/b/x.sh",
            "a/train.py",
            "c/train.py",
            "c/d/only.py",
            "run.py",
            "c/note.md",
        ]
        .map(|path| path.parse().unwrap())
        .to_vec();
        let resolver = Resolver::new(&paths);
        for (from, name, expected) in [
            (1, "train.py", &[3][..]),
            (2, "train.py", &[3]),
            (2, "../train.py", &[3]),
            (0, "train.py", &[3, 4]),
            (0, "c/train.py", &[4]),
            (1, "d/only.py", &[5]),
            (7, "only.py", &[5]),
            (2, "run.py", &[6]),
            (0, "missing.py", &[]),
            (0, "rain.py", &[]),
        ] {
            assert_eq!(resolver.resolve(from, name), expected, "{name} from {from}");
        }
    }
}
