//! The files that shell commands name: scripts, modules run with `-m`, and configuration; followed through `cd`.

use super::answers::Because;
use super::files::Files;
use super::modules::Modules;
use super::named::Named;

const SCRIPT_ENDINGS: [&str; 2] = [".py", ".sh"];
const CONFIGURATION_ENDINGS: [&str; 5] = [".yaml", ".yml", ".toml", ".ini", ".cfg"];

/// What the commands of an answer that runs in `folder` name. Only the first script of a command runs; a further one
/// is handed to it.
pub(crate) fn named_by_commands(text: &str, folder: &str, files: &Files) -> Vec<Named> {
    let modules = Modules::new(files, folder);
    let mut shell = Shell { files, modules: &modules, folders: vec![folder.to_owned()], named: Vec::new() };
    for command in commands(text) {
        shell.run(&command);
    }
    shell.named
}

struct Shell<'a> {
    files: &'a Files,
    modules: &'a Modules<'a>,
    /// Where the shell is, last, after where it was before.
    folders: Vec<String>,
    named: Vec<Named>,
}

impl Shell<'_> {
    fn run(&mut self, words: &[&str]) {
        if let ["cd", target, ..] = words {
            // A folder outside, such as a fresh clone's, is the repository itself as far as files go.
            let here = self.folders.last().and_then(|here| self.files.folder_at(here, target));
            self.folders.extend(here);
            return;
        }
        let mut runs_something = false;
        let mut previous = "";
        for word in words {
            let named = if previous == "-m" { self.module(word) } else { self.file(word, runs_something) };
            if let Some(named) = named {
                runs_something |= matches!(named.because, Because::Script | Because::Module);
                self.named.push(named);
            }
            previous = word;
        }
    }

    fn module(&self, name: &str) -> Option<Named> {
        let file = self.modules.runnable(name)?;
        Some(Named::full(file, Because::Module))
    }

    fn file(&self, word: &str, runs_something: bool) -> Option<Named> {
        let word = word.rsplit('=').next().unwrap_or(word);
        let ends_with = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
        let is_script = ends_with(&SCRIPT_ENDINGS);
        if !is_script && !ends_with(&CONFIGURATION_ENDINGS) {
            return None;
        }
        let runs = is_script && !runs_something;
        // Answers are often written for the folder before a `cd`, or for the top.
        let mut folders = self.folders.iter().rev().map(String::as_str).chain([""]);
        let path = folders.find_map(|folder| self.files.at(folder, word));
        // Or for a folder further down, which the document around the command told to enter.
        let path = path.or_else(|| self.files.only_beneath(&self.folders[0], word).filter(|_| runs))?;
        Some(if runs {
            Named::full(path, Because::Script)
        } else {
            Named::partial(path, Because::Configuration)
        })
    }
}

/// Commands as lists of words. Quotes are dropped: what they hold together is never a path.
fn commands(text: &str) -> Vec<Vec<&str>> {
    let mut commands = vec![Vec::new()];
    for line in text.split_inclusive('\n') {
        let continues = line.trim_end().ends_with('\\');
        for word in line.split_whitespace().filter(|word| *word != "\\" && *word != "$") {
            let (word, ends) = match word.trim_end_matches([';', '&', '|']) {
                bare if bare.len() < word.len() => (bare, true),
                _ => (word, false),
            };
            let word = word.trim_matches(['"', '\'', '`']);
            commands
                .last_mut()
                .into_iter()
                .for_each(|command| command.extend((!word.is_empty()).then_some(word)));
            if ends {
                commands.push(Vec::new());
            }
        }
        if !continues {
            commands.push(Vec::new());
        }
    }
    commands.retain(|command| !command.is_empty());
    commands
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::truth::sample;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, Because)]) {
        let (_folder, files) = sample::files(&[
            ("work/train.py", "x"),
            ("work/deep/run.sh", "x"),
            ("work/deep/twice.sh", "x"),
            ("work/other/twice.sh", "x"),
            ("elsewhere/far.sh", "x"),
            ("train.py", "x"),
            ("package/main.py", "x"),
            ("package/__main__.py", "x"),
            ("configs/a.yaml", "x"),
            ("configs/b.py", "x"),
        ]);
        let named = named_by_commands(text, "work", &files);
        let found: Vec<_> = named.iter().map(|named| (named.path.as_str(), named.because)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn scripts_are_sought_where_the_command_runs_and_then_above() {
        check("python train.py --lr 0.1", &[("work/train.py", Because::Script)]);
        check("python ../train.py", &[("train.py", Because::Script)]);
        check("python package/main.py", &[("package/main.py", Because::Script)]);
        check("CUDA_VISIBLE_DEVICES=0 torchrun \\\n  train.py\n", &[("work/train.py", Because::Script)]);
        check("python train_all.py", &[]);
    }

    #[test]
    fn a_change_of_folder_counts() {
        check("cd deep && bash run.sh", &[("work/deep/run.sh", Because::Script)]);
        check("cd deep; sh './run.sh'", &[("work/deep/run.sh", Because::Script)]);
        check("cd ..\npython train.py", &[("train.py", Because::Script)]);
        check("git clone x\ncd x\npython train.py", &[("work/train.py", Because::Script)]);
    }

    #[test]
    fn a_script_further_down_is_meant_if_no_other_has_its_name() {
        check("bash run.sh", &[("work/deep/run.sh", Because::Script)]);
        check("bash twice.sh", &[]);
        check("bash far.sh", &[]);
    }

    #[test]
    fn modules_and_configuration_are_told_from_scripts() {
        check("python -m package.main", &[("package/main.py", Because::Module)]);
        check("python -m package", &[("package/__main__.py", Because::Module)]);
        check(
            "python -m torch.run train.py --config=configs/a.yaml configs/b.py",
            &[
                ("work/train.py", Because::Script),
                ("configs/a.yaml", Because::Configuration),
                ("configs/b.py", Because::Configuration),
            ],
        );
    }
}
