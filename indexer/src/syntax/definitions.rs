//! Definitions in a tree, as a query file names them: captures called after symbol kinds, `@name`, `@outer` for a
//! node that begins before its last child and belongs to it, `@documentation` for docstrings.

use std::collections::HashMap;
use std::ops::Range;

use tree_sitter::{Node, QueryMatch, Tree};

use super::Grammar;
use super::nesting::nest;
use crate::symbol::SymbolKind;

const LONGEST_NAME_BYTES: usize = 200;

/// A definition and its place.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) kind: SymbolKind,
    /// Its bytes, decorators not included.
    pub(crate) bytes: Range<usize>,
    /// The bytes of decorators and other words before it.
    pub(crate) prefix: Range<usize>,
    /// The bytes before its body.
    pub(crate) signature: Range<usize>,
    /// Its lines, from 0, decorators included.
    pub(crate) lines: Range<usize>,
    /// The number of the definition around it.
    pub(crate) parent: Option<usize>,
    /// Parents that its own name gives, as in `void Graph::Run()`.
    pub(crate) qualifier: Option<String>,
    /// The names under which decorators register it.
    pub(crate) registered: Vec<String>,
    /// Whether the file says that others may use it.
    pub(crate) exported: bool,
}

/// What a capture of a query means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Symbol(SymbolKind),
    /// The name.
    Name,
    /// A name with its parents, joined by dots.
    Path,
    /// A node that begins before its last child and belongs to it.
    Outer,
    /// A string under which the last child of the outer node is registered.
    Registered,
    /// A node whose last child others may use.
    Exported,
    Documentation,
}

fn role(capture: &str) -> Option<Role> {
    Some(match capture {
        "name" => Role::Name,
        "path" => Role::Path,
        "outer" => Role::Outer,
        "registered" => Role::Registered,
        "exported" => Role::Exported,
        "documentation" => Role::Documentation,
        "class" => Role::Symbol(SymbolKind::Class),
        "struct" => Role::Symbol(SymbolKind::Struct),
        "enum" => Role::Symbol(SymbolKind::Enum),
        "function" => Role::Symbol(SymbolKind::Function),
        "constant" => Role::Symbol(SymbolKind::Constant),
        "field" => Role::Symbol(SymbolKind::Field),
        "macro" => Role::Symbol(SymbolKind::Macro),
        "type" => Role::Symbol(SymbolKind::Type),
        "namespace" => Role::Symbol(SymbolKind::Namespace),
        "key" => Role::Symbol(SymbolKind::Key),
        _ => return None,
    })
}

/// What outer nodes say of their last children.
#[derive(Clone, Default)]
struct Around {
    /// Where the outermost of them begins: its line and byte.
    start: Option<(usize, usize)>,
    registered: Vec<String>,
    exported: bool,
}

/// What the matches gave so far.
#[derive(Default)]
struct Read {
    definitions: Vec<Definition>,
    documentation: Vec<Range<usize>>,
    /// By the bytes of the inner node.
    around: HashMap<Range<usize>, Around>,
}

/// Runs the query: definitions in order, with their parents, and docstrings.
pub(super) fn read_definitions(
    grammar: &Grammar,
    tree: &Tree,
    text: &str,
) -> (Vec<Definition>, Vec<Range<usize>>) {
    let roles: Vec<Option<Role>> = grammar.query.capture_names().iter().map(|name| role(name)).collect();
    let mut read = Read::default();
    grammar.each_match(tree, text, |found| read.add(text, &roles, found));
    for definition in &mut read.definitions {
        let Some(around) = read.around.get(&definition.bytes) else { continue };
        if let Some((line, byte)) = around.start {
            definition.lines.start = line;
            definition.prefix.start = byte;
        }
        definition.registered.clone_from(&around.registered);
        definition.exported = around.exported;
    }
    read.documentation.sort_by_key(|range| range.start);
    read.documentation.dedup();
    (nest(read.definitions), read.documentation)
}

