//! Python: functions, classes, module values, docstrings, and the flags of argparse, absl and click.
//! The grammar reads Python 2 as well; Cython and stubs are close enough to be read the same way.

mod exports;
mod flags;

use super::{Language, Reader, Registration};
use crate::analysis::Analysis;
use crate::source::{Note, Source, cut};
use crate::syntax::{LazyGrammar, Parsed, chunks, parse};

pub(super) static REGISTRATIONS: [Registration; 1] = [Registration {
    language: Language::Python,
    names: &["python", "py"],
    extensions: &["py", "pyi", "pyx", "pxd", "pxi", "pyw"],
    file_names: &[],
    interpreters: &["python", "ipython"],
    reader: Reader::Own(analyze, Some(&DEFINITIONS)),
}];

static DEFINITIONS: LazyGrammar =
    LazyGrammar::new(tree_sitter_python::LANGUAGE, include_str!("../queries/python.scm"));

const ABOUT_BYTES: usize = 1_500;
const DOCSTRING_BYTES: usize = 160;

pub(super) fn analyze(source: &Source) -> Analysis {
    let parsed = match DEFINITIONS.get().and_then(|grammar| parse(grammar, source.text())) {
        Ok(parsed) => parsed,
        Err(note) => return chunks::plain(source, note),
    };
    let mut analysis = chunks::analyze(source, &parsed);
    analysis.about = about(source, &parsed);
    flags::add(source, &parsed.tree, &mut analysis);
    exports::mark(source.text(), &parsed.tree, &mut analysis.symbols);
    if is_python_2(source.text()) {
        analysis.notes.push(Note::Python2);
    }
    analysis
}

/// The opening comment and docstring of the file, then the first line of every other docstring.
fn about(source: &Source, parsed: &Parsed) -> String {
    let comments = source.text().lines().take_while(|line| line.starts_with('#') || line.is_empty());
    let mut about: String = comments.filter(|line| !is_licence(line)).take(8).collect::<Vec<_>>().join("\n");
    for (number, range) in parsed.documentation.iter().enumerate() {
        let text = source.text()[range.clone()].trim_matches(['"', '\'', 'r', 'u', 'R']).trim();
        let text = if number == 0 { cut(text, ABOUT_BYTES / 2) } else { first_line(text) };
        if about.len() + text.len() > ABOUT_BYTES {
            break;
        }
        about.push('\n');
        about.push_str(text);
    }
    about
}

fn first_line(text: &str) -> &str {
    cut(text.lines().next().unwrap_or_default(), DOCSTRING_BYTES)
}

fn is_licence(line: &str) -> bool {
    ["Copyright", "License", "LICENSE", "http://www.apache", "WARRANTIES"]
        .iter()
        .any(|word| line.contains(word))
}

