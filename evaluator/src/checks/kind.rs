//! The kind check: an answer is a script if it mentions a script file with a space after it. `python main.py`
//! without arguments is therefore Python code, and Python code that mentions `main.py ` is a script.

use crate::Kind;

/// Whether the benchmark takes an answer for shell commands rather than Python code.
pub fn is_script(output: &str) -> bool {
    output.contains(".sh ") || output.contains(".py ")
}

/// Whether the answer is of the kind that the task asks for, by that same test.
pub fn kind_fits(kind: Kind, output: &str) -> bool {
    is_script(output) == (kind == Kind::BashScript)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_a_script_name_with_a_space_for_a_script() {
        for (output, expected) in [
            ("python main.py --steps 1", true),
            ("sh train.sh now", true),
            ("python main.py", false),
            ("python main.py\n", false),
            ("import torch", false),
            ("exit 0 # a.py ", true),
        ] {
            assert_eq!(is_script(output), expected, "{output}");
            assert_eq!(kind_fits(Kind::BashScript, output), expected, "{output}");
            assert_eq!(kind_fits(Kind::PythonCode, output), !expected, "{output}");
        }
    }
}
