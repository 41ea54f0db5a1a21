//! What Python's `str()` makes of a literal. The benchmark compares an answer with this text, so `1e-5` has to
//! become `1e-05` and `True` stay `True`, exactly as Python would write them.

use py_literal::Value;

/// `str(value)`, or why this value has none that could be relied on.
pub(crate) fn str_of(value: &Value) -> Result<String, &'static str> {
    match value {
        Value::String(text) => Ok(text.clone()),
        other => repr_of(other),
    }
}

/// `repr(value)`, which containers use for what they hold.
fn repr_of(value: &Value) -> Result<String, &'static str> {
    Ok(match value {
        Value::String(text) => quoted(text),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => float(*number),
        Value::Boolean(true) => "True".to_owned(),
        Value::Boolean(false) => "False".to_owned(),
        Value::None => "None".to_owned(),
        Value::List(items) => format!("[{}]", joined(items)?),
        Value::Tuple(items) if items.len() == 1 => format!("({},)", joined(items)?),
        Value::Tuple(items) => format!("({})", joined(items)?),
        Value::Dict(pairs) => format!("{{{}}}", entries(pairs)?),
        Value::Set(_) => return Err("a set has no fixed order in Python"),
        Value::Bytes(_) => return Err("bytes are no argument value"),
        Value::Complex(_) => return Err("a complex number is no argument value"),
    })
}

fn joined(items: &[Value]) -> Result<String, &'static str> {
    let texts: Vec<String> = items.iter().map(repr_of).collect::<Result<_, _>>()?;
    Ok(texts.join(", "))
}

fn entries(pairs: &[(Value, Value)]) -> Result<String, &'static str> {
    let text = |(key, value): &(Value, Value)| Ok(format!("{}: {}", repr_of(key)?, repr_of(value)?));
    let texts: Vec<String> = pairs.iter().map(text).collect::<Result<_, &'static str>>()?;
    Ok(texts.join(", "))
}

/// Rust's debug form uses the same shortest digits and the same range without an exponent as Python does; only
/// the exponent is written differently.
fn float(number: f64) -> String {
    if number.is_nan() {
        return "nan".to_owned();
    }
    let text = format!("{number:?}");
    let Some((digits, exponent)) = text.split_once('e') else { return text };
    match exponent.strip_prefix('-') {
        Some(exponent) => format!("{digits}e-{exponent:0>2}"),
        None => format!("{digits}e+{exponent:0>2}"),
    }
}

fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut quoted = String::from(quote);
    for character in text.chars() {
        match character {
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\\' => quoted.push_str("\\\\"),
            _ if character == quote => quoted.extend(['\\', quote]),
            _ if character.is_control() => quoted.extend(format!("\\x{:02x}", u32::from(character)).chars()),
            _ => quoted.push(character),
        }
    }
    quoted.push(quote);
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(literal: &str, expected: &str) {
        assert_eq!(str_of(&literal.parse().unwrap()).unwrap(), expected, "{literal}");
    }

    #[test]
    fn writes_floats_as_python_does() {
        for (literal, expected) in [
            ("0.00001", "1e-05"),
            ("1e-4", "0.0001"),
            ("0.1", "0.1"),
            ("2.", "2.0"),
            ("-5.0", "-5.0"),
            ("1e15", "1000000000000000.0"),
            ("1e16", "1e+16"),
            ("1.5e300", "1.5e+300"),
            ("1e-7", "1e-07"),
            ("1e999", "inf"),
        ] {
            check(literal, expected);
        }
    }

    #[test]
    fn writes_other_values_as_python_does() {
        for (literal, expected) in [
            ("'a b'", "a b"),
            ("12345678901234567890123", "12345678901234567890123"),
            ("True", "True"),
            ("None", "None"),
            ("['a', 1, None]", "['a', 1, None]"),
            ("(1,)", "(1,)"),
            ("(1, 0.5)", "(1, 0.5)"),
            ("{'k': \"it's\", 2: False}", "{'k': \"it's\", 2: False}"),
            (r"['a\n\'b\'', '\\']", r#"["a\n'b'", '\\']"#),
        ] {
            check(literal, expected);
        }
    }

    #[test]
    fn refuses_values_without_a_reliable_text() {
        for literal in ["{1, 2}", "b'x'", "2j", "[b'x']"] {
            assert!(str_of(&literal.parse().unwrap()).is_err(), "{literal} was accepted");
        }
    }
}
