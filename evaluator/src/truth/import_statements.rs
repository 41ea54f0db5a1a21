//! Python's import statements, read line by line: gold answers are often no valid program, so no parser reads them.

/// One imported module with what is taken from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Import {
    /// The module, as written but without leading dots.
    pub(crate) module: String,
    /// How many dots stand before it.
    pub(crate) level: usize,
    /// What is taken.
    pub(crate) taken: Taken,
}

/// What a statement takes from a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// The module itself, known by this name; without `as`, that is the first part of its own.
    Module(String),
    /// These members, each with the name it is known by.
    Members(Vec<(String, String)>),
    /// Everything.
    All,
}

/// All import statements of a text.
pub(crate) fn imports(text: &str) -> Vec<Import> {
    statements(text).iter().flat_map(|statement| parse(statement)).collect()
}

/// Lines that start with `from` or `import`, with what parentheses and backslashes continue.
fn statements(text: &str) -> Vec<String> {
    let mut statements: Vec<String> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let starts = line.starts_with("from ") || line.starts_with("import ");
        match statements.last_mut() {
            Some(statement) if open => {
                statement.push(' ');
                statement.push_str(line.trim_end_matches('\\'));
            }
            _ if starts => statements.push(line.trim_end_matches('\\').to_owned()),
            _ => continue,
        }
        let statement = statements.last().map_or("", String::as_str);
        open = line.ends_with('\\') || statement.contains('(') && !statement.contains(')');
    }
    statements
}

fn parse(statement: &str) -> Vec<Import> {
    let statement = statement.split(';').next().unwrap_or_default();
    if let Some(rest) = statement.strip_prefix("import ") {
        return rest.split(',').filter_map(import).collect();
    }
    let Some((module, members)) =
        statement.strip_prefix("from ").and_then(|rest| rest.split_once(" import "))
    else {
        return Vec::new();
    };
    let module = module.trim();
    let name = module.trim_start_matches('.');
    let taken = if members.trim() == "*" { Taken::All } else { Taken::Members(members_of(members)) };
    vec![Import { module: name.to_owned(), level: module.len() - name.len(), taken }]
}

fn import(part: &str) -> Option<Import> {
    let (module, known_as) = named(part)?;
    let known_as = if known_as == module { module.split('.').next()?.to_owned() } else { known_as };
    Some(Import { module, level: 0, taken: Taken::Module(known_as) })
}

fn members_of(members: &str) -> Vec<(String, String)> {
    members.split(',').filter_map(|part| named(part.trim().trim_matches(['(', ')']))).collect()
}

/// `name` or `name as other`.
fn named(part: &str) -> Option<(String, String)> {
    let words: Vec<&str> = part.split_whitespace().collect();
    match words[..] {
        [name] => Some((name.to_owned(), name.to_owned())),
        [name, "as", other] => Some((name.to_owned(), other.to_owned())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(usize, &str, Taken)]) {
        let of = |(level, module, taken): &(usize, &str, Taken)| Import {
            module: (*module).to_owned(),
            level: *level,
            taken: taken.clone(),
        };
        assert_eq!(imports(text), expected.iter().map(of).collect::<Vec<_>>(), "{text}");
    }

    fn members(names: &[(&str, &str)]) -> Taken {
        Taken::Members(names.iter().map(|(name, known)| ((*name).to_owned(), (*known).to_owned())).collect())
    }

    #[test]
    fn reads_every_form_of_import() {
        let module = |name: &str| Taken::Module(name.to_owned());
        check("import a.b, c as d  # why", &[(0, "a.b", module("a")), (0, "c", module("d"))]);
        check("  from a.b import c, d as e", &[(0, "a.b", members(&[("c", "c"), ("d", "e")]))]);
        check("from .x import *\nfrom . import y", &[(1, "x", Taken::All), (1, "", members(&[("y", "y")]))]);
        check("from ..x import (\n  a,\n  b,\n)\nz = 1", &[(2, "x", members(&[("a", "a"), ("b", "b")]))]);
        check("from x import a, \\\n  b", &[(0, "x", members(&[("a", "a"), ("b", "b")]))]);
        check("important = 1\nprint('from here')\nfrom", &[]);
    }
}
