//! Notebooks: their cells, never their raw JSON, of which outputs and pictures are 99 %. Lines mean lines of the
//! stored file: `RawValue`s keep the place of every source line in it, so a one-line notebook is all line 1.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Language, Reader, Registration, python};
use crate::analysis::{Analysis, Chunk, ChunkKind};
use crate::source::{Note, Source, cut, one_line};
use crate::symbol::{Symbol, SymbolKind};
use crate::syntax::chunks::{line_number, plain};

pub(super) static REGISTRATIONS: [Registration; 1] = [Registration {
    language: Language::Notebook,
    names: &["notebook", "ipynb", "jupyter"],
    extensions: &["ipynb"],
    file_names: &[],
    interpreters: &[],
    reader: Reader::Own(analyze, None),
}];

const ABOUT_BYTES: usize = 800;
const LONGEST_TITLE_BYTES: usize = 120;

#[derive(Deserialize)]
struct Notebook<'a> {
    #[serde(borrow)]
    cells: Vec<Cell<'a>>,
}

#[derive(Deserialize)]
struct Cell<'a> {
    #[serde(default)]
    cell_type: String,
    #[serde(borrow)]
    source: &'a RawValue,
}

/// Where a line of code is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CellPlace {
    /// The line of the file, from 1.
    pub(crate) line: u32,
    /// The cell, from 1.
    pub(crate) cell: u32,
}

/// A line of a cell and where it is stored.
struct CellLine {
    text: String,
    place: CellPlace,
}

fn analyze(source: &Source) -> Analysis {
    let Ok(notebook) = serde_json::from_str::<Notebook<'_>>(source.text()) else {
        return plain(source, Note::BrokenNotebook);
    };
    let mut analysis = Analysis::default();
    let mut code = Vec::new();
    let mut heading = None;
    for (number, cell) in notebook.cells.iter().enumerate() {
        let lines = cell_lines(source, cell.source, number);
        if let Some(line) = (cell.cell_type == "markdown").then(|| first_heading(&lines)).flatten() {
            heading = Some(title(line));
            analysis.symbols.push(heading_symbol(line));
        }
        if analysis.about.len() < ABOUT_BYTES && cell.cell_type == "markdown" {
            analysis.about.push_str(cut(&text_of(&lines), ABOUT_BYTES));
        }
        analysis.chunks.extend(chunk(&lines, heading.clone()));
        if cell.cell_type == "code" {
            code.extend(lines);
        }
    }
    add_symbols(code, &mut analysis);
    analysis
}

/// The code cells as one Python text, with the place of each of its lines.
pub(crate) fn code(source: &Source) -> (Source, Vec<CellPlace>) {
    let Ok(notebook) = serde_json::from_str::<Notebook<'_>>(source.text()) else {
        return (Source::new(String::new()), Vec::new());
    };
    let cells = notebook.cells.iter().enumerate().filter(|(_, cell)| cell.cell_type == "code");
    let mut lines: Vec<CellLine> =
        cells.flat_map(|(number, cell)| cell_lines(source, cell.source, number)).collect();
    drop_magics(&mut lines);
    (Source::new(text_of(&lines)), lines.iter().map(|line| line.place).collect())
}

/// Magics and shell lines are no Python; a blank keeps the count of lines.
fn drop_magics(code: &mut [CellLine]) {
    for line in code.iter_mut().filter(|line| line.text.trim_start().starts_with(['%', '!'])) {
        line.text.clear();
    }
}

/// The lines of a cell, whose number is from 0; `source` is a string or a list of strings, of one line each.
fn cell_lines(source: &Source, raw: &RawValue, number: usize) -> Vec<CellLine> {
    let cell = line_number(number);
    let place = |part: &RawValue| {
        let line = source.line_at(part.get().as_ptr() as usize - source.text().as_ptr() as usize);
        CellPlace { line: line_number(line), cell }
    };
    let parts = serde_json::from_str::<Vec<&RawValue>>(raw.get()).unwrap_or_else(|_| vec![raw]);
    let mut lines: Vec<CellLine> = Vec::new();
    for part in parts {
        let Ok(text) = serde_json::from_str::<String>(part.get()) else { continue };
        let place = place(part);
        lines.extend(text.lines().map(|line| CellLine { text: line.to_owned(), place }));
    }
    lines
}

fn text_of(lines: &[CellLine]) -> String {
    lines.iter().flat_map(|line| [line.text.as_str(), "\n"]).collect()
}

fn first_heading(lines: &[CellLine]) -> Option<&CellLine> {
    lines.iter().find(|line| line.text.starts_with('#') && !title(line).is_empty())
}

fn title(heading: &CellLine) -> String {
    one_line(heading.text.trim_start_matches('#'), LONGEST_TITLE_BYTES)
}

fn heading_symbol(heading: &CellLine) -> Symbol {
    Symbol {
        name: title(heading),
        kind: SymbolKind::Heading,
        signature: one_line(&heading.text, LONGEST_TITLE_BYTES),
        start_line: heading.place.line,
        end_line: heading.place.line,
        parent: None,
        registered: Vec::new(),
        exported: false,
        cell: Some(heading.place.cell),
    }
}

