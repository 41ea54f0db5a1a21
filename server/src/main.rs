//! The one binary, `repolab`. All of it is in the library beside this file, so that tests can reach it.

use std::process::ExitCode;

fn main() -> ExitCode {
    server::run()
}
