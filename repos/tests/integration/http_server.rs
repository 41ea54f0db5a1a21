//! A small HTTP server in front of `git http-backend`, so that fetches cross a real network connection.
//! It serves until the test process ends.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::origin::git;

/// How the server behaves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manners {
    /// As a server of today.
    Current,
    /// As one that knows only the first protocol, which hands out nothing but tips of branches.
    Old,
    /// Answers every request with this status.
    Refuses(&'static str),
}

/// Serves the repositories below `root`; the address to which their names are appended.
pub(crate) fn serve(root: PathBuf, manners: Manners) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let root = root.clone();
            // A connection that breaks is the client's to report.
            std::thread::spawn(move || answer(stream, &root, manners));
        }
    });
    format!("http://{address}")
}

struct Request {
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    fn read(stream: &TcpStream) -> Option<Self> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let mut words = line.split_whitespace().map(str::to_owned);
        let (method, target) = (words.next()?, words.next()?);
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        let mut request = Self { method, target, headers, body: Vec::new() };
        let length = request.header("content-length").parse().unwrap_or(0);
        reader.take(length).read_to_end(&mut request.body).ok()?;
        Some(request)
    }

    fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(other, _)| other == name).map_or("", |(_, value)| value)
    }
}

fn answer(mut stream: TcpStream, root: &Path, manners: Manners) -> Option<()> {
    let request = Request::read(&stream)?;
    let (status, rest) = match manners {
        Manners::Refuses(status) => (status.to_owned(), b"\r\n".to_vec()),
        Manners::Current | Manners::Old => backend(&request, root, manners),
    };
    stream.write_all(format!("HTTP/1.1 {status}\r\nConnection: close\r\n").as_bytes()).ok()?;
    stream.write_all(&rest).ok()
}

/// Runs the backend by CGI's rules: the status, then the other headers, an empty line and the body.
fn backend(request: &Request, root: &Path, manners: Manners) -> (String, Vec<u8>) {
    let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
    let protocol = if manners == Manners::Old { "" } else { request.header("git-protocol") };
    let mut child = git()
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("GIT_PROTOCOL", protocol)
        .env("REQUEST_METHOD", &request.method)
        .env("PATH_INFO", path)
        .env("QUERY_STRING", query)
        .env("CONTENT_TYPE", request.header("content-type"))
        .env("HTTP_CONTENT_ENCODING", request.header("content-encoding"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&request.body).unwrap();
    let output = child.wait_with_output().unwrap().stdout;
    let line_end = output.iter().position(|byte| *byte == b'\n').unwrap_or(0);
    let first = String::from_utf8_lossy(&output[..line_end]).into_owned();
    match first.trim().strip_prefix("Status: ") {
        Some(status) => (status.to_owned(), output[line_end + 1..].to_vec()),
        None => ("200 OK".to_owned(), output),
    }
}