fn chunk(lines: &[CellLine], title: Option<String>) -> Option<Chunk> {
    let body = text_of(lines);
    let (first, last) = (lines.first()?, lines.last()?);
    (!body.trim().is_empty()).then_some(Chunk {
        kind: ChunkKind::Cell,
        start_line: first.place.line,
        end_line: last.place.line,
        title,
        cell: Some(first.place.cell),
        body,
    })
}

/// Definitions in the code cells, read as one Python file and placed where they are stored.
fn add_symbols(mut code: Vec<CellLine>, analysis: &mut Analysis) {
    drop_magics(&mut code);
    let python = python::analyze(&Source::new(text_of(&code)));
    let place = |line: u32| code.get(line as usize - 1).map(|line| line.place);
    analysis.flags = python.flags;
    analysis.symbols.extend(python.symbols.into_iter().filter_map(|mut symbol| {
        let (first, last) = (place(symbol.start_line)?, place(symbol.end_line)?);
        // What was left open in one cell does not end in the next.
        let last = if last.cell == first.cell { last } else { last_of_cell(&code, first) };
        (symbol.start_line, symbol.end_line, symbol.cell) = (first.line, last.line, Some(first.cell));
        Some(symbol)
    }));
    analysis.symbols.sort_by_key(|symbol| (symbol.cell, symbol.start_line));
}

/// Where the cell that holds a place ends.
fn last_of_cell(code: &[CellLine], place: CellPlace) -> CellPlace {
    let end = code.partition_point(|line| line.place.cell <= place.cell);
    code.get(end.wrapping_sub(1)).map_or(place, |line| line.place)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTEBOOK: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {},
   "source": [
    "# Train \"it\"\n",
    "Words."
   ]
  },
  {
   "cell_type": "code",
   "outputs": [{"data": "secret output"}],
   "source": [
    "%matplotlib inline\n",
    "def run():\n",
    "    return 1\n"
   ]
  },
  {"cell_type": "code", "outputs": [], "source": "x = 1\ny = 2"},
  {"cell_type": "code", "source": []}
 ]
}
"##;

    type Lines = (u32, u32, String);

    fn found(text: &str) -> (Vec<Lines>, Vec<Lines>) {
        let analysis = analyze(&Source::new(text.to_owned()));
        let chunks = analysis.chunks.into_iter().map(|chunk| (chunk.start_line, chunk.end_line, chunk.body));
        let symbols =
            analysis.symbols.into_iter().map(|symbol| (symbol.start_line, symbol.end_line, symbol.name));
        (chunks.collect(), symbols.collect())
    }

    #[test]
    fn gives_cells_with_the_lines_of_the_stored_file() {
        let (chunks, symbols) = found(NOTEBOOK);
        let of = |first, last, text: &str| (first, last, text.to_owned());
        assert_eq!(
            chunks,
            [
                of(7, 8, "# Train \"it\"\nWords.\n"),
                of(15, 17, "%matplotlib inline\ndef run():\n    return 1\n"),
                of(20, 20, "x = 1\ny = 2\n"),
            ]
        );
        assert_eq!(symbols, [of(7, 7, "Train \"it\""), of(16, 17, "run"), of(20, 20, "x"), of(20, 20, "y")]);
    }

    #[test]
    fn says_the_cell_of_everything() {
        let analysis = analyze(&Source::new(NOTEBOOK.to_owned()));
        let chunks: Vec<_> = analysis.chunks.iter().map(|chunk| chunk.label().unwrap()).collect();
        assert_eq!(chunks, ["cell 1: Train \"it\"", "cell 2: Train \"it\"", "cell 3: Train \"it\""]);
        let symbols: Vec<_> =
            analysis.symbols.iter().map(|symbol| (symbol.name.as_str(), symbol.cell)).collect();
        assert_eq!(symbols, [("Train \"it\"", Some(1)), ("run", Some(2)), ("x", Some(3)), ("y", Some(3))]);
    }

    #[test]
    fn ends_what_a_cell_leaves_open_with_the_cell() {
        let text = r#"{"cells": [
            {"cell_type": "code", "source": ["def f(\n",
              "  x"]},
            {"cell_type": "code", "source": ["):\n",
              "  pass\n"]}]}"#;
        let analysis = analyze(&Source::new(text.to_owned()));
        let symbols: Vec<_> = analysis
            .symbols
            .iter()
            .map(|symbol| (symbol.name.as_str(), symbol.start_line, symbol.end_line, symbol.cell))
            .collect();
        assert_eq!(symbols, [("f", 2, 3, Some(1))]);
    }

    #[test]
    fn puts_everything_on_line_1_of_a_notebook_without_line_ends() {
        let minified = NOTEBOOK.replace('\n', "");
        let (chunks, _) = found(&minified);
        assert!(chunks.iter().all(|(first, last, _)| (*first, *last) == (1, 1)), "{chunks:?}");
        assert_eq!(chunks.len(), 3);
    }

    #[test]
    fn reads_a_broken_notebook_as_plain_text() {
        let analysis = analyze(&Source::new("{\"cells\": [".to_owned()));
        assert_eq!(analysis.notes, [Note::BrokenNotebook]);
        assert_eq!(analysis.chunks.len(), 1);
    }
}
