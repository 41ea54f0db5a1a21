//! The definitions and uses of a name in one file. The name is found in the bytes first, so that most files are never
//! parsed; then the tree is asked about each place, without walking it.

use memchr::memmem;
use repos::{RepositoryPath, Root};
use tree_sitter::Node;

use super::{Definition, Use, UseKind};
use crate::admission;
use crate::source::Source;
use crate::symbol::{Symbol, find_symbol, outline};
use crate::syntax::{Grammar, Parsed, parse};

// A file with more is generated, and each place costs a way down the tree.
const MOST_PLACES: usize = 2_000;
const LONGEST_LINE_BYTES: usize = 200;

/// What one file holds of a name.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) definitions: Vec<Definition>,
    pub(super) uses: Vec<Use>,
    pub(super) unread: bool,
}

impl Found {
    /// A file that was not looked into.
    pub(super) fn unread() -> Self {
        Self { unread: true, ..Self::default() }
    }
}

/// Looks into a file; nothing where the name does not stand in it or the file is no text any more.
pub(super) fn look(root: &Root, path: &RepositoryPath, grammar: &Grammar, wanted: &str) -> Option<Found> {
    let name = wanted.rsplit('.').next()?;
    let bytes = root.read(path, admission::LARGEST_NOTEBOOK_BYTES).ok()?;
    if !holds(&bytes, name) || admission::is_binary(&bytes) {
        return None;
    }
    let (source, _) = Source::decode(bytes);
    let Ok(parsed) = parse(grammar, source.text()) else { return Some(Found::unread()) };
    let places: Vec<usize> = places(source.text(), name).collect();
    let mut found = Found { unread: places.len() > MOST_PLACES, ..Found::default() };
    let mut is_defined = false;
    for start in places.into_iter().take(MOST_PLACES) {
        let Some(node) = identifier(&parsed, start..start + name.len()) else { continue };
        if defines(&parsed, name, start) {
            is_defined = true;
        } else {
            found.uses.push(describe(&source, &parsed, path, node));
        }
    }
    // Several uses on one line are one place to look at; the first tells its kind.
    found.uses.dedup_by_key(|one| one.line);
    if is_defined {
        found.definitions = definitions(root, path, wanted);
    }
    (found.unread || is_defined || !found.uses.is_empty()).then_some(found)
}

fn holds(bytes: &[u8], name: &str) -> bool {
    memmem::find(bytes, name.as_bytes()).is_some()
}

/// Where the name stands as a whole word.
fn places<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_part = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let bytes = text.as_bytes();
    memmem::find_iter(bytes, name.as_bytes()).filter(move |start| {
        let before = start.checked_sub(1).and_then(|at| bytes.get(at));
        !is_part(before) && !is_part(bytes.get(start + name.len()))
    })
}

/// The identifier at these bytes; nothing in comments, strings and the middle of something else.
fn identifier(parsed: &Parsed, bytes: std::ops::Range<usize>) -> Option<Node<'_>> {
    let node = parsed.tree.root_node().descendant_for_byte_range(bytes.start, bytes.end)?;
    let is_whole = node.byte_range() == bytes;
    let kind = node.kind();
    // A word of a shell script is a name only where a command stands.
    let is_name = kind.ends_with("identifier")
        || kind == "variable_name"
        || kind == "word"
            && node
                .parent()
                .is_some_and(|parent| matches!(parent.kind(), "command_name" | "function_definition"));
    (is_whole && is_name).then_some(node)
}

/// Whether the place is the name in a definition of it.
fn defines(parsed: &Parsed, name: &str, start: usize) -> bool {
    parsed.definitions.iter().any(|one| {
        let mut head = one.signature.clone();
        // A value is its whole assignment; only the left side defines.
        head.end = head.end.min(one.bytes.start + LONGEST_LINE_BYTES);
        one.name == name && head.contains(&start) && first_in_head(parsed, one, name) == Some(start)
    })
}

/// The first place of the name in the head of a definition, past what decorates it.
fn first_in_head(parsed: &Parsed, definition: &crate::syntax::Definition, name: &str) -> Option<usize> {
    let node =
        parsed.tree.root_node().descendant_for_byte_range(definition.bytes.start, definition.bytes.end)?;
    let mut cursor = node.walk();
    let mut last_seen = None;
    // Depth first through the head only, which is short whatever hangs below its body.
    loop {
        let here = cursor.node();
        let is_leaf = here.child_count() == 0;
        let inside = here.start_byte() < definition.signature.end;
        if inside
            && is_leaf
            && here.end_byte() - here.start_byte() == name.len()
            && here.kind().ends_with("identifier")
            || inside && is_leaf && here.kind() == "word"
        {
            last_seen = Some(here.start_byte()).filter(|_| here.byte_range().len() == name.len());
            if last_seen.is_some() {
                return last_seen;
            }
        }
        if inside && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() || cursor.node() == node {
                return last_seen;
            }
        }
    }
}

fn describe(source: &Source, parsed: &Parsed, path: &RepositoryPath, node: Node<'_>) -> Use {
    let line = node.start_position().row;
    let text = crate::source::cut(source.line(line).trim(), LONGEST_LINE_BYTES).to_owned();
    Use {
        path: path.clone(),
        line: u32::try_from(line + 1).unwrap_or(u32::MAX),
        text,
        inside: inside(parsed, node.start_byte()),
        kind: kind(node),
    }
}

