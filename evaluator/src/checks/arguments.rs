//! The argument check: each value, as Python would write it, must occur somewhere in the answer, in any case.
//! Names and order do not matter, comments count, and `1` is found in `10`; that is the published rule.

use crate::Arguments;

/// The values that do not occur in an answer.
pub fn missing_arguments<'a>(arguments: &'a Arguments, output: &str) -> Vec<&'a str> {
    let output = output.to_lowercase();
    arguments.iter().map(|(_, value)| value).filter(|value| !output.contains(&value.to_lowercase())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(literal: &str, output: &str, missing: &[&str]) {
        let arguments = Arguments::try_from(literal.to_owned()).unwrap();
        assert_eq!(missing_arguments(&arguments, output), missing);
    }

    #[test]
    fn finds_values_in_any_case_and_place() {
        check("{'name': 'CoLA', 'steps': 1}", "# 10 steps on cola", &[]);
        check("{}", "", &[]);
    }

    #[test]
    fn takes_values_as_python_writes_them() {
        check("{'rate': 1e-5}", "--rate 1e-5", &["1e-05"]);
        check("{'rate': 0.00001, 'on': True}", "--rate 1E-05 --on=true", &[]);
        check("{'scale': 2.0}", "--scale 2", &["2.0"]);
    }
}
