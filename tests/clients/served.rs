//! A `repolab serve` for clients that are not ours, on standard input and output or over HTTP.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::support::{Place, provided};

const FILES: &[(&str, &str)] = &[
    ("README.md", "# Sample\n\nTrain with `sh train.sh --epochs 3`.\n"),
    ("train.sh", "echo epochs $2 > log.txt; cat log.txt; exit 3\n"),
    ("model.py", "class LinearModel:\n    def step(self):\n        return 1\n"),
];
const TOKEN: &str = "the-token-of-the-tests";

/// A server, and the folder of clients that CI filled.
pub(super) struct Served {
    place: Place,
    clients: PathBuf,
    /// The command of a server, or its address alone.
    pub(super) target: Vec<String>,
    // Over HTTP, the server is ours to start and to end.
    server: Option<Child>,
}

impl Served {
    /// A server that each client starts for itself.
    pub(super) fn over_stdio() -> Option<Self> {
        let (mut served, image) = Self::prepared()?;
        served.target = served.server_command(&[], &image);
        Some(served)
    }

    /// A server that runs until this value is dropped.
    pub(super) fn over_http() -> Option<Self> {
        let (mut prepared, image) = Self::prepared()?;
        let command = prepared.server_command(&["--http", "127.0.0.1:0"], &image);
        let mut command = prepared.place.command(&command[1..]);
        let mut server = command
            .env("REPOLAB_HTTP_TOKEN", TOKEN)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log = BufReader::new(server.stderr.take().unwrap());
        prepared.server = Some(server);
        prepared.target = vec![address(log)];
        Some(prepared)
    }

    fn prepared() -> Option<(Self, String)> {
        let (clients, image) = (provided("REPOLAB_TEST_CLIENTS")?, provided("REPOLAB_TEST_IMAGE")?);
        let place = Place::new().with_repository("sample", FILES);
        Some((Self { place, clients: clients.into(), target: Vec::new(), server: None }, image))
    }

    // Many clients hand their environment to no server, so everything is said by flags.
    fn server_command(&self, flags: &[&str], image: &str) -> Vec<String> {
        let data = self.place.folder().join("data");
        let rest = ["--image", image, "--data", data.to_str().unwrap()];
        [env!("CARGO_BIN_EXE_repolab"), "serve"]
            .iter()
            .chain(flags)
            .chain(&rest)
            .map(ToString::to_string)
            .collect()
    }

    /// The address of the server, when it is one of HTTP.
    pub(super) fn address(&self) -> Option<&str> {
        self.server.as_ref().map(|_| self.target[0].as_str())
    }

    /// What a client says to be let in over HTTP.
    pub(super) fn token(&self) -> &'static str {
        TOKEN
    }

    /// A program of the folder of clients, not started yet.
    #[expect(
        clippy::disallowed_methods,
        reason = "tests start foreign clients, with an environment of their own"
    )]
    pub(super) fn client(&self, program: &str) -> Command {
        // The Inspector finds Node.js by the path, and needs a newer one than most machines have.
        let node = self.clients.join("node_modules/.bin");
        let mut command = Command::new(self.clients.join(program));
        command
            .env_clear()
            .env("PATH", format!("{}:{}", node.display(), std::env::var("PATH").unwrap_or_default()))
            .env("HOME", self.place.folder())
            .env("REPOLAB_TEST_CLIENTS", &self.clients)
            .env("REPOLAB_TEST_TOKEN", TOKEN)
            // The scanner's library would wait ten seconds for a price list from the network.
            .env("LITELLM_LOCAL_MODEL_COST_MAP", "True")
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .current_dir(self.place.folder());
        command
    }

    /// A program that runs one of our scripts against the server.
    pub(super) fn script(&self, program: &str, script: &str) -> Command {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/clients");
        let mut command = self.client(program);
        command.arg(folder.join(script)).args(&self.target);
        command
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if let Some(server) = &mut self.server {
            // A server that is already gone is what is wanted.
            let _ = server.kill();
            let _ = server.wait();
        }
    }
}

/// The last word of the server's log that is an address; the rest of the log is read so that it never blocks.
fn address(mut log: BufReader<impl Read + Send + 'static>) -> String {
    let mut line = String::new();
    loop {
        line.clear();
        assert_ne!(log.read_line(&mut line).unwrap(), 0, "the server ended without telling its address");
        if let Some(address) = line.split_whitespace().rfind(|word| word.starts_with("http://")) {
            std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
            return address.to_owned();
        }
    }
}
