//! Settings: keys as symbols, down to the level at which there are still few, and chunks that end where a key of
//! the first level ends. Lists of records have keys too, but no path leads to one of them, so queries leave them out.

use std::ops::Range;

use super::chunks::{
    LONGEST_CHUNK_LINES, body, line_number, pieces, qualified_names, symbols, with_comment_above,
};
use super::{Definition, Parsed};
use crate::analysis::{Analysis, Chunk, ChunkKind};
use crate::source::{Note, Source, cut};

// What a person writes stays below; more keys of one level are records, and would flood a list of symbols.
const MOST_KEYS: usize = 200;
const ABOUT_BYTES: usize = 400;

/// Chunks and symbols of a file of settings.
pub(crate) fn analyze(source: &Source, mut parsed: Parsed) -> Analysis {
    let notes = if parsed.tree.root_node().has_error() { vec![Note::ParseErrors] } else { Vec::new() };
    let chunks = chunks(source, &parsed.definitions);
    keep_upper_levels(&mut parsed.definitions);
    let qualified = qualified_names(&parsed.definitions);
    Analysis {
        chunks,
        symbols: symbols(source, &parsed.definitions, &qualified),
        about: cut(source.text(), ABOUT_BYTES).to_owned(),
        notes,
        ..Analysis::default()
    }
}

/// Keeps the deepest levels that hold few enough keys together, and always some of the first.
fn keep_upper_levels(keys: &mut Vec<Definition>) {
    let mut depths: Vec<usize> = Vec::with_capacity(keys.len());
    for key in keys.iter() {
        depths.push(key.parent.map_or(0, |parent| depths[parent] + 1));
    }
    let count = |deepest: usize| depths.iter().filter(|depth| **depth <= deepest).count();
    let deepest = (0..3).rev().find(|deepest| count(*deepest) <= MOST_KEYS).unwrap_or(0);
    let mut kept: Vec<Option<usize>> = Vec::with_capacity(keys.len());
    let mut number = 0;
    for depth in &depths {
        let keeps = *depth <= deepest && number < MOST_KEYS;
        kept.push(keeps.then_some(number));
        number += usize::from(keeps);
    }
    let mut old = 0;
    keys.retain_mut(|key| {
        key.parent = key.parent.and_then(|parent| kept[parent]);
        old += 1;
        kept[old - 1].is_some()
    });
}

/// A run of lines, from 0, and the key that they belong to when it is one alone.
struct Run {
    lines: Range<usize>,
    title: Option<String>,
}

fn chunks(source: &Source, keys: &[Definition]) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    for run in runs(source, keys) {
        for piece in pieces(source, run.lines) {
            chunks.push(Chunk {
                kind: ChunkKind::Window,
                start_line: line_number(piece.start),
                end_line: line_number(piece.end - 1),
                title: run.title.clone(),
                cell: None,
                body: body(source, piece),
            });
        }
    }
    chunks
}

/// Keys of the first level, as many together as fit a chunk; what stands before the first belongs to it.
fn runs(source: &Source, keys: &[Definition]) -> Vec<Run> {
    let first_level: Vec<&Definition> = keys.iter().filter(|key| key.parent.is_none()).collect();
    let mut runs = vec![Run { lines: 0..source.line_count(), title: None }];
    if source.line_count() <= LONGEST_CHUNK_LINES {
        return runs;
    }
    for (number, key) in first_level.iter().enumerate() {
        let start = with_comment_above(source, key.lines.clone()).start;
        let next =
            first_level.get(number + 1).map(|next| with_comment_above(source, next.lines.clone()).start);
        let end = next.unwrap_or(source.line_count());
        let title = (end.saturating_sub(start) > LONGEST_CHUNK_LINES).then(|| key.name.clone());
        let Some(run) = runs.last_mut() else { continue };
        if start <= run.lines.start {
            run.title = title;
        } else if end.saturating_sub(run.lines.start) > LONGEST_CHUNK_LINES {
            run.lines.end = start;
            runs.push(Run { lines: start..source.line_count(), title });
        }
    }
    runs
}
