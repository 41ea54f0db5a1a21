//! The arguments that a task asks for. The dataset keeps them as the text of a Python dict, which the original
//! harness hands to `eval`; here it is only parsed.

use py_literal::Value;
use serde::{Deserialize, Serialize};

use crate::python_text::str_of;

/// The parser tries the last element of a container more than once, so its time grows exponentially with depth.
/// The benchmark's rows have a depth of 1.
const DEEPEST: usize = 6;

/// A task's arguments: names in their order, and for each value what Python's `str()` makes of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Arguments {
    literal: String,
    values: Vec<(String, String)>,
}

impl Arguments {
    /// The dataset's own text.
    pub fn literal(&self) -> &str {
        &self.literal
    }

    /// Each argument's name with its value as text.
    ///
    /// Names are often placeholders such as `argument1`; the benchmark looks at values alone.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl TryFrom<String> for Arguments {
    type Error = String;

    fn try_from(literal: String) -> Result<Self, String> {
        if depth(&literal) > DEEPEST {
            return Err(format!("the arguments are nested more than {DEEPEST} deep"));
        }
        let parsed: Value = literal
            .trim()
            .parse()
            .map_err(|error| format!("the arguments are no Python literal: {}", one_line(&error)))?;
        let Value::Dict(pairs) = parsed else {
            return Err("the arguments are a Python literal but no dict".to_owned());
        };
        Ok(Self { literal, values: texts(&pairs)? })
    }
}

impl From<Arguments> for String {
    fn from(arguments: Arguments) -> Self {
        arguments.literal
    }
}

fn texts(pairs: &[(Value, Value)]) -> Result<Vec<(String, String)>, String> {
    let mut values: Vec<(String, String)> = Vec::with_capacity(pairs.len());
    for (name, value) in pairs {
        let name = str_of(name).map_err(|why| format!("an argument's name cannot be used: {why}"))?;
        let value = str_of(value).map_err(|why| format!("the argument `{name}` cannot be used: {why}"))?;
        // In Python the last of several equal keys wins and keeps the first one's place.
        match values.iter_mut().find(|(known, _)| *known == name) {
            Some(entry) => entry.1 = value,
            None => values.push((name, value)),
        }
    }
    Ok(values)
}

/// How deep brackets are nested at most. Brackets inside strings count too, which errs on the safe side.
fn depth(text: &str) -> usize {
    let mut open = 0_usize;
    let mut deepest = 0;
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(open);
    }
    deepest
}

/// The parser draws a picture of the place over several lines; only its last line says what is wrong.
fn one_line(error: &py_literal::ParseError) -> String {
    let text = error.to_string();
    text.lines().last().unwrap_or_default().trim_start_matches([' ', '=']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(literal: &str, expected: &[(&str, &str)]) {
        let arguments = Arguments::try_from(literal.to_owned()).unwrap();
        assert_eq!(arguments.iter().collect::<Vec<_>>(), expected);
        assert_eq!(String::from(arguments), literal);
    }

    #[track_caller]
    fn check_refused(literal: &str, expected: &str) {
        let refused = Arguments::try_from(literal.to_owned()).unwrap_err();
        assert!(refused.starts_with(expected), "{refused}");
    }

    #[test]
    fn reads_names_and_values_in_order() {
        check("{}", &[]);
        check(
            "{'rate': 1e-5, \"steps\": 20, 'on': True}",
            &[("rate", "1e-05"), ("steps", "20"), ("on", "True")],
        );
        check("{'layers': [1, 2], 'name': 'a',}", &[("layers", "[1, 2]"), ("name", "a")]);
    }

    #[test]
    fn lets_the_last_of_equal_names_win() {
        check("{'a': 1, 'b': 2, 'a': 3}", &[("a", "3"), ("b", "2")]);
    }

    #[test]
    fn refuses_what_is_no_dict_and_never_evaluates() {
        check_refused("__import__('os')", "the arguments are no Python literal: ");
        check_refused("['a']", "the arguments are a Python literal but no dict");
        check_refused("{'a': {1, 2}}", "the argument `a` cannot be used: a set");
        check_refused("", "the arguments are no Python literal: ");
        check_refused(&"[".repeat(100_000), "the arguments are nested more than");
    }
}
