//! Measures building, opening and searching the indexes of real repositories, beside ctags and ripgrep in the
//! same run: `REPOLAB_CORPUS=FOLDER cargo bench -p indexer [-- QUERIES.txt]`, one query a line.

#![expect(clippy::print_stdout, reason = "it prints what it measures")]
#![expect(
    clippy::disallowed_methods,
    reason = "it reads its variable and starts the programs it compares with"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use indexer::{
    BuildReport, Case, IndexStore, Matching, Mode, Query, RepositoryIndex, count_lines, search_all,
};
use rayon::prelude::*;
use repos::{Checkout, Origin};

type Failure = Box<dyn std::error::Error>;

const REPEATS: usize = 50;
// Of every exact search and every program beside it.
const REPEATED: usize = 9;
const QUERIES: &[&str] = &[
    "train a GCN on citeseer",
    "graph attention layer",
    "GATConv",
    "load pretrained model checkpoint",
    "how is the learning rate scheduled during training",
    "--batch-size",
    "BertModel.forward",
    "CUDA out of memory",
    "export model to onnx",
    "image captioning with blip",
    "data augmentation mixup cutmix",
    "super resolution diffusion pipeline",
    "fine-tune a sentence classifier on MRPC with a batch size of 32 and a learning rate of 2e-5",
    "examples/pytorch/gat/train.py",
];
// With ripgrep's options for the same.
const PATTERNS: &[(&str, Mode, Case, &str, &[&str])] = &[
    ("selective literal", Mode::Literal, Case::Sensitive, "intermediate_size", &["-F"]),
    ("rare literal", Mode::Literal, Case::Sensitive, "get_activation(", &["-F"]),
    ("literal without case", Mode::Literal, Case::Insensitive, "crossformer", &["-F", "-i"]),
    ("CJK literal", Mode::Literal, Case::Sensitive, "音乐", &["-F"]),
    ("selective regex", Mode::Regex, Case::Sensitive, r"class \w+Attention\(nn\.Module\)", &[]),
    ("alternation", Mode::Regex, Case::Sensitive, r"(citeseer|pubmed)_\w+\(", &[]),
    ("common literal", Mode::Literal, Case::Sensitive, "self.training", &["-F"]),
    ("everywhere", Mode::Literal, Case::Sensitive, "import", &["-F"]),
    ("regex that selects nothing", Mode::Regex, Case::Sensitive, r"\b\w{30,}\b", &[]),
    ("absent", Mode::Literal, Case::Sensitive, "xqzzyxw", &["-F"]),
];

/// Where everything is.
struct Place<'a> {
    store: &'a IndexStore,
    checkouts: &'a [Checkout],
    corpus: &'a Path,
    folder: &'a Path,
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(corpus) = std::env::var_os("REPOLAB_CORPUS").map(PathBuf::from) else {
        println!("SKIPPED: REPOLAB_CORPUS is not set, so there is nothing to measure");
        return Ok(());
    };
    let queries = match arguments.iter().find(|argument| !argument.starts_with("--")) {
        Some(file) => fs_err::read_to_string(file)?.lines().map(str::to_owned).collect(),
        None => QUERIES.iter().map(|query| (*query).to_owned()).collect::<Vec<_>>(),
    };
    let folder = tempfile::tempdir()?;
    let store = IndexStore::new(folder.path().to_owned());
    let checkouts = checkouts(&corpus)?;
    println!("load {}", fs_err::read_to_string("/proc/loadavg")?.trim());
    building(&store, &checkouts)?;
    beside_ctags(&corpus, folder.path());
    updating(&checkouts, folder.path())?;
    searching(&opening(&store, &checkouts)?, &queries)?;
    let trigrams = trigram_bytes(folder.path());
    let text = bytes_without_nul(&corpus)?;
    println!(
        "trigrams {:.2} MB, {:.1} % of {:.1} MB",
        trigrams as f64 / 1e6,
        100.0 * trigrams as f64 / text as f64,
        text as f64 / 1e6
    );
    scanning(&Place { store: &store, checkouts: &checkouts, corpus: &corpus, folder: folder.path() })?;
    println!("resident memory {}", resident()?);
    Ok(())
}

fn checkouts(corpus: &Path) -> Result<Vec<Checkout>, Failure> {
    let mut checkouts = Vec::new();
    for entry in fs_err::read_dir(corpus)? {
        let folder = entry?.path();
        let name =
            folder.file_name().and_then(|name| name.to_str()).ok_or("a name that is not UTF-8")?.parse()?;
        checkouts.push(Checkout { name, folder, commit: None, origin: Origin::Linked });
    }
    checkouts.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(checkouts)
}

