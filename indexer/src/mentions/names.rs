//! The names of files in a line of a document or script, and what the line does with them: a command runs a file, gets
//! it as an argument, code imports it, prose points to it. A file that is run is described by the text around it; one
//! that every command gets as an argument is described by none.

use serde::{Deserialize, Serialize};

// Files that people run, configure or are sent to.
const EXTENSIONS: &[&str] =
    &[".py", ".sh", ".ipynb", ".yaml", ".yml", ".json", ".cc", ".cpp", ".cu", ".toml"];
// What stands before a script that a command runs, but for options.
const RUNNERS: &[&str] = &[
    "accelerate",
    "bash",
    "deepspeed",
    "python",
    "python2",
    "python3",
    "sbatch",
    "sh",
    "source",
    "streamlit",
    "torchrun",
];
// Modules that run the script behind them, as `python -m torch.distributed.launch train.py` does.
const LAUNCHING_MODULES: &[&str] = &["launch", "run"];

/// How a file takes part in what a line says, the most telling way first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Part {
    /// A command runs it.
    Run,
    /// It is spoken of or linked to.
    Named,
    /// Code imports it.
    Imported,
    /// A command gets it as an argument.
    Argument,
}

/// The name of a file in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) name: String,
    pub(super) part: Part,
}

/// A command that may go on from line to line.
#[derive(Default)]
pub(super) struct Command {
    /// The next file is the one that it runs.
    runs_next: bool,
    has_run: bool,
}

impl Command {
    /// The file names in the next line: paths with a known ending, and modules after `-m`.
    pub(super) fn names(&mut self, line: &str) -> Vec<Name> {
        let names = match imported(line) {
            Some(names) => names.into_iter().map(|name| Name { name, part: Part::Imported }).collect(),
            None => self.names_of_words(line),
        };
        if !line.trim_end().ends_with('\\') {
            *self = Self::default();
        }
        names
    }

    fn names_of_words(&mut self, line: &str) -> Vec<Name> {
        if !line.contains('.')
            && !line.contains(" -m ")
            && RUNNERS.iter().all(|runner| !line.contains(runner))
        {
            return Vec::new();
        }
        let is_path = |character: char| character.is_alphanumeric() || "_-./".contains(character);
        let mut names = Vec::new();
        let mut before = "";
        for word in line.split(|character| !is_path(character)).filter(|word| !word.is_empty()) {
            let name = word.trim_end_matches(['.', '/']).trim_start_matches("./");
            if before == "-m" && !name.is_empty() && !name.contains('/') {
                names.push(Name { name: format!("{}.py", name.replace('.', "/")), part: self.part(true) });
                self.runs_next =
                    name.rsplit('.').next().is_some_and(|last| LAUNCHING_MODULES.contains(&last));
            } else if has_known_ending(name) {
                let starts_line = before.is_empty() && word.starts_with("./");
                names.push(Name { name: name.to_owned(), part: self.part(starts_line) });
            }
            self.runs_next |= RUNNERS.contains(&word);
            before = word;
        }
        names
    }

    /// What the command does with the next file.
    fn part(&mut self, is_program: bool) -> Part {
        if std::mem::take(&mut self.runs_next) || is_program {
            self.has_run = true;
            Part::Run
        } else if self.has_run {
            Part::Argument
        } else {
            Part::Named
        }
    }
}

fn has_known_ending(name: &str) -> bool {
    EXTENSIONS.iter().any(|extension| name.len() > extension.len() && name.ends_with(extension))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, Part)]) {
        let mut command = Command::default();
        let names: Vec<Name> = text.lines().flat_map(|line| command.names(line)).collect();
        let found: Vec<_> = names.iter().map(|name| (name.name.as_str(), name.part)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn finds_file_names_in_commands_links_and_prose() {
        use Part::{Argument, Imported, Named, Run};
        check("python -u ./main.py --gpu 0", &[("main.py", Run)]);
        check("see [the script](examples/a-b/train.py).", &[("examples/a-b/train.py", Named)]);
        check("CUDA_VISIBLE_DEVICES=0 bash ../scripts/run.sh", &[("../scripts/run.sh", Run)]);
        check("./run.sh a.yaml", &[("run.sh", Run), ("a.yaml", Argument)]);
        check("python -m open_clip_train.main --lr 1", &[("open_clip_train/main.py", Run)]);
        let imported = ["a/b.py", "a/b/__init__.py", "a/b/C.py", "a/b/d.py"].map(|name| (name, Imported));
        check("from a.b import C, d", &imported);
        check("import torch.nn as nn", &[("torch/nn.py", Imported), ("torch/nn/__init__.py", Imported)]);
        check("from here you can import data.", &[]);
        check("nothing here. 3.5 is no file, nor is .py", &[]);
    }

    #[test]
    fn a_command_goes_on_where_its_line_does() {
        use Part::{Argument, Named, Run};
        check(
            "python demo.py \\\n  --config a/config.py\nSee also config.py",
            &[("demo.py", Run), ("a/config.py", Argument), ("config.py", Named)],
        );
        check(
            "python -m torch.distributed.launch --nproc 2 train.py --cfg x.yaml",
            &[("torch/distributed/launch.py", Run), ("train.py", Run), ("x.yaml", Argument)],
        );
    }
}
