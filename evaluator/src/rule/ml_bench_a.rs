//! `ml-bench-a`, the rule of the harness for agents: `timeout 120s bash run.sh` in the task's folder, success on
//! exit code 0 or 124, and no look at the text at all. A recorded answer takes the place of the `run.sh` that an
//! agent would have left, after the set-up commands that the task hands to agents.

use std::time::Duration;

use super::Form;
use super::program::{Conda, Program, owned};
use crate::attempt::Attempt;
use crate::{Kind, Task, is_script};

pub(super) const LIMIT: Duration = Duration::from_secs(120);

const SCRIPT_FILE: &str = "run.sh";

/// No repository of the benchmark has a file of this name, so the answer shadows no module.
const PYTHON_FILE: &str = "repolab_answer.py";

/// A task for Python code may still be answered by the commands that run a script.
pub(super) fn form(task: &Task, output: &str) -> Form {
    if task.kind == Kind::PythonCode && !is_script(output) { Form::Python } else { Form::Script }
}

pub(super) fn program(attempt: &Attempt, conda: Option<Conda>) -> Program {
    let task = attempt.task;
    let mut files = Vec::new();
    let (before, commands) = match form(task, attempt.output) {
        Form::Script => (String::new(), attempt.output.to_owned()),
        Form::Python => {
            files.push((PYTHON_FILE, attempt.output.to_owned()));
            // The set-up commands may change the folder.
            (format!("answer=$PWD/{PYTHON_FILE}\n"), "python \"$answer\"".to_owned())
        }
    };
    let set_up = match task.prefix_code.trim() {
        "" => String::new(),
        _ => format!("{}\n", task.prefix_code),
    };
    let script = format!("{before}{set_up}{commands}\n");
    files.push((SCRIPT_FILE, script.clone()));
    Program { folder: task.path.clone(), files_folder: task.path.clone(), files, argv: argv(conda), script }
}

fn argv(conda: Option<Conda>) -> Vec<String> {
    match conda {
        // The harness lets conda hold the output back until the end and so loses that of a timeout; this changes
        // no verdict and is not repeated here.
        Some(Conda { environment, installed: true }) => {
            owned(["conda", "run", "--no-capture-output", "-n", environment, "bash", SCRIPT_FILE])
        }
        _ => owned(["bash", SCRIPT_FILE]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::Rule;
    use crate::task::sample::{bash_task, python_task};

    #[test]
    fn the_answer_becomes_run_sh_in_the_tasks_folder() {
        let task = bash_task();
        let program = program(&Attempt::new(&task, 1, "exit 0"), None);
        assert_eq!(program.files, [("run.sh", "exit 0\n".to_owned())]);
        assert_eq!(program.argv, ["bash", "run.sh"]);
        assert_eq!((program.folder.as_str(), program.files_folder.as_str()), ("sub/folder", "sub/folder"));
    }

    #[test]
    fn the_set_up_commands_come_first() {
        let task = Task { prefix_code: "export A=1".to_owned(), ..bash_task() };
        let program = program(&Attempt::new(&task, 1, "echo $A"), None);
        assert_eq!(program.script, "export A=1\necho $A\n");
    }

    #[test]
    fn python_code_stands_beside_run_sh() {
        let task = python_task();
        let code = program(&Attempt::new(&task, 1, "print(1)"), None);
        assert_eq!(code.files[0], ("repolab_answer.py", "print(1)".to_owned()));
        assert_eq!(code.script, "answer=$PWD/repolab_answer.py\npython \"$answer\"\n");
        let commands = program(&Attempt::new(&task, 1, "python demo.py --rate 1"), None);
        assert_eq!(commands.script, "python demo.py --rate 1\n");
    }

    #[test]
    fn conda_is_used_where_it_is_installed() {
        let task = bash_task();
        let attempt = Attempt::new(&task, 1, "exit 0");
        for (installed, program_name) in [(true, "conda"), (false, "bash")] {
            let conda = Some(Conda { environment: "one_DS", installed });
            assert_eq!(program(&attempt, conda).argv[0], program_name);
        }
    }

    #[test]
    fn an_empty_answer_left_no_script() {
        let task = bash_task();
        assert_eq!(Rule::MlBenchA.program(&Attempt::new(&task, 1, " \n"), None), None);
        assert!(Rule::MlBenchL.program(&Attempt::new(&task, 1, ""), None).is_some());
    }
}
