//! Where Python finds modules in a checkout: from the folder an answer runs in, from `src/`, and from packages that
//! `pip install` would put in reach; and which module really defines a name that a package passes on.

use repos::RepositoryPath;

use super::files::{Files, parent};
use super::import_statements::{Import, Taken, imports};

/// Packages pass names on through few others; the bound ends circles.
const MOST_STEPS: usize = 5;

/// The modules that an answer can import.
pub(crate) struct Modules<'a> {
    files: &'a Files,
    roots: Vec<String>,
}

/// A module that was found, and what of the dotted name is left.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Located<'n> {
    pub(crate) file: RepositoryPath,
    pub(crate) rest: &'n [&'n str],
}

impl<'a> Modules<'a> {
    /// The modules in reach of an answer that runs in `folder`.
    pub(crate) fn new(files: &'a Files, folder: &str) -> Self {
        let mut roots = vec![folder.to_owned()];
        while let Some(last) = roots.last().filter(|last| !last.is_empty()) {
            roots.push(parent(last).to_owned());
        }
        roots.extend(files.installable());
        let with_source = roots.iter().flat_map(|root| [root.clone(), inside(root, "src")]);
        let mut known: Vec<String> = Vec::new();
        for root in with_source {
            if !known.contains(&root) {
                known.push(root);
            }
        }
        Self { files, roots: known }
    }

    /// The file that `python -m name` runs.
    pub(crate) fn runnable(&self, name: &str) -> Option<RepositoryPath> {
        let path = name.replace('.', "/");
        let of = |root: &String, path: &str| self.files.at(root, path);
        self.roots.iter().find_map(|root| {
            of(root, &format!("{path}.py")).or_else(|| of(root, &format!("{path}/__main__.py")))
        })
    }

