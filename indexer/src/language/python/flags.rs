//! The flags of a program: argparse, absl, TensorFlow and click say them in calls of a few names.

use tree_sitter::{Node, Tree};

use crate::analysis::Analysis;
use crate::source::{Source, cut, one_line};
use crate::symbol::{Symbol, SymbolKind};
use crate::syntax::{LazyGrammar, chunks, unquoted};

static FLAGS: LazyGrammar =
    LazyGrammar::new(tree_sitter_python::LANGUAGE, include_str!("../../queries/python_flags.scm"));

// The calls that define a flag, by the last part of the called name.
const FLAG_CALLS: &[&str] =
    &["add_argument(", "DEFINE_", ".option(", ".add_arg(", ".argument(", ".add_parser("];
const HELP_BYTES: usize = 1_500;

/// Adds the flags of a file to what was found in it.
pub(super) fn add(source: &Source, tree: &Tree, analysis: &mut Analysis) {
    let text = source.text();
    if !FLAG_CALLS.iter().any(|call| text.contains(call)) {
        return;
    }
    let Ok(grammar) = FLAGS.get() else { return };
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
        registered: Vec::new(),
        exported: false,
        cell: None,
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
            return cut(&text[value.byte_range()], HELP_BYTES);
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::super::analyze;
    use super::*;

    #[test]
    fn the_query_fits_the_grammar() {
        assert_eq!(FLAGS.complaint(), None);
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
    fn finds_the_flags_of_groups_and_the_commands_of_programs() {
        let text = "commands = parser.add_subparsers()\ntrain = commands.add_parser('train', help='fits')\n\
                    parser.add_argument_group('data').add_argument(\n    r'--root',\n    dest='folder')\n\
                    parser.add_mutually_exclusive_group().add_argument('-v', '--verbose')\nparser.add_argument(*names)\n\
                    @click.argument('path')\ndef f(path): pass\nclick.option('two words')\n";
        let symbols = analyze(&Source::new(text.to_owned())).symbols;
        let flags: Vec<_> = symbols
            .iter()
            .filter(|symbol| symbol.kind == SymbolKind::Flag)
            .map(|symbol| (symbol.name.as_str(), symbol.start_line))
            .collect();
        assert_eq!(flags, [("train", 2), ("--root", 3), ("--verbose", 6), ("path", 8)]);
    }
}
