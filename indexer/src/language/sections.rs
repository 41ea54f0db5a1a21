//! Sections of a document, from headings that a markup reader found: each becomes chunks with the trail of
//! headings above it, and a symbol that spans what lies beneath it.

use crate::analysis::{Analysis, Chunk, ChunkKind};
use crate::source::{Source, cut, one_line};
use crate::symbol::{Symbol, SymbolKind};
use crate::syntax::chunks::{LONGEST_SIGNATURE_BYTES, body, line_number, pieces};

const ABOUT_BYTES: usize = 600;
const LONGEST_TITLE_BYTES: usize = 200;
// Labels, badges and blank lines above the first heading belong to it.
const LONGEST_LABEL_LINES: usize = 4;
const SEPARATOR: &str = " > ";

/// A heading of a document.
pub(super) struct Heading {
    /// 1 is the highest.
    pub(super) level: usize,
    pub(super) title: String,
    /// Its first line, from 0.
    pub(super) line: usize,
}

/// Chunks and symbols of a document with these headings, which stand in the order of their lines.
pub(super) fn analyze(source: &Source, headings: &[Heading]) -> Analysis {
    let mut analysis = Analysis::default();
    let mut trail: Vec<(usize, String)> = Vec::new();
    let lead = headings.first().map_or(source.line_count(), |heading| heading.line);
    let has_lead = lead > LONGEST_LABEL_LINES || headings.is_empty();
    if has_lead {
        push_chunks(source, &mut analysis, 0..lead, None);
    }
    for (number, heading) in headings.iter().enumerate() {
        trail.truncate(trail.iter().take_while(|(level, _)| *level < heading.level).count());
        let parent = (!trail.is_empty()).then(|| join(&trail));
        trail.push((heading.level, one_line(&heading.title, LONGEST_TITLE_BYTES)));
        let end = headings.get(number + 1).map_or(source.line_count(), |next| next.line);
        let start = if number == 0 && !has_lead { 0 } else { heading.line };
        push_chunks(source, &mut analysis, start..end, Some(&join(&trail)));
        let last = last_line(source, headings, number);
        analysis.symbols.push(symbol(source, heading, parent, last));
    }
    analysis.about = about(source, headings);
    analysis
}

fn join(trail: &[(usize, String)]) -> String {
    trail.iter().map(|(_, title)| title.as_str()).collect::<Vec<_>>().join(SEPARATOR)
}

fn push_chunks(source: &Source, analysis: &mut Analysis, lines: std::ops::Range<usize>, title: Option<&str>) {
    for piece in pieces(source, lines) {
        analysis.chunks.push(Chunk {
            kind: ChunkKind::Section,
            start_line: line_number(piece.start),
            end_line: line_number(piece.end - 1),
            title: title.map(str::to_owned),
            cell: None,
            body: body(source, piece),
        });
    }
}

/// The last line, from 0, before the next heading of the same or a higher level.
fn last_line(source: &Source, headings: &[Heading], number: usize) -> usize {
    let level = headings[number].level;
    let next = headings[number + 1..].iter().find(|heading| heading.level <= level);
    next.map_or(source.line_count(), |heading| heading.line).saturating_sub(1).max(headings[number].line)
}

fn symbol(source: &Source, heading: &Heading, parent: Option<String>, last: usize) -> Symbol {
    Symbol {
        name: one_line(&heading.title, LONGEST_TITLE_BYTES),
        kind: SymbolKind::Heading,
        signature: one_line(source.line(heading.line), LONGEST_SIGNATURE_BYTES),
        start_line: line_number(heading.line),
        end_line: line_number(last),
        parent,
        registered: Vec::new(),
        exported: false,
        cell: None,
    }
}

/// All headings, and what stands at the top.
fn about(source: &Source, headings: &[Heading]) -> String {
    let mut about = cut(source.text(), ABOUT_BYTES).to_owned();
    for heading in headings.iter().filter(|heading| heading.level <= 2).take(30) {
        about.push('\n');
        about.push_str(cut(&heading.title, LONGEST_TITLE_BYTES));
    }
    about
}