    /// The longest part of a dotted name that is a module, from the first root that has any.
    pub(crate) fn locate<'n>(&self, name: &'n [&'n str]) -> Option<Located<'n>> {
        self.roots.iter().find_map(|root| self.locate_in(root, name))
    }

    /// The module that defines `name`, which is taken from `module`; the module itself if nothing leads further.
    pub(crate) fn definer(&self, module: &RepositoryPath, name: &str) -> RepositoryPath {
        self.follow(module, name, MOST_STEPS).unwrap_or_else(|| module.clone())
    }

    fn follow(&self, module: &RepositoryPath, name: &str, steps: usize) -> Option<RepositoryPath> {
        let text = self.files.text(module);
        if defines(&text, name) {
            return Some(module.clone());
        }
        let steps = steps.checked_sub(1)?;
        imports(&text).iter().find_map(|import| match &import.taken {
            Taken::Module(_) => None,
            Taken::All => self.follow(&self.target(module, import, None)?.0, name, steps),
            Taken::Members(members) => {
                let (member, _) = members.iter().find(|(_, known_as)| known_as == name)?;
                let (file, is_member) = self.target(module, import, Some(member))?;
                if is_member { Some(file) } else { self.follow(&file, member, steps).or(Some(file)) }
            }
        })
    }

    /// The module that an import statement in `module` means, and whether `member` is itself that module.
    fn target(
        &self,
        module: &RepositoryPath,
        import: &Import,
        member: Option<&str>,
    ) -> Option<(RepositoryPath, bool)> {
        let mut name: Vec<&str> = import.module.split('.').filter(|part| !part.is_empty()).collect();
        name.extend(member);
        let located = if import.level == 0 {
            self.locate(&name)?
        } else {
            let mut folder = parent(module.as_str());
            for _ in 1..import.level {
                folder = parent(folder);
            }
            self.locate_in(folder, &name)?
        };
        // What is left may be a name in the module, not a folder on the way to it.
        match (located.rest.len(), member) {
            (0, _) => Some((located.file.clone(), member.is_some())),
            (1, Some(_)) => Some((located.file, false)),
            _ => None,
        }
    }

    fn locate_in<'n>(&self, root: &str, name: &'n [&'n str]) -> Option<Located<'n>> {
        (1..=name.len()).rev().find_map(|count| {
            let path = name[..count].join("/");
            let module = self.files.at(root, &format!("{path}.py"));
            let file = module.or_else(|| self.files.at(root, &format!("{path}/__init__.py")))?;
            Some(Located { file, rest: &name[count..] })
        })
    }
}

fn inside(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Whether a module's text defines a name at its top.
fn defines(text: &str, name: &str) -> bool {
    let is_name = |rest: &str| {
        rest.strip_prefix(name)
            .is_some_and(|rest| !rest.starts_with(|next: char| next == '_' || next.is_alphanumeric()))
    };
    text.lines().any(|line| {
        let definition = ["def ", "class ", "async def "].iter().find_map(|word| line.strip_prefix(word));
        let constant = || is_name(line) && line[name.len()..].trim_start().starts_with(['=', ':']);
        definition.map_or_else(constant, is_name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::truth::sample;

    const TREE: &[(&str, &str)] = &[
        (
            "src/library/__init__.py",
            "from .factory import create as make\nfrom .deep import *\nfrom . import tools\n",
        ),
        ("src/library/factory.py", "from ._make import create\n"),
        ("src/library/_make.py", "def create(): pass\n"),
        ("src/library/deep/__init__.py", "from library.deep.net import Net\n"),
        ("src/library/deep/net.py", "class Net(Base):\n    pass\nLIMIT = 3\n"),
        ("src/library/tools.py", "def created(): pass\n"),
        ("vendor/other/setup.py", "x"),
        ("vendor/other/other/__init__.py", "from .circle import *\n"),
        ("vendor/other/other/circle.py", "from . import *\nfrom .. import *\n"),
        ("loose/hidden/__init__.py", "x"),
    ];

    fn dotted(name: &str) -> Vec<&str> {
        name.split('.').collect()
    }

    #[test]
    fn modules_are_in_reach_from_source_folders_and_installed_packages() {
        let (_folder, files) = sample::files(TREE);
        let modules = Modules::new(&files, "loose");
        for (name, expected) in [
            ("library", Some(("src/library/__init__.py", 0))),
            ("library.deep.net.Net.forward", Some(("src/library/deep/net.py", 2))),
            ("other", Some(("vendor/other/other/__init__.py", 0))),
            ("hidden", Some(("loose/hidden/__init__.py", 0))),
            ("torch.nn", None),
        ] {
            let name = dotted(name);
            let located = modules.locate(&name).map(|found| (found.file.to_string(), found.rest.len()));
            assert_eq!(located, expected.map(|(file, rest)| (file.to_owned(), rest)), "{name:?}");
        }
        assert_eq!(Modules::new(&files, "").locate(&["hidden"]), None);
    }

    #[test]
    fn a_name_is_followed_to_where_it_is_defined() {
        let (_folder, files) = sample::files(TREE);
        let modules = Modules::new(&files, "");
        let definer = |module: &str, name: &str| modules.definer(&module.parse().unwrap(), name).to_string();
        for (name, expected) in [
            ("make", "src/library/_make.py"),
            ("Net", "src/library/deep/net.py"),
            ("tools", "src/library/tools.py"),
            ("create", "src/library/__init__.py"),
        ] {
            assert_eq!(definer("src/library/__init__.py", name), expected, "{name}");
        }
        assert_eq!(definer("vendor/other/other/__init__.py", "nothing"), "vendor/other/other/__init__.py");
    }

    #[test]
    fn a_definition_is_told_from_a_use() {
        let text = "def one(): pass\nclass Two: pass\nTHREE = 3\nfour: int = 4\nfive(6)\n    six = 6\n";
        for name in ["one", "Two", "THREE", "four"] {
            assert!(defines(text, name), "{name}");
        }
        for name in ["on", "five", "six", "THRE"] {
            assert!(!defines(text, name), "{name}");
        }
    }
}