/// The innermost definition around a place, with its parents.
fn inside(parsed: &Parsed, start: usize) -> Option<String> {
    let around = parsed.definitions.iter().filter(|one| one.bytes.contains(&start));
    let innermost = around.min_by_key(|one| one.bytes.len())?;
    let mut names = vec![innermost.name.as_str()];
    let mut parent = innermost.parent;
    while let Some(outer) = parent.and_then(|number| parsed.definitions.get(number)) {
        names.push(&outer.name);
        parent = outer.parent;
    }
    names.reverse();
    Some(names.join("."))
}

/// How the identifier is used, from the few nodes around it.
fn kind(node: Node<'_>) -> UseKind {
    let mut named = node;
    for _ in 0..4 {
        let Some(parent) = named.parent() else { break };
        let is = |field: &str| parent.child_by_field_name(field) == Some(named);
        match parent.kind() {
            "call" | "call_expression" if is("function") => return UseKind::Call,
            "command_name" | "new_expression" => return UseKind::Call,
            "decorator" => return UseKind::Decorator,
            "import_statement" | "import_from_statement" | "using_declaration" | "preproc_include" => {
                return UseKind::Import;
            }
            "argument_list" if parent.parent().is_some_and(|one| one.kind() == "class_definition") => {
                return UseKind::Base;
            }
            "base_class_clause" => return UseKind::Base,
            // The object before the dot is named, not called.
            "attribute" if !is("attribute") => return UseKind::Other,
            "field_expression" if !is("field") => return UseKind::Other,
            "attribute"
            | "field_expression"
            | "qualified_identifier"
            | "template_function"
            | "dotted_name"
            | "aliased_import"
            | "template_type" => named = parent,
            _ => break,
        }
    }
    UseKind::Other
}

/// The symbols of a file that the name means.
fn definitions(root: &Root, path: &RepositoryPath, wanted: &str) -> Vec<Definition> {
    let symbols = outline(root, path).unwrap_or_default();
    let name = wanted.rsplit('.').next().unwrap_or_default();
    let alike = symbols.iter().filter(|symbol| symbol.name == name);
    let fits = |symbol: &&Symbol| find_symbol(std::slice::from_ref(*symbol), wanted).is_some();
    alike.filter(fits).map(|symbol| Definition { path: path.clone(), symbol: symbol.clone() }).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::Language;

    fn check(file: &str, text: &str, wanted: &str, expected: &Expect) {
        let folder = tempfile::tempdir().unwrap();
        fs_err::write(folder.path().join(file), text).unwrap();
        let root = Root::open(folder.path()).unwrap();
        let grammar = Language::detect(file, text.as_bytes()).grammar().unwrap();
        let found = look(&root, &file.parse().unwrap(), grammar, wanted).unwrap_or_default();
        let mut lines: Vec<String> = Vec::new();
        for one in &found.definitions {
            lines.push(format!(
                "{} {} at {}",
                one.symbol.kind,
                one.symbol.qualified(),
                one.symbol.start_line
            ));
        }
        for one in &found.uses {
            let inside = one.inside.as_deref().unwrap_or("-");
            lines.push(format!("{} {} in {inside}: {}", one.kind.name(), one.line, one.text));
        }
        expected.assert_eq(&lines.join("\n"));
    }

    #[test]
    fn tells_calls_imports_bases_and_decorators_apart_in_python() {
        let text = "from model import helper as h, helper\n\
            def helper(x):\n    return x\n\
            class A(helper):\n    @helper\n    def run(self):\n        return helper(1) + self.helper(2) + helper.x\n\
            # helper in a comment\n\
            s = 'helper in a string'\n\
            helpers = [helper]\n";
        check(
            "a.py",
            text,
            "helper",
            &expect![[r#"
                function helper at 2
                import 1 in -: from model import helper as h, helper
                base 4 in A: class A(helper):
                decorator 5 in A: @helper
                call 7 in A.run: return helper(1) + self.helper(2) + helper.x
                other 10 in helpers: helpers = [helper]"#]],
        );
    }

    #[test]
    fn a_method_is_meant_by_its_class() {
        let text = "class A:\n    def run(self):\n        pass\nclass B:\n    def run(self):\n        pass\nA().run()\n";
        check(
            "a.py",
            text,
            "B.run",
            &expect![[r#"
            method B.run at 5
            call 7 in -: A().run()"#]],
        );
    }

    #[test]
    fn reads_c_and_shell() {
        let text = "#define LIMIT 3\nint helper(int a) { return a; }\nint main() { return helper(LIMIT); } // helper\n";
        check(
            "a.c",
            text,
            "helper",
            &expect![[r#"
            function helper at 2
            call 3 in main: int main() { return helper(LIMIT); } // helper"#]],
        );
        let text = "train() {\n  python train.py train\n}\ntrain\necho train\n";
        check(
            "a.sh",
            text,
            "train",
            &expect![[r#"
            function train at 1
            call 4 in -: train"#]],
        );
    }

    #[test]
    fn finds_nothing_in_a_file_without_the_whole_name() {
        check("a.py", "helpers = 1\nmy_helper = 2\n", "helper", &expect![""]);
    }
}
