//! Definitions in a tree, as a query file names them: captures called after symbol kinds, `@name`, `@outer` for a
//! node that begins before its last child and belongs to it, `@documentation` for docstrings.

use std::collections::HashMap;
use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::Grammar;
use crate::symbol::SymbolKind;

/// A definition and its place.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) kind: SymbolKind,
    /// Its bytes, decorators not included.
    pub(crate) bytes: Range<usize>,
    /// The bytes before its body.
    pub(crate) signature: Range<usize>,
    /// Its lines, from 0, decorators included.
    pub(crate) lines: Range<usize>,
    /// The number of the definition around it.
    pub(crate) parent: Option<usize>,
    /// Parents that its own name gives, as in `void Graph::Run()`.
    pub(crate) qualifier: Option<String>,
}

/// What a capture of a query means.
#[derive(Clone, Copy)]
enum Role {
    Symbol(SymbolKind),
    Name,
    Outer,
    Documentation,
}

fn role(capture: &str) -> Option<Role> {
    Some(match capture {
        "name" => Role::Name,
        "outer" => Role::Outer,
        "documentation" => Role::Documentation,
        "class" => Role::Symbol(SymbolKind::Class),
        "struct" => Role::Symbol(SymbolKind::Struct),
        "enum" => Role::Symbol(SymbolKind::Enum),
        "function" => Role::Symbol(SymbolKind::Function),
        "constant" => Role::Symbol(SymbolKind::Constant),
        "macro" => Role::Symbol(SymbolKind::Macro),
        "type" => Role::Symbol(SymbolKind::Type),
        "namespace" => Role::Symbol(SymbolKind::Namespace),
        _ => return None,
    })
}

/// Runs the query: definitions in order, with their parents, and docstrings.
pub(super) fn read_definitions(
    grammar: &Grammar,
    tree: &Tree,
    text: &str,
) -> (Vec<Definition>, Vec<Range<usize>>) {
    let roles: Vec<Option<Role>> = grammar.query.capture_names().iter().map(|name| role(name)).collect();
    let mut definitions = Vec::new();
    let mut documentation = Vec::new();
    let mut outer_lines: HashMap<Range<usize>, usize> = HashMap::new();
    grammar.each_match(tree, text, |found| {
        let (mut symbol, mut name) = (None, None);
        for capture in found.captures() {
            match roles.get(capture.index as usize).copied().flatten() {
                Some(Role::Symbol(kind)) => symbol = Some((kind, capture.node)),
                Some(Role::Name) => name = Some(capture.node),
                Some(Role::Documentation) => documentation.push(capture.node.byte_range()),
                Some(Role::Outer) => {
                    if let Some(inner) = last_child(capture.node) {
                        // Outer nodes nest: the widest comes first and wins.
                        let line = outer_lines.get(&capture.node.byte_range()).copied();
                        let line = line.unwrap_or(capture.node.start_position().row);
                        outer_lines.insert(inner.byte_range(), line);
                    }
                }
                None => {}
            }
        }
        if let (Some((kind, node)), Some(name)) = (symbol, name) {
            definitions.push(definition(text, kind, node, name));
        }
    });
    for definition in &mut definitions {
        if let Some(line) = outer_lines.get(&definition.bytes) {
            definition.lines.start = *line;
        }
    }
    documentation.sort_by_key(|range| range.start);
    documentation.dedup();
    (nest(definitions), documentation)
}

fn last_child(node: Node<'_>) -> Option<Node<'_>> {
    node.named_child(u32::try_from(node.named_child_count()).ok()?.checked_sub(1)?)
}

fn definition(text: &str, kind: SymbolKind, node: Node<'_>, name: Node<'_>) -> Definition {
    let bytes = node.byte_range();
    let body = node.child_by_field_name("body").map_or(bytes.end, |body| body.start_byte());
    // A type is often defined inside a longer declaration; its line alone tells more than nothing.
    let full_name = &text[name.byte_range()];
    let (qualifier, own_name) = match full_name.rsplit_once("::") {
        Some((qualifier, own_name)) => (Some(qualifier.replace("::", ".")), own_name),
        None => (None, full_name),
    };
    let end = node.end_position();
    // A node that ends at the start of a line does not reach into it.
    let last = if end.column == 0 && end.row > node.start_position().row { end.row - 1 } else { end.row };
    Definition {
        name: own_name.trim().to_owned(),
        kind,
        signature: bytes.start..body.max(bytes.start),
        bytes,
        lines: node.start_position().row..last + 1,
        parent: None,
        qualifier,
    }
}

/// Sorts by place, drops repeats, and names the parents.
fn nest(mut definitions: Vec<Definition>) -> Vec<Definition> {
    definitions.sort_by(|a, b| {
        (a.bytes.start, std::cmp::Reverse(a.bytes.end)).cmp(&(b.bytes.start, std::cmp::Reverse(b.bytes.end)))
    });
    definitions.dedup_by(|later, earlier| later.bytes == earlier.bytes && later.name == earlier.name);
    let mut open: Vec<usize> = Vec::new();
    for number in 0..definitions.len() {
        let start = definitions[number].bytes.start;
        while open.last().is_some_and(|parent| definitions[*parent].bytes.end <= start) {
            open.pop();
        }
        let parent = open.last().copied();
        let in_class = parent
            .is_some_and(|parent| matches!(definitions[parent].kind, SymbolKind::Class | SymbolKind::Struct));
        let definition = &mut definitions[number];
        definition.parent = parent;
        if definition.kind == SymbolKind::Function && (in_class || definition.qualifier.is_some()) {
            definition.kind = SymbolKind::Method;
        }
        open.push(number);
    }
    definitions
}
