//! The files that a Python program uses: modules it imports, modules that define what it takes from packages, and
//! configuration that it names.

use std::collections::BTreeMap;

use super::answers::{Because, Grade};
use super::files::Files;
use super::import_statements::{Import, Taken, imports};
use super::modules::Modules;
use super::named::Named;

/// What a program that runs in `folder` uses.
pub(crate) fn named_by_program(text: &str, folder: &str, files: &Files) -> Vec<Named> {
    let modules = Modules::new(files, folder);
    let mut program = Program { modules: &modules, named: Vec::new(), known: BTreeMap::new() };
    for import in imports(text) {
        program.import(&import);
    }
    program.follow_uses(text);
    program.named.extend(configuration(text, folder, files));
    program.named
}

struct Program<'a> {
    modules: &'a Modules<'a>,
    named: Vec<Named>,
    /// Names that stand for modules, with the modules' own dotted names.
    known: BTreeMap<String, String>,
}

impl Program<'_> {
    fn import(&mut self, import: &Import) {
        match &import.taken {
            Taken::Module(known_as) => {
                let first = import.module.split('.').next() == Some(known_as);
                let meant = if first { known_as.clone() } else { import.module.clone() };
                self.known.insert(known_as.clone(), meant);
                self.module(&import.module);
            }
            Taken::All => self.module(&import.module),
            Taken::Members(members) => {
                for (member, known_as) in members {
                    self.member(&import.module, member, known_as);
                }
            }
        }
    }

    fn module(&mut self, module: &str) {
        let name: Vec<&str> = module.split('.').collect();
        if let Some(located) = self.modules.locate(&name).filter(|located| located.rest.is_empty()) {
            self.named.push(Named::full(located.file, Because::Import));
        }
    }

    fn member(&mut self, module: &str, member: &str, known_as: &str) {
        let dotted = format!("{module}.{member}");
        let name: Vec<&str> = dotted.split('.').collect();
        let Some(located) = self.modules.locate(&name) else { return };
        match located.rest {
            [] => {
                self.known.insert(known_as.to_owned(), dotted.clone());
                self.named.push(Named::full(located.file, Because::Import));
            }
            [only] => {
                let definer = self.modules.definer(&located.file, only);
                let passes_on = definer != located.file;
                let grade = if passes_on { Grade::Partial } else { Grade::Full };
                self.named.push(Named { path: located.file, because: Because::Import, grade });
                if passes_on {
                    self.named.push(Named::full(definer, Because::Member));
                }
            }
            _ => {}
        }
    }

    /// What is reached through the dots behind the name of a module.
    fn follow_uses(&mut self, text: &str) {
        for (known_as, module) in self.known.clone() {
            for attributes in uses(text, &known_as) {
                self.attribute(&format!("{module}.{attributes}"), &module);
            }
        }
    }

    fn attribute(&mut self, dotted: &str, module: &str) {
        let name: Vec<&str> = dotted.split('.').collect();
        let Some(located) = self.modules.locate(&name) else { return };
        let definer = match located.rest.first() {
            Some(next) => self.modules.definer(&located.file, next),
            None => located.file,
        };
        let own: Vec<&str> = module.split('.').collect();
        let package = self.modules.locate(&own).map(|package| package.file);
        if package.as_ref() == Some(&definer) {
            return;
        }
        // The package only passes it on.
        for named in self.named.iter_mut().filter(|named| Some(&named.path) == package.as_ref()) {
            named.grade = Grade::Partial;
        }
        self.named.push(Named::full(definer, Because::Member));
    }
}

/// The dotted names that follow `name.` in a text.
fn uses<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let is_part = |character: char| character == '_' || character == '.' || character.is_alphanumeric();
    let mut found: Vec<&str> = Vec::new();
    for (start, _) in text.match_indices(&format!("{name}.")) {
        let begins = !text[..start].ends_with(is_part);
        let rest = &text[start + name.len() + 1..];
        let end = rest.find(|character| !is_part(character)).unwrap_or(rest.len());
        let line = text[..start].rsplit('\n').next().unwrap_or_default().trim_start();
        let is_statement = line.starts_with("import ") || line.starts_with("from ");
        let attributes = rest[..end].trim_matches('.');
        if begins && !is_statement && !attributes.is_empty() && !found.contains(&attributes) {
            found.push(attributes);
        }
    }
    found
}

/// Existing files of code or settings whose path stands in quotes.
fn configuration(text: &str, folder: &str, files: &Files) -> Vec<Named> {
    let ends = |text: &&str| [".py", ".yaml", ".yml", ".toml"].iter().any(|ending| text.ends_with(ending));
    let quoted = text.split(['"', '\'']).filter(ends);
    let found = quoted.filter_map(|path| files.at(folder, path).or_else(|| files.at("", path)));
    found.map(|path| Named::partial(path, Because::Configuration)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::truth::sample;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, Because, u8)]) {
        let (_folder, files) = sample::files(&[
            ("src/library/__init__.py", "from .factory import create\nfrom . import zoo\n"),
            ("src/library/factory.py", "def create(): pass\n"),
            ("src/library/zoo.py", "def small(): pass\n"),
            ("src/library/parts/__init__.py", ""),
            ("src/library/parts/head.py", "class Head: pass\n"),
            ("settings/a.yaml", "x"),
        ]);
        let mut named = named_by_program(text, "", &files);
        named.dedup();
        let found: Vec<_> =
            named.iter().map(|one| (one.path.as_str(), one.because, one.grade.number())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn a_package_that_passes_on_what_is_used_counts_less_than_where_it_is_defined() {
        let package = ("src/library/__init__.py", Because::Import, 1);
        let factory = ("src/library/factory.py", Because::Member, 2);
        check("from library import create\ncreate()", &[package, factory]);
        check("import library as l\nmodel = l.create('a')\nl.create()", &[package, factory]);
        check("import library\nlibrary.zoo.small()", &[package, ("src/library/zoo.py", Because::Member, 2)]);
        check(
            "import library\nprint(mylibrary.create, library)",
            &[("src/library/__init__.py", Because::Import, 2)],
        );
    }

    #[test]
    fn a_module_that_is_named_answers_and_an_empty_package_does_not() {
        check("from library.parts.head import Head", &[("src/library/parts/head.py", Because::Import, 2)]);
        check("from library.parts import head", &[("src/library/parts/head.py", Because::Import, 2)]);
        check("from library.zoo import *", &[("src/library/zoo.py", Because::Import, 2)]);
        check("from library import zoo\nzoo.small()", &[("src/library/zoo.py", Because::Import, 2)]);
        check("import torch\nfrom torch import nn", &[]);
    }

    #[test]
    fn settings_in_quotes_count_a_little() {
        check("load(\"settings/a.yaml\", 'b.yaml')", &[("settings/a.yaml", Because::Configuration, 1)]);
    }
}