fn building(store: &IndexStore, checkouts: &[Checkout]) -> Result<(), Failure> {
    let mut best = Duration::MAX;
    let mut reports: Vec<BuildReport> = Vec::new();
    for _ in 0..3 {
        let started = Instant::now();
        reports =
            checkouts.par_iter().map(|checkout| store.rebuild(checkout, &())).collect::<Result<_, _>>()?;
        best = best.min(started.elapsed());
    }
    let sum = |of: fn(&BuildReport) -> u64| reports.iter().map(of).sum::<u64>();
    let (text, index) = (sum(|report| report.bytes), sum(|report| report.index_bytes));
    println!("build {} repositories: {:.2} s (best of 3)", checkouts.len(), best.as_secs_f64());
    println!("  {} files, {:.1} MB of text", sum(|report| report.files), text as f64 / 1e6);
    println!("  {} chunks, {} symbols", sum(|report| report.chunks), sum(|report| report.symbols));
    println!("  index {:.1} MB, {:.1} % of the text", index as f64 / 1e6, 100.0 * index as f64 / text as f64);
    Ok(())
}

fn beside_ctags(corpus: &Path, folder: &Path) {
    let mut ctags = Command::new("ctags");
    ctags.arg("-R").arg("-f").arg(folder.join("tags")).arg(corpus);
    println!("  ctags -R: {}", run(&mut ctags).map_or("not installed".to_owned(), seconds));
}

/// What changes cost: one file, a branch with three hundred others and back again, and nothing at all.
fn updating(checkouts: &[Checkout], folder: &Path) -> Result<(), Failure> {
    for name in ["dgl", "bert"] {
        let Some(checkout) = checkouts.iter().find(|checkout| checkout.name.as_str() == name) else {
            continue;
        };
        let copy = Checkout { folder: folder.join("changing").join(name), ..checkout.clone() };
        copy_folder(&checkout.folder, &copy.folder)?;
        let store = IndexStore::new(folder.join("changing-indexes"));
        let whole = store.build(&copy, &())?;
        println!("update {name}, {} files built in {:.2} s", whole.files, whole.seconds);
        let code = python_files(&copy.folder)?;
        for repeat in 0..3 {
            change(&code[..1], &format!("changed = {repeat}"))?;
            update(&store, &copy, "one file of code")?;
        }
        change(&[copy.folder.join("README.md")], "Run `python train.py`.")?;
        update(&store, &copy, "its README")?;
        if code.len() > 300 {
            let before = change(&code[1..301], "branch = True")?;
            update(&store, &copy, "a branch of 300 files")?;
            for (path, text) in &before {
                fs_err::write(path, text)?;
            }
            update(&store, &copy, "back again")?;
            change(&code[1..301], "branch = True")?;
            update(&store, &copy, "and there again")?;
            change(&code[..1], "changed = 4")?;
            update(&store, &copy, "one file on the branch")?;
        }
        update(&store, &copy, "nothing")?;
    }
    Ok(())
}

fn update(store: &IndexStore, checkout: &Checkout, what: &str) -> Result<(), Failure> {
    // Files that have just been written are waited for; people are slower.
    std::thread::sleep(Duration::from_millis(20));
    let started = Instant::now();
    store.state(checkout);
    let state = started.elapsed();
    let started = Instant::now();
    let report = store.build(checkout, &())?;
    let update = started.elapsed();
    let started = Instant::now();
    store.open(checkout)?;
    let (state, update, open) = (seconds(state), seconds(update), seconds(started.elapsed()));
    println!("  {what}: state {state}, update {update}, open {open}; {} files read", report.files_read);
    Ok(())
}

/// Adds a line to files; what they held before.
fn change(paths: &[PathBuf], line: &str) -> Result<Vec<(PathBuf, Vec<u8>)>, Failure> {
    let mut before = Vec::new();
    for path in paths {
        let text = fs_err::read(path)?;
        fs_err::write(path, [&text, line.as_bytes(), b"\n"].concat())?;
        before.push((path.clone(), text));
    }
    Ok(before)
}

fn python_files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for entry in fs_err::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(python_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "py") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn copy_folder(from: &Path, to: &Path) -> Result<(), Failure> {
    fs_err::create_dir_all(to)?;
    for entry in fs_err::read_dir(from)? {
        let (entry, kind) = entry.and_then(|entry| Ok((entry.path(), entry.file_type()?)))?;
        let target = to.join(entry.file_name().unwrap_or_default());
        if kind.is_dir() {
            copy_folder(&entry, &target)?;
        } else if kind.is_file() {
            fs_err::copy(&entry, &target)?;
        }
    }
    Ok(())
}

fn opening(store: &IndexStore, checkouts: &[Checkout]) -> Result<Vec<Arc<RepositoryIndex>>, Failure> {
    let started = Instant::now();
    let indexes =
        checkouts.iter().map(|checkout| store.open(checkout).map(Arc::new)).collect::<Result<_, _>>()?;
    println!("open all: {}", seconds(started.elapsed()));
    Ok(indexes)
}

fn searching(indexes: &[Arc<RepositoryIndex>], queries: &[String]) -> Result<(), Failure> {
    let mut times = Vec::new();
    for _ in 0..REPEATS {
        for text in queries {
            let query = Query { text: text.clone(), limit: 10, ..Query::default() };
            let started = Instant::now();
            search_all(indexes, &query)?;
            times.push(started.elapsed());
        }
    }
    times.sort();
    let at = |share: usize| seconds(times[(times.len() * share / 100).min(times.len() - 1)]);
    println!("search all, {} queries x {REPEATS}: median {}, p99 {}", queries.len(), at(50), at(99));
    Ok(())
}

