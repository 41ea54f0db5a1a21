//! What a module exports: the names in its `__all__`, however they are put there.

use tree_sitter::{Node, Tree};

use crate::symbol::Symbol;

const EXPORTS: &str = "__all__";
// Lists of names are flat; deeper nodes hold no names.
const DEEPEST: usize = 8;

/// Marks the symbols of the module that `__all__` names.
pub(super) fn mark(text: &str, tree: &Tree, symbols: &mut [Symbol]) {
    if !text.contains(EXPORTS) {
        return;
    }
    let names = names(text, tree);
    for symbol in symbols.iter_mut().filter(|symbol| symbol.parent.is_none()) {
        symbol.exported = names.contains(&symbol.name.as_str());
    }
}

fn names<'a>(text: &'a str, tree: &Tree) -> Vec<&'a str> {
    let mut cursor = tree.walk();
    let mut names = Vec::new();
    let mut more = cursor.goto_first_child();
    while more {
        let statement = cursor.node();
        if statement.kind() == "expression_statement"
            && text[statement.byte_range()].trim_start().starts_with(EXPORTS)
        {
            add_strings(text, statement, &mut names);
        }
        more = cursor.goto_next_sibling();
    }
    names
}

/// Adds the strings in a statement such as `__all__ = [...] + [...]` or `__all__.extend([...])`.
fn add_strings<'a>(text: &'a str, statement: Node<'_>, names: &mut Vec<&'a str>) {
    let mut cursor = statement.walk();
    loop {
        if cursor.node().kind() == "string" {
            names.push(text[cursor.node().byte_range()].trim_matches(['"', '\'']));
        } else if (cursor.depth() as usize) < DEEPEST && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::analyze;
    use super::*;
    use crate::source::Source;

    #[test]
    fn reads_every_way_to_name_what_is_exported() {
        let text = "__all__ = ['A', \"B\"] + more\n__all__ += (\n  'f',\n)\n__all__.append('X')\nclass A: pass\n\
                    class B:\n  def f(self): pass\n  def A(self): pass\ndef f(): pass\ndef g(): pass\nX = 'g'\n";
        let symbols = analyze(&Source::new(text.to_owned())).symbols;
        let exported: Vec<_> =
            symbols.iter().filter(|symbol| symbol.exported).map(Symbol::qualified).collect();
        assert_eq!(exported, ["A", "B", "f", "X"]);
    }
}
