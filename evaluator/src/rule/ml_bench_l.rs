//! `ml-bench-l`, the rule of the paper's `utils/exec.py`: static checks on the text, then a short run of
//! `cd PATH; source activate ENV; OUTPUT`. Commands are joined by `;`, so that a failing `cd` or `source` changes
//! nothing and the last command decides; a program that is still running at the limit has passed.

use std::time::Duration;

use sandbox::{Ending, Outcome};

use super::program::{Conda, Program, owned, quoted};
use super::{Form, Rule};
use crate::attempt::Attempt;
use crate::is_script;

/// The name under which the harness puts Python code beside the repository's own files.
const PYTHON_FILE: &str = "temp.py";

/// The benchmark's numbers for the repositories that have limits of their own.
const VID2VID: i64 = 5;
const PYTORCH_IMAGE_MODELS: i64 = 11;

/// What fits into a pipe on Linux. The harness never reads its pipe, so a program that prints more blocks until
/// the time limit, and passes by that. Here output is always read.
const PIPE_BYTES: u64 = 65_536;

pub(super) fn form(output: &str) -> Form {
    if is_script(output) { Form::Script } else { Form::Python }
}

pub(super) fn limit(github_id: i64, form: Form) -> Duration {
    Duration::from_secs(match (github_id, form) {
        (VID2VID, _) => 4,
        (PYTORCH_IMAGE_MODELS, Form::Python) => 7,
        _ => 10,
    })
}

pub(super) fn program(attempt: &Attempt, conda: Option<Conda>) -> Program {
    let (files, command) = match form(attempt.output) {
        Form::Script => (Vec::new(), attempt.output.to_owned()),
        Form::Python => (vec![(PYTHON_FILE, attempt.output.to_owned())], format!("python {PYTHON_FILE}")),
    };
    // The folder is given relative to the repository, where the command starts, because places that run jobs
    // may show the repository under different absolute names.
    let enter = format!("cd {}; ", quoted(&format!("./{}", attempt.task.path.as_str())));
    let activate = conda.map(|conda| format!("source activate {}; ", quoted(conda.environment)));
    let script = format!("{enter}{}{command}", activate.unwrap_or_default());
    Program {
        folder: repos::RepositoryPath::top(),
        files_folder: attempt.task.path.clone(),
        files,
        argv: owned(["bash", "-c", &script]),
        script,
    }
}

/// Whether the original harness, which does not read its pipe, would have seen a timeout and with it a success
/// where this run failed.
pub(crate) fn undrained_pipe_would_change_verdict(outcome: &Outcome) -> bool {
    let ran = !matches!(outcome.ending, Ending::Infrastructure { .. } | Ending::Cancelled);
    ran && outcome.stdout.total_bytes() > PIPE_BYTES && !Rule::MlBenchL.is_success(&outcome.ending)
}

#[cfg(test)]
mod tests {
    use sandbox::{Evidence, Output};

    use super::*;
    use crate::Task;
    use crate::task::sample::{bash_task, python_task};

    #[track_caller]
    fn check_limit(github_id: i64, form: Form, seconds: u64) {
        assert_eq!(limit(github_id, form), Duration::from_secs(seconds), "{github_id} {form:?}");
    }

    #[test]
    fn limits_are_those_of_the_harness() {
        for form in [Form::Script, Form::Python] {
            check_limit(1, form, 10);
            check_limit(5, form, 4);
        }
        check_limit(11, Form::Script, 10);
        check_limit(11, Form::Python, 7);
    }

    #[test]
    fn joins_commands_so_that_only_the_last_one_decides() {
        let task = bash_task();
        let attempt = Attempt::new(&task, 1, "sh train.sh --rate 0.5");
        let conda = Some(Conda { environment: "one_DS", installed: false });
        let program = program(&attempt, conda);
        assert_eq!(
            program.argv,
            ["bash", "-c", "cd ./sub/folder; source activate one_DS; sh train.sh --rate 0.5"]
        );
        assert!(program.files.is_empty() && program.folder.as_str().is_empty());
    }

    #[test]
    fn puts_python_code_into_a_file_beside_the_repositorys_own() {
        let task = python_task();
        let program = program(&Attempt::new(&task, 1, "print(0.5)"), None);
        assert_eq!(program.script, "cd ./; python temp.py");
        assert_eq!(program.files, [("temp.py", "print(0.5)".to_owned())]);
    }

    #[test]
    fn quotes_a_folder_that_a_shell_would_read_otherwise() {
        let task = Task { path: "a b; rm".parse().unwrap(), ..bash_task() };
        let program = program(&Attempt::new(&task, 1, "sh x.sh 1"), None);
        assert_eq!(program.script, "cd './a b; rm'; sh x.sh 1");
    }

    #[track_caller]
    fn check_pipe(ending: Ending, bytes: usize, expected: bool) {
        let mut stdout = Output::keeping(0);
        stdout.push(&vec![b'x'; bytes]);
        let (stderr, elapsed, evidence) = (Output::default(), Duration::ZERO, Evidence::default());
        let outcome = Outcome { ending, stdout, stderr, elapsed, evidence };
        assert_eq!(undrained_pipe_would_change_verdict(&outcome), expected, "{outcome:?}");
    }

    #[test]
    fn flags_failures_that_printed_more_than_a_pipe_holds() {
        check_pipe(Ending::Exited { code: 1 }, 65_536, false);
        check_pipe(Ending::Exited { code: 1 }, 65_537, true);
        check_pipe(Ending::OutputCapped, 65_537, true);
        check_pipe(Ending::Exited { code: 0 }, 65_537, false);
        check_pipe(Ending::TimedOut, 65_537, false);
        check_pipe(Ending::Infrastructure { why: String::new() }, 65_537, false);
    }
}
