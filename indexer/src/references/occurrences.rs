//! The uses of an identifier in one file: its text is sought first, and the syntax tree says what each place is.

use repos::RepositoryPath;
use tree_sitter::{Node, Tree};

use super::place::{self, Step};
use super::{Use, UseKind};
use crate::Language;
use crate::language::{grammar, notebook_code};
use crate::source::{Source, cut};
use crate::syntax::parse_tree;

// A generated table; what follows is more of the same.
const MOST_IN_FILE: usize = 500;
// Deeper trees are made, not written; every place in them costs a way down.
const DEEPEST: usize = 500;
const LONGEST_LINE_BYTES: usize = 300;

/// The uses in one file.
#[derive(Default)]
pub(super) struct Found {
    pub(super) uses: Vec<Use>,
    /// Whether the file was read to its end.
    pub(super) complete: bool,
}

/// Finds the uses of `identifier` in a file's bytes.
pub(super) fn find(path: &RepositoryPath, language: Language, bytes: Vec<u8>, identifier: &str) -> Found {
    let (source, _) = Source::decode(bytes);
    // Most files that hold the same letters in another case or a longer name need no parse.
    if language != Language::Notebook && whole_words(source.text(), identifier).next().is_none() {
        return Found { uses: Vec::new(), complete: true };
    }
    if language != Language::Notebook {
        return in_source(path, language, &source, identifier);
    }
    let (code, stored) = notebook_code(&source);
    let mut found = in_source(path, Language::Python, &code, identifier);
    found.uses.retain_mut(|used| {
        let Some(place) = stored.get(used.line as usize - 1) else { return false };
        (used.line, used.cell) = (place.line, Some(place.cell));
        true
    });
    found
}

fn in_source(path: &RepositoryPath, language: Language, source: &Source, identifier: &str) -> Found {
    let incomplete = Found::default();
    let Some(grammar) = grammar(language) else { return incomplete };
    let Ok(tree) = parse_tree(grammar, source.text()) else { return incomplete };
    let mut found = Found { uses: Vec::new(), complete: true };
    for (count, byte) in whole_words(source.text(), identifier).enumerate() {
        if count == MOST_IN_FILE {
            found.complete = false;
            break;
        }
        let way = way_to(&tree, byte, byte + identifier.len());
        let Some((kind, enclosing)) = meaning(&way, source.text(), byte) else { continue };
        let line = source.line_at(byte);
        found.uses.push(Use {
            path: path.clone(),
            line: crate::syntax::chunks::line_number(line),
            text: cut(source.line(line), LONGEST_LINE_BYTES).to_owned(),
            enclosing,
            cell: None,
            kind,
        });
    }
    // Two uses on a line are one place; the call says more.
    found.uses.dedup_by(|later, earlier| {
        let same = later.line == earlier.line;
        if same {
            earlier.kind = earlier.kind.min(later.kind);
        }
        same
    });
    found
}

