//! Measures what an agent waits for: `search` and `find_references` over real repositories, and the parts of a
//! search, in one run: `REPOLAB_CORPUS=FOLDER cargo bench -p tools`.

#![expect(clippy::print_stdout, reason = "it prints what it measures")]
#![expect(clippy::disallowed_methods, reason = "it reads its variable")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use indexer::{IndexStore, Query, RepositoryIndex, SnippetSize, search_all, snippets};
use repos::Catalog;
use sandbox::Limits;
use tools::{Call, FindReferences, SandboxSettings, Search, Tool, Toolbox, WorkspaceSettings};

type Failure = Box<dyn std::error::Error>;

const REPEATS: usize = 30;
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
const SYMBOLS: &[&str] =
    &["GATConv", "apply_edges", "DGLGraph", "NodeFlow", "forward", "SAGEConv.forward", "x"];

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let Some(corpus) = std::env::var_os("REPOLAB_CORPUS") else {
        println!("SKIPPED: REPOLAB_CORPUS is not set, so there is nothing to measure");
        return Ok(());
    };
    let data = tempfile::tempdir()?;
    let catalog = Catalog::open(data.path())?;
    catalog.link_all(Path::new(&corpus))?;
    let store = IndexStore::new(data.path().join("indexes"));
    let settings = SandboxSettings {
        engine: None,
        image: None,
        limits: Limits::default(),
        allow_network: false,
        spares: 0,
        workspaces: WorkspaceSettings::default(),
    };
    let toolbox =
        Toolbox::new(Catalog::open(data.path())?, store.clone(), data.path().join("workspaces"), settings);
    println!("load {}", fs_err::read_to_string("/proc/loadavg")?.trim());
    whole(&toolbox).await?;
    parts(&catalog, &store)?;
    references(&toolbox).await
}

async fn whole(toolbox: &Toolbox) -> Result<(), Failure> {
    let mut times = Vec::new();
    for repeat in 0..=REPEATS {
        for query in QUERIES {
            let input = serde_json::from_value(serde_json::json!({ "query": query }))?;
            let started = Instant::now();
            let output = Search::run(toolbox, input, &Call::default()).await?;
            let text = Search::render(&output).len() + serde_json::to_string(&output)?.len();
            // The first round builds the indexes.
            if repeat > 0 && text > 0 {
                times.push(started.elapsed());
            }
        }
    }
    println!("search of all, 10 hits, as an answer: {}", spread(times));
    Ok(())
}

fn parts(catalog: &Catalog, store: &IndexStore) -> Result<(), Failure> {
    let (mut listed, mut searched, mut alone, mut together) = (vec![], vec![], vec![], vec![]);
    let checkouts = catalog.checkouts()?;
    let indexes: Vec<Arc<RepositoryIndex>> =
        checkouts.iter().map(|checkout| store.open(checkout).map(Arc::new)).collect::<Result<_, _>>()?;
    for _ in 0..REPEATS {
        for text in QUERIES {
            let query = Query { text: (*text).to_owned(), limit: 10, ..Query::default() };
            listed.push(timed(|| {
                catalog.checkouts()?;
                Ok(())
            })?);
            let mut hits = Vec::new();
            searched.push(timed(|| {
                hits = search_all(&indexes, &query)?.hits;
                Ok(())
            })?);
            alone.push(timed(|| {
                for hit in &hits {
                    let index = indexes.iter().find(|index| *index.name() == hit.repository);
                    index.map(|index| index.snippet(hit, &query, 12, 1_200));
                }
                Ok(())
            })?);
            let size = SnippetSize { lines: 12, characters: 1_200 };
            together.push(timed(|| {
                snippets(&indexes, &hits, &query, size);
                Ok(())
            })?);
        }
    }
    println!("  the checkouts of the catalog: {}", spread(listed));
    println!("  search_all: {}", spread(searched));
    println!("  snippets one by one: {}", spread(alone));
    println!("  snippets together: {}", spread(together));
    Ok(())
}

async fn references(toolbox: &Toolbox) -> Result<(), Failure> {
    for symbol in SYMBOLS {
        let mut times = Vec::new();
        let mut found = String::new();
        for _ in 0..7 {
            let input = serde_json::from_value(serde_json::json!({ "repo": "dgl", "symbol": symbol }))?;
            let started = Instant::now();
            found = match FindReferences::run(toolbox, input, &Call::default()).await {
                Ok(output) => format!(
                    "{} definitions, {} uses in {} files, {} notes",
                    output.total_definitions,
                    output.total_uses,
                    output.total_files,
                    output.notes.len()
                ),
                Err(error) => format!("{error}: {:?}", error.hint()),
            };
            times.push(started.elapsed());
        }
        println!("find_references {symbol} in dgl: {} ({found})", spread(times));
    }
    Ok(())
}

fn timed(work: impl FnOnce() -> Result<(), Failure>) -> Result<Duration, Failure> {
    let started = Instant::now();
    work()?;
    Ok(started.elapsed())
}

fn spread(mut times: Vec<Duration>) -> String {
    times.sort();
    let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)].as_secs_f64() * 1e3;
    format!("median {:.2} ms, p99 {:.2} ms", at(50), at(99))
}
