//! Programs that never started. An engine reports them as if they had run: an exit code of 126 or 127, with the
//! words of its runtime in place of the program's output. Every backend reports them in a shell's way instead.

use std::io::ErrorKind;

/// What became of a program that could not be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StartFailure {
    /// As a shell would report it: an exit code and a line for the standard error.
    OfProgram { code: i32, line: String },
    /// For a reason that lies with the engine, in its words.
    OfEngine { said: String },
}

impl StartFailure {
    /// Reads a container runtime's words about `program` in `working_directory`.
    pub(crate) fn from_runtime(said: &str, program: &str, working_directory: &str) -> Self {
        let says = |words: &str| said.contains(words);
        if says("chdir to cwd") {
            Self::working_directory(working_directory)
        } else if says("executable file not found") || says("no such file or directory") {
            Self::missing(program)
        } else if says("permission denied") {
            Self::forbidden(program)
        } else if says("exec format error") {
            let line = format!("{program}: not a program that this machine can run\n");
            Self::OfProgram { code: 126, line }
        } else {
            Self::OfEngine { said: said.trim().to_owned() }
        }
    }

    /// Reads this machine's answer to the attempt to start `program`.
    pub(crate) fn from_host(error: &std::io::Error, program: &str) -> Self {
        match error.kind() {
            ErrorKind::NotFound => Self::missing(program),
            ErrorKind::PermissionDenied => Self::forbidden(program),
            _ => Self::OfEngine { said: error.to_string() },
        }
    }

    pub(crate) fn working_directory(folder: &str) -> Self {
        Self::OfProgram { code: 126, line: format!("the working directory {folder} cannot be entered\n") }
    }

    fn missing(program: &str) -> Self {
        let line = format!("{program}: no such program in the sandbox, or its interpreter is missing\n");
        Self::OfProgram { code: 127, line }
    }

    fn forbidden(program: &str) -> Self {
        Self::OfProgram { code: 126, line: format!("{program}: permission denied; is it executable?\n") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(said: &str, expected: &StartFailure) {
        assert_eq!(&StartFailure::from_runtime(said, "train", "/work"), expected);
    }

    #[test]
    fn reads_the_words_of_runc() {
        check(
            r#"OCI runtime exec failed: exec failed: unable to start container process: exec: "train": executable file not found in $PATH: unknown"#,
            &StartFailure::missing("train"),
        );
        check(
            r#"OCI runtime exec failed: exec failed: unable to start container process: chdir to cwd ("/work") set in config.json failed: no such file or directory: unknown"#,
            &StartFailure::working_directory("/work"),
        );
        check(
            r#"OCI runtime exec failed: exec failed: unable to start container process: exec: "/work": permission denied: unknown"#,
            &StartFailure::forbidden("train"),
        );
    }

    #[test]
    fn blames_the_engine_for_what_no_program_can_cause() {
        let said = "OCI runtime exec failed: read init-p: connection reset by peer\n";
        check(said, &StartFailure::OfEngine { said: said.trim().to_owned() });
    }
}