fn meaning(way: &[Node<'_>], text: &str, byte: usize) -> Option<(UseKind, Option<String>)> {
    match place::step(way, text, byte) {
        Step::Use(kind) => Some((kind, place::enclosing(way, text))),
        Step::Definition | Step::NoCode => None,
    }
}

/// Where the identifier stands as a whole word.
fn whole_words<'a>(text: &'a str, identifier: &'a str) -> impl Iterator<Item = usize> + 'a {
    let in_word = |character: char| character == '_' || character.is_alphanumeric();
    text.match_indices(identifier).map(|(byte, _)| byte).filter(move |byte| {
        !text[..*byte].ends_with(in_word) && !text[byte + identifier.len()..].starts_with(in_word)
    })
}

/// The nodes around a range of bytes, from the root to the smallest.
fn way_to(tree: &Tree, start: usize, end: usize) -> Vec<Node<'_>> {
    let mut cursor = tree.walk();
    let mut way = vec![cursor.node()];
    while way.len() < DEEPEST && cursor.goto_first_child_for_byte(start).is_some() {
        let node = cursor.node();
        if node.start_byte() > start || node.end_byte() < end {
            break;
        }
        way.push(node);
    }
    way
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, identifier: &str, expected: &[&str]) {
        let language = Language::by_name(path).unwrap();
        let found = find(&path.parse().unwrap(), language, text.into(), identifier);
        let shown: Vec<String> = found
            .uses
            .iter()
            .map(|used| {
                format!("{} {} {}", used.line, used.kind.name(), used.enclosing.as_deref().unwrap_or("-"))
            })
            .collect();
        assert_eq!(shown, expected, "{text}");
        assert!(found.complete);
    }

    #[test]
    fn tells_the_uses_of_python_from_strings_and_comments() {
        let text = "from nn import Conv\nimport nn.Conv\n# Conv\n\"\"\"Conv\"\"\"\nclass Net(Conv):\n    \
                    \"Conv\"\n    def run(self):\n        x = Conv(1)\n        y = nn.Conv(2)\n        MyConv()\n        \
                    return f\"{Conv}\"\ndef Conv(): pass\nregister(Conv)\n";
        check(
            "a.py",
            text,
            "Conv",
            &[
                "1 import -",
                "2 import -",
                "5 other Net",
                "8 call Net.run",
                "9 call Net.run",
                "11 other Net.run",
                "13 other -",
            ],
        );
    }

    #[test]
    fn tells_the_uses_of_c_and_cuda() {
        let text = "#include \"Run.h\"\nvoid Run(int a);\nvoid Graph::Go() {\n  Run(1);  // Run\n  this->Run(2);\n  \
                    dgl::Run<int>(3);\n  puts(\"Run\");\n}\n#define GO Run(1)\nint Run(int b) { return b; }\n";
        check(
            "a.cc",
            text,
            "Run",
            &["2 other -", "4 call Graph.Go", "5 call Graph.Go", "6 call Graph.Go", "9 other -"],
        );
        let kernel = "__global__ void Add(float* x) { x[0] = 1; }\nvoid f(float* x) { Add<<<1, 2>>>(x); }\n";
        check("a.cu", kernel, "Add", &["2 call f"]);
        let kernel = "template <typename T>\n__global__ void Add(T* x) { x[0] = 1; }\nnamespace n {\nvoid f() {\n  \
                      Add<float><<<1, 2>>>(x);\n  Add<T, V<int>> <<<g, b, 0, s>>>(x);\n  auto y = a < Add;\n}\n}\n";
        check("a.cu", kernel, "Add", &["5 call n.f", "6 call n.f", "7 other n.f"]);
    }

    #[test]
    fn tells_the_uses_of_a_header() {
        let text = "#pragma once\ntemplate <typename T>\nclass Graph : public Base<T> {\n public:\n  Graph Copy() const { return \
                    Graph(Base<T>::id); }\n  std::vector<Base<int>> all;\n};\n#define MAKE(x) Base<x>()\n";
        check("a.h", text, "Base", &["3 other Graph", "5 other Graph.Copy", "6 other Graph", "8 other -"]);
        check("a.h", text, "Graph", &["5 call Graph.Copy"]);
    }

    #[test]
    fn tells_the_uses_of_javascript_and_typescript() {
        let text = "import { draw } from './draw';\n// draw\nconst go = () => {\n  draw(1);\n  this.draw();\n  return \
                    'draw';\n};\nclass View {\n  show() { new draw(); }\n  draw = 1;\n}\nfunction draw() {}\nexport { draw };\n";
        let expected = ["1 import -", "4 call go", "5 call go", "9 call View.show", "13 other -"];
        check("a.js", text, "draw", &expected);
        check("a.ts", text, "draw", &expected);
        let text =
            "export const App = (props: Props) => <View {...props}/>;\nconst x: View = load<View>();\n";
        check("a.tsx", text, "View", &["1 call App", "2 other -"]);
        check("a.tsx", text, "Props", &["1 other App"]);
    }

    #[test]
    fn tells_the_uses_of_shell() {
        let text = "run() {\n  echo run\n}\n# run\nmain() {\n  run \"run\"\n}\nrun\necho $CARDS\nCARDS=1\n";
        check("a.sh", text, "run", &["6 call main", "8 call -"]);
        check("a.sh", text, "CARDS", &["9 other -", "10 other -"]);
    }

    #[test]
    fn gives_the_stored_lines_of_a_notebook() {
        let text = "{\n \"cells\": [{\"cell_type\": \"code\", \"source\": [\n  \"%time\\n\",\n  \"x = Conv(1)\\n\"\n ]}]\n}\n";
        check("a.ipynb", text, "Conv", &["4 call -"]);
    }

    #[test]
    fn stays_linear_in_text_that_is_made_to_hurt() {
        for text in ["(".repeat(20_000) + "x", "x".to_owned() + &"[x".repeat(20_000), "x.".repeat(20_000)] {
            find(&"a.py".parse().unwrap(), Language::Python, text.into(), "x");
        }
    }
}
