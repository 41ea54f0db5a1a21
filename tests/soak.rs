//! A long mixed load over one connection: every answer is right, nothing grows, and garbage among the frames
//! disturbs nobody. The figures it prints are for reading; nothing here depends on time.

use std::collections::HashMap;
use std::time::Instant;

use serde_json::{Value, json};

use crate::support::{Place, Session};

const CALLS: usize = 10_000;
const IN_FLIGHT: usize = 64;
/// Caches fill and threads start within the first calls; growth is counted from here.
const WARM: usize = 2_000;
const MOST_GROWN_KIB: u64 = 16 << 10;
const MOST_GROWN_HANDLES: usize = 8;

const MODEL: &str = "class LinearModel:\n    \"\"\"Fits a line.\"\"\"\n    def step(self, rate):\n        return helper(rate)\n\n\ndef helper(value):\n    return value * 2\n";
const FILES: &[(&str, &str)] = &[
    ("README.md", "# Sample\n\nTrain the linear model with `python train.py --rate 0.1`.\n"),
    ("model.py", MODEL),
    ("train.py", "from model import LinearModel\n\nLinearModel().step(0.1)\n"),
    ("docs/guide.md", "# Guide\n\nHow to choose a learning rate.\n"),
];

#[test]
fn ten_thousand_mixed_calls_are_answered_right_and_nothing_grows() {
    let place = Place::new().with_repository("sample", FILES).with_repository("other", FILES);
    let mut session = Session::initialized(&place);
    // The first search indexes, which `list_repositories` tells.
    session.call("search", json!({ "query": "train" }));
    let requests = requests();
    let expected: Vec<Value> = requests
        .iter()
        .map(|(method, parameters)| comparable(session.request(method, parameters.clone())))
        .collect();
    let mut load = Load { sent: HashMap::new(), times: Vec::new() };
    let (mut before, mut next) = (None, 0);
    while load.times.len() < CALLS {
        while load.sent.len() < IN_FLIGHT && next < CALLS {
            if next % 40 == 7 {
                session.send(GARBAGE[next / 40 % GARBAGE.len()]);
            }
            // A step that shares no factor with the number of kinds mixes them in every order.
            let kind = next * 7 % requests.len();
            let (method, parameters) = &requests[kind];
            load.sent.insert(session.begin(method, parameters.clone()), (kind, Instant::now()));
            next += 1;
        }
        let (id, response) = session.next_response();
        let (kind, start) =
            load.sent.remove(&id).unwrap_or_else(|| panic!("answered twice or unasked: {response}"));
        load.times.push(start.elapsed().as_micros());
        assert_eq!(comparable(response), expected[kind], "{:?}", requests[kind]);
        if load.times.len() == WARM {
            before = Some(Footprint::of(session.process_id()));
        }
    }
    let (before, after) = (before.unwrap(), Footprint::of(session.process_id()));
    load.report(&before, &after);
    assert!(after.kib < before.kib + MOST_GROWN_KIB, "memory grew from {} to {} KiB", before.kib, after.kib);
    assert!(
        after.handles <= before.handles + MOST_GROWN_HANDLES,
        "handles grew from {} to {}",
        before.handles,
        after.handles
    );
    assert_eq!(session.close(), Some(0));
}

/// Lines that are no requests; none of them may get in the way of one that is.
const GARBAGE: [&str; 8] = [
    "{",
    "[]",
    "null",
    "\u{feff}",
    "{\"jsonrpc\":\"2.0\"}",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"no-such\"}}",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unknown\",\"params\":[[[[[[[[]]]]]]]]}",
    "GET / HTTP/1.1",
];

fn requests() -> Vec<(&'static str, Value)> {
    let call = |tool: &str, arguments: Value| ("tools/call", json!({ "name": tool, "arguments": arguments }));
    let uri = json!({ "uri": "repo://sample/docs/guide.md" });
    vec![
        call("list_repositories", json!({})),
        call("list_files", json!({ "repo": "sample" })),
        call("search", json!({ "query": "train the linear model" })),
        call("search", json!({ "query": "learning rate", "repo": "other" })),
        call("search", json!({ "query": "value \\* 2", "mode": "regex" })),
        call("search", json!({ "query": "nothing like this", "mode": "literal" })),
        call("outline", json!({ "repo": "sample", "path": "model.py" })),
        call("find_references", json!({ "repo": "sample", "symbol": "helper" })),
        call("read_file", json!({ "repo": "sample", "path": "model.py" })),
        call("read_file", json!({ "repo": "other", "path": "model.py", "symbol": "LinearModel.step" })),
        call("read_file", json!({ "repo": "sample", "path": "train.py", "start_line": 2, "end_line": 3 })),
        call("read_file", json!({ "repo": "sample", "path": "../../etc/passwd" })),
        call("read_file", json!({ "repo": "sampel", "path": "model.py" })),
        call("read_file", json!({ "repo": "sample" })),
        call("no_such_tool", json!({})),
        ("resources/read", uri),
        ("prompts/get", json!({ "name": "explore_repository", "arguments": { "repo": "sample" } })),
        ("tools/list", json!({})),
        ("ping", json!({})),
        ("no/such/method", json!({})),
    ]
}

/// A response without its number.
fn comparable(mut response: Value) -> Value {
    response.as_object_mut().unwrap().remove("id");
    response
}

struct Load {
    sent: HashMap<u64, (usize, Instant)>,
    times: Vec<u128>,
}

impl Load {
    #[expect(clippy::print_stderr, reason = "figures that a person reads in the log")]
    fn report(&self, before: &Footprint, after: &Footprint) {
        let mut times = self.times.clone();
        times.sort_unstable();
        let at = |share: usize| times[times.len() * share / 1_000 - 1] as f64 / 1_000.0;
        eprintln!(
            "SOAK: {} calls, {IN_FLIGHT} in flight: p50 {:.1} ms, p99 {:.1} ms, slowest {:.1} ms; memory {} -> {} KiB, handles {} -> {}",
            times.len(),
            at(500),
            at(990),
            at(1_000),
            before.kib,
            after.kib,
            before.handles,
            after.handles
        );
    }
}

/// What a process holds.
struct Footprint {
    kib: u64,
    handles: usize,
}

impl Footprint {
    fn of(process: u32) -> Self {
        let status = fs_err::read_to_string(format!("/proc/{process}/status")).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        let handles = fs_err::read_dir(format!("/proc/{process}/fd")).unwrap().count();
        Self { kib: line.trim().trim_end_matches(" kB").parse().unwrap(), handles }
    }
}
