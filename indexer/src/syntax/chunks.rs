//! Chunks of code: each function, method and class is one, without the definitions that are chunks themselves;
//! what stands between them is top-level code. Long chunks are cut, preferably at blank lines.

use std::ops::Range;

use super::{Definition, Parsed};
use crate::analysis::{Analysis, Chunk, ChunkKind};
use crate::source::{Note, Source, cut, one_line};
use crate::symbol::{Symbol, SymbolKind};

/// Signatures are shown on one line.
pub(crate) const LONGEST_SIGNATURE_BYTES: usize = 300;
// Decorators must not push the name out of a signature.
const LONGEST_PREFIX_BYTES: usize = 120;
// Longer pieces hide what matched; an agent reads on by line numbers anyway.
pub(super) const LONGEST_CHUNK_LINES: usize = 80;
// A cut is moved up to a blank line, but not further than this.
const SHORTEST_CUT_LINES: usize = 40;
// The rest of longer lines is data.
const LONGEST_INDEXED_LINE_BYTES: usize = 4_000;

/// The number, from 1, of a line counted from 0.
pub(crate) fn line_number(line: usize) -> u32 {
    u32::try_from(line + 1).unwrap_or(u32::MAX)
}

/// Chunks and symbols of a parsed file.
pub(crate) fn analyze(source: &Source, parsed: &Parsed) -> Analysis {
    let notes = if parsed.tree.root_node().has_error() { vec![Note::ParseErrors] } else { Vec::new() };
    let qualified: Vec<String> = qualified_names(&parsed.definitions);
    Analysis {
        chunks: chunks(source, &parsed.definitions, &qualified),
        symbols: symbols(source, &parsed.definitions, &qualified),
        notes,
        ..Analysis::default()
    }
}

/// A file that could not be parsed, as windows of lines.
pub(crate) fn plain(source: &Source, note: Note) -> Analysis {
    Analysis { chunks: windows(source), notes: vec![note], ..Analysis::default() }
}

/// The whole file as windows of lines.
pub(crate) fn windows(source: &Source) -> Vec<Chunk> {
    let window = |piece: Range<usize>| Chunk {
        kind: ChunkKind::Window,
        start_line: line_number(piece.start),
        end_line: line_number(piece.end - 1),
        title: None,
        cell: None,
        body: body(source, piece),
    };
    pieces(source, 0..source.line_count()).into_iter().map(window).collect()
}

pub(super) fn qualified_names(definitions: &[Definition]) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(definitions.len());
    for definition in definitions {
        let parent = definition.parent.map(|parent| names[parent].as_str());
        let parts = [parent, definition.qualifier.as_deref(), Some(definition.name.as_str())];
        names.push(parts.into_iter().flatten().collect::<Vec<_>>().join("."));
    }
    names
}

pub(super) fn symbols(source: &Source, definitions: &[Definition], qualified: &[String]) -> Vec<Symbol> {
    let symbol = |(definition, name): (&Definition, &String)| {
        let parent = name.strip_suffix(&definition.name).map(|parent| parent.trim_end_matches('.'));
        Symbol {
            name: definition.name.clone(),
            kind: definition.kind,
            signature: signature(source.text(), definition),
            start_line: line_number(definition.lines.start),
            end_line: line_number(definition.lines.end - 1),
            parent: parent.filter(|parent| !parent.is_empty()).map(str::to_owned),
            registered: definition.registered.clone(),
            exported: definition.exported,
            cell: None,
        }
    };
    definitions.iter().zip(qualified).map(symbol).collect()
}

/// How a definition is declared, its decorators first.
fn signature(text: &str, definition: &Definition) -> String {
    let declared = &text[definition.signature.clone()];
    let declared = match definition.kind {
        // What stands below are its own keys.
        SymbolKind::Key => cut(declared.lines().next().unwrap_or_default(), LONGEST_PREFIX_BYTES),
        _ => declared,
    };
    let prefix = one_line(&text[definition.prefix.clone()], LONGEST_PREFIX_BYTES);
    if prefix.is_empty() {
        return one_line(declared, LONGEST_SIGNATURE_BYTES);
    }
    format!("{prefix} {}", one_line(declared, LONGEST_SIGNATURE_BYTES - prefix.len() - 1))
}

/// A definition whose lines are chunks of their own.
struct Unit<'a> {
    kind: SymbolKind,
    title: &'a str,
    lines: Range<usize>,
}

