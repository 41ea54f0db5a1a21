//! Serves any folder of code as a repository, indexes it, and asks a question.
//!
//! Run it with `cargo run --example search_a_folder -- FOLDER "your question"`; without arguments it searches
//! repolab's own `tools` crate.

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::path::PathBuf;
use std::sync::Arc;

use indexer::{IndexStore, Mode, Query, search_all};
use repos::Catalog;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let own = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tools");
    let folder = arguments.next().map_or(own, PathBuf::from);
    let question = arguments.next().unwrap_or_else(|| "make hidden characters visible".to_owned());

    // The data folder holds what repolab keeps about repositories: here it lives as long as this program.
    // The repository itself is linked: it is read where it stands and never written to.
    let data = tempfile::tempdir()?;
    let mut catalog = Catalog::open(data.path())?;
    let name = catalog.add(&folder.to_string_lossy(), Some("folder".parse()?))?.name;
    let checkout = catalog.checkout(&name)?;

    // Building cuts every text file into chunks (definitions, sections, cells) and stores them in one index.
    // The report says what was indexed, and what was skipped for which reason.
    let store = IndexStore::new(data.path().join("indexes"));
    let report = store.build(&checkout, &())?;
    println!("{} files, {} chunks, {} symbols", report.files, report.chunks, report.symbols);

    // A query is a value. `Auto` reads its shape: quoted text is a literal, one identifier is a symbol, the rest words.
    let query = Query { text: question, mode: Mode::Auto, limit: 3, ..Query::default() };
    let indexes = [Arc::new(store.open(&checkout)?)];
    for hit in search_all(&indexes, &query)?.hits {
        // A hit is a place. Its snippet is read from the file as it stands now.
        let snippet = indexes[0].snippet(&hit, &query, 6, 500);
        println!(
            "\n{}:{}-{} ({})\n{snippet}",
            hit.path,
            hit.start_line,
            hit.end_line,
            hit.reasons.join(", ")
        );
    }
    Ok(())
}
