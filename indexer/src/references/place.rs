//! What a place in a syntax tree is, read from the nodes around it; node and field names are those of the grammars.

use tree_sitter::Node;

use super::UseKind;
use crate::source::one_line;

const LONGEST_NAME_BYTES: usize = 200;

/// What an occurrence is.
pub(super) enum Step {
    /// Code that uses the identifier.
    Use(UseKind),
    /// The name in its own definition.
    Definition,
    /// A comment, a string, an option of a command.
    NoCode,
}

/// Reads the nodes from the root to the smallest around an occurrence at `byte`.
pub(super) fn step(way: &[Node<'_>], text: &str, byte: usize) -> Step {
    let Some((leaf, around)) = way.split_last() else { return Step::NoCode };
    match leaf.kind() {
        "identifier"
        | "field_identifier"
        | "type_identifier"
        | "namespace_identifier"
        | "variable_name"
        | "property_identifier"
        | "private_property_identifier"
        | "shorthand_property_identifier" => {}
        "word" if around.last().is_some_and(|parent| parent.kind() == "command_name") => {
            return Step::Use(UseKind::Call);
        }
        // The grammar keeps the body of a macro as one text.
        "preproc_arg" => {
            let before = &text[leaf.start_byte()..byte];
            let quoted = before.matches('"').count() % 2 == 1 || before.contains("//");
            return if quoted { Step::NoCode } else { Step::Use(UseKind::Other) };
        }
        _ => return Step::NoCode,
    }
    if is_defined(way) {
        Step::Definition
    } else if around.iter().any(|node| is_import(node.kind())) {
        Step::Use(UseKind::Import)
    } else if is_called(way) || is_launched(leaf, text) {
        Step::Use(UseKind::Call)
    } else {
        Step::Use(UseKind::Other)
    }
}

/// The names of the definitions around an occurrence, joined by dots; its own definition is none of them.
pub(super) fn enclosing(way: &[Node<'_>], text: &str) -> Option<String> {
    let around = way.iter().take(way.len().saturating_sub(1));
    let names: Vec<String> = around
        .filter(|node| is_scope(**node))
        .filter_map(|node| name(*node))
        .map(|name| one_line(&text[name.byte_range()], LONGEST_NAME_BYTES).replace("::", "."))
        .collect();
    (!names.is_empty()).then(|| names.join("."))
}

fn is_scope(node: Node<'_>) -> bool {
    match node.kind() {
        "function_definition"
        | "class_definition"
        | "class_specifier"
        | "struct_specifier"
        | "namespace_definition"
        | "function_declaration"
        | "generator_function_declaration"
        | "class_declaration"
        | "abstract_class_declaration"
        | "method_definition"
        | "internal_module" => true,
        // A name whose value is a function.
        "variable_declarator" | "field_definition" | "public_field_definition" => node
            .child_by_field_name("value")
            .is_some_and(|value| matches!(value.kind(), "arrow_function" | "function_expression")),
        _ => false,
    }
}

fn is_import(kind: &str) -> bool {
    matches!(kind, "import_statement" | "import_from_statement" | "using_declaration")
}

/// The name of a definition; in C it is at the end of a chain of declarators.
fn name(node: Node<'_>) -> Option<Node<'_>> {
    if let Some(name) = node.child_by_field_name("name").or_else(|| node.child_by_field_name("property")) {
        return Some(name);
    }
    let mut inner = node.child_by_field_name("declarator")?;
    while let Some(deeper) = inner.child_by_field_name("declarator").or_else(|| referred(inner)) {
        inner = deeper;
    }
    Some(inner)
}

/// A reference declarator has no field for what it declares.
fn referred(node: Node<'_>) -> Option<Node<'_>> {
    (node.kind() == "reference_declarator").then(|| node.named_child(0)).flatten()
}

fn is_defined(way: &[Node<'_>]) -> bool {
    let Some(leaf) = way.last() else { return false };
    let ends_with_leaf =
        |name: Node<'_>| name.end_byte() == leaf.end_byte() && name.start_byte() <= leaf.start_byte();
    way.iter().rev().skip(1).take(8).any(|node| match node.kind() {
        "function_definition"
        | "class_definition"
        | "namespace_definition"
        | "function_declaration"
        | "generator_function_declaration"
        | "function_signature"
        | "class_declaration"
        | "abstract_class_declaration"
        | "interface_declaration"
        | "type_alias_declaration"
        | "enum_declaration"
        | "internal_module"
        | "method_definition"
        | "field_definition"
        | "public_field_definition"
        | "variable_declarator"
        | "preproc_def"
        | "preproc_function_def" => name(*node).is_some_and(ends_with_leaf),
        // Without a body they speak of a type that is defined elsewhere.
        "class_specifier" | "struct_specifier" | "union_specifier" | "enum_specifier" => {
            node.child_by_field_name("body").is_some() && name(*node).is_some_and(ends_with_leaf)
        }
        _ => false,
    })
}

/// Whether a CUDA kernel is started: to the grammar of C++ `Kernel<float><<<1, 2>>>(x)` is a comparison.
fn is_launched(leaf: &Node<'_>, text: &str) -> bool {
    let after = text[leaf.end_byte()..].trim_start();
    after.starts_with("<<<") || after_template(after).is_some_and(|after| after.starts_with("<<<"))
}

/// What follows the arguments of a template on one line.
fn after_template(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (byte, character) in text.char_indices().take(LONGEST_NAME_BYTES) {
        match character {
            '<' => depth += 1,
            '>' => depth = depth.checked_sub(1)?,
            _ if depth == 0 => return None,
            '\n' | ';' | '{' => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(text[byte + 1..].trim_start());
        }
    }
    None
}

/// Climbs from the name over what qualifies it to a call of it.
fn is_called(way: &[Node<'_>]) -> bool {
    let mut nodes = way.iter().rev();
    let Some(mut current) = nodes.next().copied() else { return false };
    for parent in nodes {
        let is = |field: &str| parent.child_by_field_name(field) == Some(current);
        match parent.kind() {
            "call" | "call_expression" => return is("function"),
            "new_expression" => return is("type") || is("constructor"),
            "jsx_opening_element" | "jsx_self_closing_element" => return is("name"),
            "member_expression" if is("property") => {}
            "attribute" if is("attribute") => {}
            "field_expression" if is("field") => {}
            "qualified_identifier" | "template_function" | "template_method" | "template_type"
                if is("name") => {}
            _ => return false,
        }
        current = *parent;
    }
    false
}
