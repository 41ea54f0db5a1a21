//! A server that listens on an address, until it is dropped. What it logs goes to the test's own standard error, line
//! by line, so that a failed test shows it.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStderr, Command, Stdio};

/// A running server and where it listens.
pub(crate) struct Listening {
    child: Child,
    url: String,
}

impl Listening {
    /// Starts a server that prints `listening on URL` to standard error.
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let log = child.stderr.take().unwrap();
        let url = announced(BufReader::new(log));
        Self { child, url }
    }

    /// The URL of the protocol.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The process id.
    pub(crate) fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// Asks the server to end, as a service manager does.
    pub(crate) fn terminate(&self) {
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    }

    /// Waits for the end; its exit code.
    pub(crate) fn wait(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        // A server that is already gone is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The announced URL; the rest of the log is read too, so that it never blocks the server.
#[expect(clippy::print_stderr, reason = "the server's log belongs to a failed test's report")]
fn announced(mut log: BufReader<ChildStderr>) -> String {
    loop {
        let mut line = String::new();
        assert_ne!(log.read_line(&mut line).unwrap(), 0, "the server ended without telling its address");
        eprint!("server: {line}");
        if let Some((_, url)) = line.trim_end().split_once("listening on ") {
            std::thread::spawn(move || {
                log.lines().map_while(Result::ok).for_each(|line| eprintln!("server: {line}"));
            });
            return url.to_owned();
        }
    }
}