/// Python 3 has no print statement and no comma in `except`; both stand at the start of a line.
fn is_python_2(text: &str) -> bool {
    text.lines().map(str::trim_start).any(|line| {
        let printed = line.strip_prefix("print ").is_some_and(|rest| rest.starts_with(['"', '\'', '%']));
        let caught = line.strip_prefix("except ").and_then(|rest| rest.strip_suffix(':'));
        printed || caught.is_some_and(|rest| !rest.contains(['(', '[']) && rest.contains(", "))
    })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::testing::check;
    use super::*;

    #[test]
    fn finds_classes_methods_and_functions_with_their_decorators() {
        check(
            Language::Python,
            "\"\"\"Doc.\"\"\"\nimport os\nLIMIT = 3\n\nclass Net(nn.Module):\n    \"\"\"A net.\"\"\"\n    depth = 1\n\n    \
             @property\n    def size(self):\n        def inner():\n            pass\n        return 1\n\n    tail = 2\n\n\
             # Runs it.\n@cli\nasync def main(\n    argv,\n):\n    pass\n\nif __name__ == '__main__':\n    main()\n",
            &expect![[r"
                constant LIMIT 3-3 `LIMIT = 3`
                class Net 5-15 `class Net(nn.Module):`
                field Net.depth 7-7 `depth = 1`
                method Net.size 9-13 `@property def size(self):`
                function Net.size.inner 11-12 `def inner():`
                field Net.tail 15-15 `tail = 2`
                function main 18-22 `@cli async def main( argv, ):`
                [top_level 1-3 ]
                [class 5-7 Net]
                [method 9-13 Net.size]
                [class 15-15 Net]
                [function 17-22 main]
                [top_level 24-25 ]
            "]],
        );
    }

    #[test]
    fn finds_values_wherever_a_module_or_class_sets_them() {
        check(
            Language::Python,
            "A: int = 3\nB, (C, D) = 1, (2, 3)\nE = F = None\ntype Ids = list[int]\ntry:\n    import x\n    HAS = True\n\
             except ImportError:\n    HAS = False\n    class Stub:\n        pass\nif HAS:\n    def load(): pass\nelse:\n    \
             def load(): pass\nsquare = lambda x: x * x\nobject.attribute = 1\nd['k'] = 2\n@dataclass\nclass Arguments:\n    \
             rate: float = 1e-3\n    name: str\n    one, two = 1, 2\n    def run(self):\n        local = 1\n        \
             class Inner:\n            kept = 1\n",
            &expect![[r"
                constant A 1-1 `A: int = 3`
                constant B 2-2 `B, (C, D) = 1, (2, 3)`
                constant C 2-2 `B, (C, D) = 1, (2, 3)`
                constant D 2-2 `B, (C, D) = 1, (2, 3)`
                constant E 3-3 `E = F = None`
                constant F 3-3 `F = None`
                type Ids 4-4 `type Ids = list[int]`
                constant HAS 7-7 `HAS = True`
                class Stub 10-11 `class Stub:`
                function load 13-13 `def load():`
                function load 15-15 `def load():`
                constant square 16-16 `square = lambda x: x * x`
                class Arguments 19-27 `@dataclass class Arguments:`
                field Arguments.rate 21-21 `rate: float = 1e-3`
                field Arguments.name 22-22 `name: str`
                field Arguments.one 23-23 `one, two = 1, 2`
                field Arguments.two 23-23 `one, two = 1, 2`
                method Arguments.run 24-27 `def run(self):`
                class Arguments.run.Inner 26-27 `class Inner:`
                field Arguments.run.Inner.kept 27-27 `kept = 1`
                [top_level 1-9 ]
                [class 10-11 Stub]
                [top_level 12-12 ]
                [function 13-13 load]
                [top_level 14-14 ]
                [function 15-15 load]
                [top_level 16-18 ]
                [class 19-23 Arguments]
                [method 24-27 Arguments.run]
            "]],
        );
    }

    #[test]
    fn finds_the_names_under_which_decorators_register() {
        check(
            Language::Python,
            "__all__ = ['Blip']\n@registry.register_model(\"blip\")\n@registry.register_model('blip2')\nclass Blip(Base):\n    \
             @property\n    @functools.lru_cache(maxsize=None)\n    def size(self): pass\n\n@CONVS.register_module(name='Conv')\n\
             def conv(): pass\n@pytest.mark.parametrize('size', [1])\ndef test(size): pass\n",
            &expect![[r#"
                constant __all__ 1-1 `__all__ = ['Blip']`
                class Blip 2-7 `@registry.register_model("blip") @registry.register_model('blip2') class Blip(Base):` registered as blip, blip2 exported
                method Blip.size 5-7 `@property @functools.lru_cache(maxsize=None) def size(self):`
                function conv 9-10 `@CONVS.register_module(name='Conv') def conv():` registered as Conv
                function test 11-12 `@pytest.mark.parametrize('size', [1]) def test(size):`
                [top_level 1-1 ]
                [class 2-4 Blip]
                [method 5-7 Blip.size]
                [function 9-10 conv]
                [function 11-12 test]
            "#]],
        );
    }

    #[test]
    fn reads_python_2_and_broken_files() {
        let text = "def f():\n    print 'x'\n    exec 'y'\n\ndef g(:\n  )\n\ndef h():\n    pass\n";
        let analysis = analyze(&Source::new(text.to_owned()));
        assert!(analysis.notes.contains(&Note::Python2));
        assert!(analysis.notes.contains(&Note::ParseErrors));
        let names: Vec<_> = analysis.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
        assert!(names.contains(&"f") && names.contains(&"h"), "{names:?}");
    }

    #[test]
    fn says_what_a_file_is_about() {
        let text = "# Copyright X\n# Trains a GCN.\n'''Semi-supervised.\nMore.'''\ndef f():\n    '''Loads.\n    x'''\n";
        let about = analyze(&Source::new(text.to_owned())).about;
        assert_eq!(about, "# Trains a GCN.\nSemi-supervised.\nMore.\nLoads.");
    }
}