/// Exact search beside ripgrep and, where it is installed, csearch: medians of the same run.
fn scanning(place: &Place<'_>) -> Result<(), Failure> {
    let Place { store, checkouts, corpus, folder } = place;
    let codesearch = folder.join("csearchindex");
    let indexing = run(Command::new("cindex").env("CSEARCHINDEX", &codesearch).arg(corpus));
    if let Some(time) = indexing {
        let bytes = fs_err::metadata(&codesearch)?.len();
        println!("  cindex: {}, {:.1} MB", seconds(time), bytes as f64 / 1e6);
    }
    let indexes = opening(store, checkouts)?;
    for (name, mode, case, text, options) in PATTERNS {
        let matching = Matching { case: *case, ..Matching::default() };
        let text = (*text).to_owned();
        let query = Query { text, mode: *mode, matching, limit: usize::MAX, ..Query::default() };
        let all = median(|| Ok(search_all(&indexes, &query)?.hits.len()))?;
        let counts = median(|| Ok(count_lines(&indexes, &query)?.map_or(0, |files| files.len())))?;
        let mut first = Vec::new();
        for _ in 0..REPEATED {
            let fresh: Vec<_> =
                checkouts.iter().map(|one| store.open(one).map(Arc::new)).collect::<Result<_, _>>()?;
            let started = Instant::now();
            search_all(&fresh, &query)?;
            first.push(started.elapsed());
        }
        first.sort();
        let first = first[REPEATED / 2];
        let rg = |extra: &[&str]| {
            let mut rg = Command::new("rg");
            rg.args(["--no-config", "--no-ignore", "--hidden", "-g", "!.git"]).args(*options).args(extra);
            rg.args(["-e", &query.text]).arg(corpus);
            median(|| Ok(run(&mut rg).map_or(0, |_| 1)))
        };
        let (lines, files) = (rg(&["-n"])?.0, rg(&["-c"])?.0);
        let times = |rg: Duration, ours: Duration| format!("{:.1}x", rg.as_secs_f64() / ours.as_secs_f64());
        print!("{name}: {} for {} lines; ", seconds(all.0), all.1);
        print!(
            "rg {} ({}); first {} ({}); ",
            seconds(lines),
            times(lines, all.0),
            seconds(first),
            times(lines, first)
        );
        print!("counts {}, rg {} ({})", seconds(counts.0), seconds(files), times(files, counts.0));
        if indexing.is_some() {
            let mut csearch = Command::new("csearch");
            csearch.env("CSEARCHINDEX", &codesearch).arg("-n");
            if *case == Case::Insensitive {
                csearch.arg("-i");
            }
            let literal = *mode == Mode::Literal;
            csearch.arg(if literal { query.text.replace('(', r"\(") } else { query.text.clone() });
            let csearch = median(|| Ok(run(&mut csearch).map_or(0, |_| 1)))?.0;
            print!("; csearch {}", seconds(csearch));
        }
        println!();
    }
    Ok(())
}

/// The bytes of the files that may be text.
fn bytes_without_nul(folder: &Path) -> Result<u64, Failure> {
    let mut bytes = 0;
    for entry in fs_err::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            bytes += bytes_without_nul(&entry.path())?;
        } else if kind.is_file() {
            let content = fs_err::read(entry.path())?;
            bytes += if content.contains(&0) { 0 } else { content.len() as u64 };
        }
    }
    Ok(bytes)
}

/// The bytes of the trigram indexes.
fn trigram_bytes(folder: &Path) -> u64 {
    let Ok(entries) = fs_err::read_dir(folder) else { return 0 };
    let bytes = |entry: fs_err::DirEntry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => trigram_bytes(&entry.path()),
        Ok(_) if entry.file_name() == "trigrams" => entry.metadata().map_or(0, |metadata| metadata.len()),
        _ => 0,
    };
    entries.flatten().map(bytes).sum()
}

fn median(mut work: impl FnMut() -> Result<usize, Failure>) -> Result<(Duration, usize), Failure> {
    let mut times = Vec::new();
    let mut count = 0;
    for _ in 0..REPEATED {
        let started = Instant::now();
        count = work()?;
        times.push(started.elapsed());
    }
    times.sort();
    Ok((times[REPEATED / 2], count))
}

fn run(command: &mut Command) -> Option<Duration> {
    let started = Instant::now();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().ok()?;
    Some(started.elapsed())
}

fn seconds(duration: Duration) -> String {
    if duration.as_secs() > 0 {
        format!("{:.2} s", duration.as_secs_f64())
    } else {
        format!("{:.2} ms", duration.as_secs_f64() * 1e3)
    }
}

fn resident() -> Result<String, Failure> {
    let status = fs_err::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    Ok(line.unwrap_or("unknown").trim().to_owned())
}