fn units<'a>(source: &Source, definitions: &[Definition], qualified: &'a [String]) -> Vec<Unit<'a>> {
    let mut units: Vec<Unit<'a>> = Vec::new();
    for (definition, title) in definitions.iter().zip(qualified) {
        let own = matches!(
            definition.kind,
            SymbolKind::Class | SymbolKind::Struct | SymbolKind::Function | SymbolKind::Method
        );
        let inside_function = std::iter::successors(definition.parent, |parent| definitions[*parent].parent)
            .any(|parent| matches!(definitions[parent].kind, SymbolKind::Function | SymbolKind::Method));
        if own && !inside_function {
            let lines = with_comment_above(source, definition.lines.clone());
            units.push(Unit { kind: definition.kind, title, lines });
        }
    }
    units
}

/// Comments that stand directly above a definition speak about it.
pub(super) fn with_comment_above(source: &Source, lines: Range<usize>) -> Range<usize> {
    let is_comment = |line: usize| {
        let line = source.line(line).trim_start();
        ["#", "//", "*", "/*"].iter().any(|mark| line.starts_with(mark)) && !line.starts_with("#!")
    };
    let mut start = lines.start;
    while start > 0 && is_comment(start - 1) {
        start -= 1;
    }
    start..lines.end
}

fn chunks(source: &Source, definitions: &[Definition], qualified: &[String]) -> Vec<Chunk> {
    let units = units(source, definitions, qualified);
    // Inner units come later in the order and take their lines from the outer ones.
    let mut owners = vec![0; source.line_count()];
    for (number, unit) in units.iter().enumerate() {
        let end = unit.lines.end.min(owners.len());
        owners[unit.lines.start.min(end)..end].fill(number + 1);
    }
    let mut chunks = Vec::new();
    let mut start = 0;
    for run in owners.chunk_by(|a, b| a == b) {
        let unit = run[0].checked_sub(1).map(|number| &units[number]);
        for piece in pieces(source, start..start + run.len()) {
            chunks.push(Chunk {
                kind: unit.map_or(ChunkKind::TopLevel, |unit| ChunkKind::Symbol(unit.kind)),
                start_line: line_number(piece.start),
                end_line: line_number(piece.end - 1),
                title: unit.map(|unit| unit.title.to_owned()),
                cell: None,
                body: body(source, piece),
            });
        }
        start += run.len();
    }
    chunks
}

/// Cuts lines, counted from 0, into pieces without blank edges; none when all are blank.
pub(crate) fn pieces(source: &Source, lines: Range<usize>) -> Vec<Range<usize>> {
    let blank = |line: usize| source.line(line).trim().is_empty();
    let mut pieces = Vec::new();
    let mut start = lines.start;
    while start < lines.end {
        if blank(start) {
            start += 1;
            continue;
        }
        let mut end = (start + LONGEST_CHUNK_LINES).min(lines.end);
        if end < lines.end {
            end = (start + SHORTEST_CUT_LINES..end).rev().find(|line| blank(*line)).unwrap_or(end);
        }
        let last = (start..end).rev().find(|line| !blank(*line)).unwrap_or(start);
        pieces.push(start..last + 1);
        start = end;
    }
    pieces
}

/// The text of lines, counted from 0, that is indexed.
pub(crate) fn body(source: &Source, lines: Range<usize>) -> String {
    let whole = &source.text()[source.bytes_of(lines.clone())];
    if whole.len() <= LONGEST_INDEXED_LINE_BYTES {
        return whole.to_owned();
    }
    whole.split_inclusive('\n').map(|line| cut(line, LONGEST_INDEXED_LINE_BYTES)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(lines: usize, blank: impl Fn(usize) -> bool) -> Source {
        Source::new((0..lines).map(|line| if blank(line) { "\n" } else { "x\n" }).collect())
    }

    #[test]
    fn cuts_long_runs_at_the_last_blank_line_that_fits() {
        assert_eq!(pieces(&source(100, |line| line == 50 || line == 60), 0..100), [0..60, 61..100]);
        assert_eq!(pieces(&source(170, |_| false), 0..170), [0..80, 80..160, 160..170]);
        assert_eq!(pieces(&source(10, |line| !(2..8).contains(&line)), 0..10), vec![2..8; 1]);
        assert!(pieces(&source(10, |_| true), 0..10).is_empty());
    }

    #[test]
    fn indexes_only_the_start_of_a_giant_line() {
        let source = Source::new(format!("{}\nend\n", "é".repeat(1 << 20)));
        let body = body(&source, 0..2);
        assert!(body.len() <= LONGEST_INDEXED_LINE_BYTES + 5 && body.contains('é'), "{}", body.len());
    }
}
