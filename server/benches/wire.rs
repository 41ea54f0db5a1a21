//! Measures what a client feels: the start of the server, answers over standard input and output on real repositories,
//! and the memory it holds: `REPOLAB_CORPUS=FOLDER cargo bench -p server`. A ping in the same run is the floor.

#![expect(clippy::needless_pass_by_value, reason = "a JSON value is written where it is used")]
#![expect(clippy::print_stdout, reason = "it prints what it measures")]
#![expect(clippy::disallowed_methods, reason = "it reads its variable and starts the program it measures")]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

type Failure = Box<dyn std::error::Error>;

const STARTS: usize = 20;
const REPEATS: usize = 30;
const QUERIES: &[&str] = &[
    "train a GCN on citeseer",
    "graph attention layer",
    "GATConv",
    "load pretrained model checkpoint",
    "how is the learning rate scheduled during training",
    "--batch-size",
    "CUDA out of memory",
    "image captioning with blip",
    "fine-tune a sentence classifier on MRPC with a batch size of 32 and a learning rate of 2e-5",
    "examples/pytorch/gat/train.py",
];

fn main() -> Result<(), Failure> {
    let Some(corpus) = std::env::var_os("REPOLAB_CORPUS") else {
        println!("SKIPPED: REPOLAB_CORPUS is not set, so there is nothing to measure");
        return Ok(());
    };
    let data = tempfile::tempdir()?;
    println!("load {}", fs_err::read_to_string("/proc/loadavg")?.trim());
    starting(data.path(), "no repository")?;
    run(data.path(), &["repos".as_ref(), "link".as_ref(), "--all".as_ref(), corpus.as_ref()])?;
    run(data.path(), &["index".as_ref()])?;
    starting(data.path(), "all repositories")?;
    let mut server = Server::start(data.path())?;
    let idle = server.resident()?;
    let calls: Vec<(&str, Vec<(&str, Value)>)> = vec![
        ("ping, the floor", vec![("ping", json!({}))]),
        ("tools/list", vec![("tools/list", json!({}))]),
        ("search, all repositories", searches(&json!({}))),
        ("search, all, 30 hits", searches(&json!({ "limit": 30 }))),
        ("search, one repository", searches(&json!({ "repo": "dgl" }))),
        ("read_file", vec![call("read_file", json!({ "repo": "bert", "path": "run_squad.py" }))]),
        ("outline", vec![call("outline", json!({ "repo": "bert", "path": "modeling.py" }))]),
        ("list_files", vec![call("list_files", json!({ "repo": "dgl" }))]),
        ("find_references", vec![call("find_references", json!({ "repo": "dgl", "symbol": "GATConv" }))]),
        ("list_repositories", vec![call("list_repositories", json!({}))]),
    ];
    for (name, requests) in &calls {
        let mut times = server.times(requests)?;
        println!("{name:<26} {}", spread(&mut times));
    }
    println!("resident memory            {idle} MB at the start, {} MB at the end", server.resident()?);
    Ok(())
}

fn searches(with: &Value) -> Vec<(&'static str, Value)> {
    let one = |query: &&str| {
        let mut arguments = with.clone();
        arguments["query"] = (*query).into();
        call("search", arguments)
    };
    QUERIES.iter().map(one).collect()
}

fn call(tool: &str, arguments: Value) -> (&'static str, Value) {
    ("tools/call", json!({ "name": tool, "arguments": arguments }))
}

fn starting(data: &Path, what: &str) -> Result<(), Failure> {
    let mut times = Vec::new();
    for _ in 0..STARTS {
        let started = Instant::now();
        let server = Server::start(data)?;
        times.push(started.elapsed());
        drop(server);
    }
    println!("{:<26} {}", format!("start, {what}"), spread(&mut times));
    Ok(())
}

fn run(data: &Path, arguments: &[&std::ffi::OsStr]) -> Result<(), Failure> {
    let status = command(data).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(format!("{arguments:?} failed").into()) }
}

fn command(data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_repolab"));
    command.env_clear().env("HOME", data).env("REPOLAB_DATA", data);
    command
}

/// Median, 99th percentile and the slowest.
fn spread(times: &mut [Duration]) -> String {
    times.sort();
    let at = |share: usize| times[(times.len() * share).div_ceil(100) - 1].as_secs_f64() * 1e3;
    format!("median {:>7.2} ms   p99 {:>7.2} ms   slowest {:>7.2} ms", at(50), at(99), at(100))
}

/// A server after its handshake.
struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Server {
    fn start(data: &Path) -> Result<Self, Failure> {
        let mut child = command(data)
            .arg("serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let input = child.stdin.take().ok_or("no input")?;
        let output = BufReader::new(child.stdout.take().ok_or("no output")?);
        let mut server = Self { child, input, output, next: 1 };
        let client = json!({ "name": "bench", "version": "1" });
        server.ask(
            "initialize",
            &json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client }),
        )?;
        writeln!(server.input, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(server)
    }

    /// Each request again and again, after one round that fills the caches.
    fn times(&mut self, requests: &[(&str, Value)]) -> Result<Vec<Duration>, Failure> {
        let mut times = Vec::new();
        for round in 0..=REPEATS {
            for (method, parameters) in requests {
                let started = Instant::now();
                let response = self.ask(method, parameters)?;
                if round > 0 {
                    times.push(started.elapsed());
                }
                if response["error"].is_object() || response["result"]["isError"] == true {
                    return Err(format!("{method} {parameters}: {response}").into());
                }
            }
        }
        Ok(times)
    }

    fn ask(&mut self, method: &str, parameters: &Value) -> Result<Value, Failure> {
        let request = json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": parameters });
        self.next += 1;
        writeln!(self.input, "{request}")?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok(serde_json::from_str(&line)?)
    }

    /// Resident memory in megabytes.
    fn resident(&self) -> Result<u64, Failure> {
        let status = fs_err::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
        Ok(line.trim().trim_end_matches(" kB").parse::<u64>()? / 1_000)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It is measured from start to answer; how it ends is tested elsewhere.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
