//! Which definition stands in which, told by their bytes, and what that makes of them: a function in a class is a
//! method, a value in a class a field, and a value in a function nobody's business but its own.

use std::cmp::Reverse;
use std::collections::HashSet;

use super::Definition;
use crate::symbol::SymbolKind;

/// Sorts by place, drops repeats and local values, and names the parents.
pub(super) fn nest(mut definitions: Vec<Definition>) -> Vec<Definition> {
    // Of two kinds for one name the first is the more telling, as a function is for a value that is one.
    definitions.sort_by(|a, b| {
        let key = |of: &Definition| (of.bytes.start, Reverse(of.bytes.end), of.kind);
        key(a).cmp(&key(b))
    });
    definitions.dedup_by(|later, earlier| later.bytes == earlier.bytes && later.name == earlier.name);
    let mut nested: Vec<Definition> = Vec::with_capacity(definitions.len());
    let mut open: Vec<usize> = Vec::new();
    let mut set = HashSet::new();
    for mut definition in definitions {
        while open.last().is_some_and(|parent| nested[*parent].bytes.end <= definition.bytes.start) {
            open.pop();
        }
        definition.parent = open.last().copied();
        let parent = definition.parent.map(|parent| nested[parent].kind);
        let Some(kind) = placed(&definition, parent) else { continue };
        definition.kind = kind;
        let is_value = matches!(kind, SymbolKind::Constant | SymbolKind::Field);
        // The place where a value is set first is where one looks for it.
        if is_value && !set.insert((definition.parent, definition.name.clone())) {
            continue;
        }
        if holds_others(kind) {
            open.push(nested.len());
        }
        nested.push(definition);
    }
    nested
}

/// The kind of a definition in its place; none for values that are local to a function.
fn placed(definition: &Definition, parent: Option<SymbolKind>) -> Option<SymbolKind> {
    let in_class = matches!(parent, Some(SymbolKind::Class | SymbolKind::Struct));
    let in_function = matches!(parent, Some(SymbolKind::Function | SymbolKind::Method));
    match definition.kind {
        SymbolKind::Function if in_class || definition.qualifier.is_some() => Some(SymbolKind::Method),
        SymbolKind::Constant | SymbolKind::Field if in_function => None,
        SymbolKind::Constant if in_class => Some(SymbolKind::Field),
        kind => Some(kind),
    }
}

fn holds_others(kind: SymbolKind) -> bool {
    !matches!(kind, SymbolKind::Constant | SymbolKind::Field | SymbolKind::Macro | SymbolKind::Flag)
}