impl Read {
    fn add(&mut self, text: &str, roles: &[Option<Role>], found: &QueryMatch<'_, '_>) {
        let (mut symbol, mut name, mut outer) = (None, None, None);
        for capture in found.captures() {
            match roles.get(capture.index as usize).copied().flatten() {
                Some(Role::Symbol(kind)) => symbol = Some((kind, capture.node)),
                Some(role @ (Role::Name | Role::Path)) => name = Some((role, capture.node)),
                Some(Role::Documentation) => self.documentation.push(capture.node.byte_range()),
                Some(Role::Outer) => outer = self.add_outer(capture.node),
                Some(Role::Exported) => {
                    if let Some(around) = self.around_last_child(capture.node) {
                        around.exported = true;
                    }
                }
                Some(Role::Registered) => {
                    let name = unquoted(&text[capture.node.byte_range()]);
                    if let Some(around) = outer.as_ref().and_then(|outer| self.around.get_mut(outer))
                        && is_plausible(name)
                        && !around.registered.iter().any(|known| known == name)
                    {
                        around.registered.push(name.to_owned());
                    }
                }
                None => {}
            }
        }
        if let (Some((kind, node)), Some((role, name))) = (symbol, name) {
            self.definitions.extend(definition(text, (kind, node), (role, name)));
        }
    }

    /// Notes where an outer node begins; gives the bytes of its last child.
    fn add_outer(&mut self, node: Node<'_>) -> Option<Range<usize>> {
        let start = (node.start_position().row, node.start_byte());
        let around = self.around_last_child(node)?;
        // Outer nodes nest: the widest comes first and wins.
        around.start.get_or_insert(start);
        last_child(node).map(|inner| inner.byte_range())
    }

    /// What is known of the last child of a node; it takes over what is known of the node.
    fn around_last_child(&mut self, node: Node<'_>) -> Option<&mut Around> {
        let inner = last_child(node)?.byte_range();
        if !self.around.contains_key(&inner) {
            let known = self.around.get(&node.byte_range()).cloned().unwrap_or_default();
            self.around.insert(inner.clone(), known);
        }
        self.around.get_mut(&inner)
    }
}

fn last_child(node: Node<'_>) -> Option<Node<'_>> {
    node.named_child(u32::try_from(node.named_child_count()).ok()?.checked_sub(1)?)
}

fn definition(text: &str, symbol: (SymbolKind, Node<'_>), name: (Role, Node<'_>)) -> Option<Definition> {
    let ((kind, node), (role, name)) = (symbol, name);
    let bytes = node.byte_range();
    let full_name = &text[name.byte_range()];
    let (qualifier, own_name) = match role {
        Role::Path => match full_name.rsplit_once('.') {
            Some((qualifier, own_name)) => (Some(qualifier.to_owned()), own_name),
            None => (None, full_name),
        },
        _ => match full_name.rsplit_once("::") {
            Some((qualifier, own_name)) => (Some(qualifier.replace("::", ".")), own_name),
            None => (None, full_name),
        },
    };
    let own_name = if kind == SymbolKind::Key { unquoted(own_name) } else { own_name.trim() };
    if kind == SymbolKind::Key && !is_plausible(own_name) {
        return None;
    }
    let end = node.end_position();
    // A node that ends at the start of a line does not reach into it.
    let last = if end.column == 0 && end.row > node.start_position().row { end.row - 1 } else { end.row };
    Some(Definition {
        name: own_name.to_owned(),
        kind,
        prefix: bytes.start..bytes.start,
        signature: bytes.start..body(node).map_or(bytes.end, |body| body.start_byte().max(bytes.start)),
        bytes,
        lines: node.start_position().row..last + 1,
        parent: None,
        qualifier,
        registered: Vec::new(),
        exported: false,
    })
}

/// The body of a definition, or of the function that is the value of a name.
fn body(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("body")
        .or_else(|| node.child_by_field_name("value")?.child_by_field_name("body"))
}

/// What a string literal says; other text as it is.
pub(crate) fn unquoted(string: &str) -> &str {
    let is_quote = |character| matches!(character, '"' | '\'');
    let prefix = |character: char| character.is_ascii_alphabetic();
    let quoted = string.trim_start_matches(prefix);
    if quoted.starts_with(is_quote) { quoted.trim_matches(is_quote) } else { string.trim() }
}

/// Whether a string can be a name by which somebody asks.
fn is_plausible(name: &str) -> bool {
    name.len() <= LONGEST_NAME_BYTES && !name.contains('\n') && name.contains(char::is_alphanumeric)
}
