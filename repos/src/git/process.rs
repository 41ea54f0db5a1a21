//! One run of git, ended with all its children when its time is up.
//! Git's helpers (transports, packers) hang on dead servers, so ending git alone would leave them behind.

use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::words::{LastWords, Listener};

/// How often a silent git is looked at.
const TICK: Duration = Duration::from_millis(50);
/// How long both streams may stay open after git has ended: what it wrote last is still on its way, and a helper that
/// it left behind may hold them for ever.
const DRAIN: Duration = Duration::from_secs(2);
/// A line of standard error is cut here; a server decides what arrives.
const LINE_BYTES: usize = 4096;
/// Standard output that is kept; what is asked of git fits many times over.
const OUTPUT_BYTES: u64 = 1 << 20;

/// How a run ended.
#[derive(Debug)]
pub(crate) enum Ending {
    Succeeded { output: String },
    Failed { words: LastWords },
    TimedOut,
}

enum Heard {
    Line(String),
    Output(Vec<u8>),
}

/// Runs `command` until `deadline`; `on_percent` hears how much of the objects has arrived.
pub(crate) fn run(command: &mut Command, deadline: Instant, on_percent: &dyn Fn(u8)) -> io::Result<Ending> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).spawn()?;
    let heard = listen(&mut child);
    let mut listener = Listener::default();
    let mut output = None;
    let (mut until, mut ended) = (deadline, false);
    while Instant::now() < until {
        match heard.recv_timeout(TICK) {
            Ok(Heard::Line(line)) => {
                if let Some(percent) = listener.hear(&line) {
                    on_percent(percent);
                }
            }
            Ok(Heard::Output(bytes)) => output = Some(bytes),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) if !ended && child.try_wait()?.is_some() => {
                ended = true;
                until = deadline.min(Instant::now() + DRAIN);
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
    Ok(match (wait(&mut child, deadline)?, output) {
        (Some(status), Some(output)) if status.success() => {
            Ending::Succeeded { output: String::from_utf8_lossy(&output).into_owned() }
        }
        (Some(status), _) if !status.success() => Ending::Failed { words: listener.last_words() },
        // Half an output is none: it could look like an empty repository.
        _ => Ending::TimedOut,
    })
}

/// Reads both streams on threads of their own, which end with the streams.
fn listen(child: &mut Child) -> mpsc::Receiver<Heard> {
    let (sender, receiver) = mpsc::channel();
    if let Some(errors) = child.stderr.take() {
        let sender = sender.clone();
        thread::spawn(move || send_lines(errors, &sender));
    }
    if let Some(mut output) = child.stdout.take() {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = output.by_ref().take(OUTPUT_BYTES).read_to_end(&mut bytes);
            // Nobody listens any more when the time was up, and a partial output is still an output.
            let _ = read.and_then(|_| io::copy(&mut output, &mut io::sink()));
            let _ = sender.send(Heard::Output(bytes));
        });
    }
    receiver
}

/// Lines end with a line feed or, while a percentage grows, a carriage return.
fn send_lines(mut stream: impl Read, sender: &Sender<Heard>) {
    let (mut line, mut buffer) = (Vec::new(), [0; 4096]);
    while let Ok(count @ 1..) = stream.read(&mut buffer) {
        for byte in &buffer[..count] {
            if !matches!(byte, b'\n' | b'\r') {
                if line.len() < LINE_BYTES {
                    line.push(*byte);
                }
            } else if sender.send(Heard::Line(String::from_utf8_lossy(&line).into_owned())).is_ok() {
                line.clear();
            } else {
                return;
            }
        }
    }
    let _ = sender.send(Heard::Line(String::from_utf8_lossy(&line).into_owned()));
}

/// The exit status, or none when the time was up and the whole process group was killed.
fn wait(child: &mut Child, deadline: Instant) -> io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= deadline {
            break;
        }
        thread::sleep(Duration::from_millis(2));
    }
    // The group is gone when git has ended just now, which is as good.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    child.wait()?;
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(
        clippy::disallowed_methods,
        reason = "a shell ends and leaves children behind as the test wants"
    )]
    fn shell(script: &str) -> Ending {
        let deadline = Instant::now() + Duration::from_secs(60);
        run(Command::new("sh").args(["-c", script]).stdin(Stdio::null()), deadline, &|_| {}).unwrap()
    }

    #[test]
    fn hears_what_is_on_its_way_when_the_process_has_ended() {
        // Regression: a process that ended just when it was looked at seemed to have written nothing.
        let ending = shell("(sleep 0.5; echo x) & exit 0");
        assert!(matches!(&ending, Ending::Succeeded { output } if output == "x\n"), "{ending:?}");
    }

    #[test]
    fn does_not_wait_for_a_child_that_was_left_behind() {
        let ending = shell("sleep 50 >/dev/null & echo x");
        assert!(matches!(&ending, Ending::Succeeded { output } if output == "x\n"), "{ending:?}");
    }

    #[test]
    fn a_failure_brings_the_last_words() {
        let Ending::Failed { words } = shell("echo first >&2; echo fatal: last >&2; exit 128") else {
            panic!("it succeeded");
        };
        assert_eq!(words.to_string(), "git says: first; fatal: last");
    }
}
