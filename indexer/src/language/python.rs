//! Python: functions, classes, module values, docstrings, and the flags of argparse, absl and click.
//! The grammar reads Python 2 as well; Cython and stubs are close enough to be read the same way.

use std::sync::LazyLock;

use tree_sitter::{Node, Tree};

use super::{Language, Registration};
use crate::analysis::Analysis;
use crate::source::{Note, Source, cut, one_line};
use crate::symbol::{Symbol, SymbolKind};
use crate::syntax::{Grammar, Parsed, chunks, parse};

pub(super) const REGISTRATIONS: &[Registration] = &[Registration {
    language: Language::Python,
    names: &["python", "py"],
    extensions: &["py", "pyi", "pyx", "pxd", "pxi", "pyw"],
    file_names: &[],
    interpreters: &["python", "ipython"],
    analyze,
}];

static DEFINITIONS: LazyLock<Option<Grammar>> = LazyLock::new(|| {
    Grammar::new(tree_sitter_python::LANGUAGE.into(), include_str!("../queries/python.scm"))
});
static FLAGS: LazyLock<Option<Grammar>> = LazyLock::new(|| {
    Grammar::new(tree_sitter_python::LANGUAGE.into(), include_str!("../queries/python_flags.scm"))
});

// The calls that define a flag, by the last part of the called name.
const FLAG_CALLS: &[&str] = &["add_argument(", "DEFINE_", ".option(", ".add_arg("];
const ABOUT_BYTES: usize = 1_500;
const DOCSTRING_BYTES: usize = 160;

/// The grammar.
pub(super) fn grammar() -> Option<&'static Grammar> {
    DEFINITIONS.as_ref()
}

pub(super) fn analyze(source: &Source) -> Analysis {
    let Some(grammar) = DEFINITIONS.as_ref() else { return chunks::plain(source, Note::ParseErrors) };
    let parsed = match parse(grammar, source.text()) {
        Ok(parsed) => parsed,
        Err(note) => return chunks::plain(source, note),
    };
    let mut analysis = chunks::analyze(source, &parsed);
    analysis.about = about(source, &parsed);
    add_flags(source, &parsed.tree, &mut analysis);
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

fn add_flags(source: &Source, tree: &Tree, analysis: &mut Analysis) {
    let text = source.text();
    if !FLAG_CALLS.iter().any(|call| text.contains(call)) {
        return;
    }
    let Some(grammar) = FLAGS.as_ref() else { return };
    grammar.each_match(tree, text, |found| {
        let node = |name| grammar.capture(found, name);
        let (Some(call), Some(function), Some(arguments)) =
            (node("call"), node("function"), node("arguments"))
        else {
            return;
        };
        let Some(flag) = flag(text, call, function, arguments) else { return };
        for part in [flag.name.trim_start_matches('-'), " ", help(text, arguments), "\n"] {
            analysis.flags.push_str(part);
        }
        analysis.symbols.push(flag);
    });
    analysis.symbols.sort_by_key(|symbol| symbol.start_line);
}

fn flag(text: &str, call: Node<'_>, function: Node<'_>, arguments: Node<'_>) -> Option<Symbol> {
    let mut cursor = arguments.walk();
    let names = arguments.named_children(&mut cursor).take_while(|child| child.kind() == "string");
    let names: Vec<&str> = names.map(|string| unquoted(&text[string.byte_range()])).collect();
    let called = &text[function.byte_range()];
    let name = if called.starts_with("DEFINE_") {
        format!("--{}", names.first()?)
    } else {
        // `-b, --batch-size`: people call it by the long name.
        (*names.iter().find(|name| name.starts_with("--")).or(names.first())?).to_owned()
    };
    let plausible = !name.is_empty() && !name.contains(char::is_whitespace) && name.len() < 100;
    plausible.then(|| Symbol {
        name,
        kind: SymbolKind::Flag,
        signature: one_line(&text[call.byte_range()], chunks::LONGEST_SIGNATURE_BYTES),
        start_line: chunks::line_number(call.start_position().row),
        end_line: chunks::line_number(call.end_position().row),
        parent: None,
    })
}

/// The help text of a flag: argparse names it, absl takes it as the third argument.
fn help<'a>(text: &'a str, arguments: Node<'_>) -> &'a str {
    let mut cursor = arguments.walk();
    let mut strings = 0;
    for child in arguments.named_children(&mut cursor) {
        let value = match child.kind() {
            "keyword_argument" => {
                let is_help =
                    child.child_by_field_name("name").is_some_and(|name| &text[name.byte_range()] == "help");
                if !is_help {
                    continue;
                }
                child.child_by_field_name("value")
            }
            "string" | "concatenated_string" | "parenthesized_expression" => {
                strings += 1;
                (strings > 1 && !text[child.byte_range()].trim_start_matches(['"', '\'']).starts_with('-'))
                    .then_some(child)
            }
            _ => None,
        };
        if let Some(value) = value {
            return cut(&text[value.byte_range()], ABOUT_BYTES);
        }
    }
    ""
}

fn unquoted(string: &str) -> &str {
    string.trim_start_matches(['r', 'u', 'b', 'f']).trim_matches(['"', '\''])
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &Expect) {
        let analysis = analyze(&Source::new(text.to_owned()));
        let mut found = String::new();
        for symbol in &analysis.symbols {
            let (kind, first, last) = (symbol.kind, symbol.start_line, symbol.end_line);
            found.push_str(&format!("{kind} {} {first}-{last} `{}`\n", symbol.qualified(), symbol.signature));
        }
        for chunk in &analysis.chunks {
            let title = chunk.title.as_deref().unwrap_or_default();
            found.push_str(&format!("[{} {}-{} {title}]\n", chunk.kind, chunk.start_line, chunk.end_line));
        }
        expected.assert_eq(&found);
    }

    #[test]
    fn finds_classes_methods_and_functions_with_their_decorators() {
        check(
            "\"\"\"Doc.\"\"\"\nimport os\nLIMIT = 3\n\nclass Net(nn.Module):\n    \"\"\"A net.\"\"\"\n    depth = 1\n\n    \
             @property\n    def size(self):\n        def inner():\n            pass\n        return 1\n\n    tail = 2\n\n\
             # Runs it.\n@cli\nasync def main(\n    argv,\n):\n    pass\n\nif __name__ == '__main__':\n    main()\n",
            &expect![[r"
                constant LIMIT 3-3 `LIMIT = 3`
                class Net 5-15 `class Net(nn.Module):`
                method Net.size 9-13 `def size(self):`
                function Net.size.inner 11-12 `def inner():`
                function main 18-22 `async def main( argv, ):`
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
    fn finds_the_flags_of_three_libraries() {
        let text = "p.add_argument('-b', '--batch-size', type=int, help='images per step')\n\
                    flags.DEFINE_integer('max_len', 128, 'longest '\n 'input')\n\
                    @click.option('--seed', default=1)\ndef main(): pass\np.add_argument('data')\n";
        let analysis = analyze(&Source::new(text.to_owned()));
        let flags: Vec<_> = analysis
            .symbols
            .iter()
            .filter(|symbol| symbol.kind == SymbolKind::Flag)
            .map(|symbol| (symbol.name.as_str(), symbol.start_line, symbol.end_line))
            .collect();
        assert_eq!(flags, [("--batch-size", 1, 1), ("--max_len", 2, 3), ("--seed", 4, 4), ("data", 6, 6)]);
        assert_eq!(
            analysis.flags,
            "batch-size 'images per step'\nmax_len 'longest '\n 'input'\nseed \ndata \n"
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
