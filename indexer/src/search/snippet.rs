//! The lines of a hit that say most: a window around the words of the query, numbered as in the stored file.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use rayon::prelude::*;

use super::Hit;
use super::query::{Mode, Query, query_terms};
use super::route::{Route, route};
use crate::source::Source;
use crate::terms::Terms;
use crate::{ChunkKind, RepositoryIndex};

// As much as is ever searched for lines.
const LARGEST_FILE_BYTES: u64 = 64 << 20;
// What stands before a match on a long line tells what it is.
const CHARACTERS_BEFORE_MATCH: usize = 60;
const CUT: &str = "\u{2026}";

/// How much of a hit is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnippetSize {
    /// Lines at most.
    pub lines: usize,
    /// Characters at most, numbers of lines included.
    pub characters: usize,
}

/// The snippets of hits, in their order, as [`RepositoryIndex::snippet`] gives them; files are read at once.
///
/// A file that cannot be read gives nothing.
pub fn snippets(
    indexes: &[Arc<RepositoryIndex>],
    hits: &[Hit],
    query: &Query,
    size: SnippetSize,
) -> Vec<String> {
    let wanted = Wanted::of(query);
    let snippet = |hit: &Hit| {
        let index = indexes.iter().find(|index| *index.name() == hit.repository);
        let hit = with_context(hit, query);
        index.map_or_else(String::new, |index| of_hit(index, &hit, &wanted, grown(size, query)))
    };
    hits.par_iter().map(snippet).collect()
}

impl RepositoryIndex {
    /// The best `max_lines` lines of a hit in at most `max_chars` characters, each as its number, a tab, its text
    /// and a line end. Long lines are cut around what matched; a file that is gone gives nothing.
    ///
    pub fn snippet(&self, hit: &Hit, query: &Query, max_lines: usize, max_chars: usize) -> String {
        let size = SnippetSize { lines: max_lines, characters: max_chars };
        of_hit(self, &with_context(hit, query), &Wanted::of(query), grown(size, query))
    }
}

/// A matching line as if the lines around it that a query asks for matched, too.
fn with_context<'a>(hit: &'a Hit, query: &Query) -> Cow<'a, Hit> {
    let around = u32::try_from(query.context_lines).unwrap_or(u32::MAX);
    if around == 0 || hit.kind != ChunkKind::Line {
        return Cow::Borrowed(hit);
    }
    let (start_line, end_line) =
        (hit.start_line.saturating_sub(around).max(1), hit.end_line.saturating_add(around));
    Cow::Owned(Hit { start_line, end_line, ..hit.clone() })
}

/// Room for all the lines around one that matches.
fn grown(size: SnippetSize, query: &Query) -> SnippetSize {
    SnippetSize { lines: size.lines.max(query.context_lines.saturating_mul(2).saturating_add(1)), ..size }
}

fn of_hit(index: &RepositoryIndex, hit: &Hit, wanted: &Wanted, size: SnippetSize) -> String {
    // The other hits of an answer are worth showing without this one's lines.
    let Ok(bytes) = index.root().read(&hit.path, LARGEST_FILE_BYTES) else { return String::new() };
    let (source, _) = Source::decode(bytes);
    let first = (hit.start_line as usize).saturating_sub(1).min(source.line_count());
    let last = (hit.end_line as usize).clamp(first, source.line_count());
    let start = if last - first <= size.lines {
        first
    } else {
        let mut terms = Terms::default();
        let scores: Vec<f32> =
            (first..last).map(|line| wanted.score(source.line(line), &mut terms)).collect();
        first + best_window(&scores, size.lines)
    };
    write(&source, start..last.min(start + size.lines), wanted, size.characters)
}

/// What a line should hold.
enum Wanted {
    /// The text as it stands.
    Literal(String),
    /// Terms of words, with weights.
    Terms(Vec<(String, f32)>),
}

impl Wanted {
    fn of(query: &Query) -> Self {
        match (query.mode, route(&query.text)) {
            (Mode::Literal, _) => Self::Literal(query.text.clone()),
            (Mode::Auto, Route::Quoted(text)) => Self::Literal(text),
            _ => Self::Terms(
                query_terms(&query.text, &[]).into_iter().map(|term| (term.text, term.weight)).collect(),
            ),
        }
    }

    fn score(&self, line: &str, scorer: &mut Terms) -> f32 {
        match self {
            Self::Literal(text) => f32::from(u8::from(line.contains(text.as_str()))),
            Self::Terms(wanted) => {
                let mut held = HashSet::new();
                scorer.each(line, |term| {
                    if let Some(number) = wanted.iter().position(|(text, _)| text == term.text) {
                        held.insert(number);
                    }
                });
                held.into_iter().map(|number| wanted[number].1).sum()
            }
        }
    }

    /// The byte of a line at which the first match starts.
    fn position(&self, line: &str, scorer: &mut Terms) -> usize {
        match self {
            Self::Literal(text) => line.find(text.as_str()).unwrap_or_default(),
            Self::Terms(wanted) => {
                let mut first = None;
                scorer.each(line, |term| {
                    if first.is_none()
                        && wanted.iter().any(|(text, weight)| text == term.text && *weight >= 0.5)
                    {
                        first = Some(term.start);
                    }
                });
                first.unwrap_or_default()
            }
        }
    }
}

/// Where the window of `width` lines with the highest sum starts; the first of equals.
fn best_window(scores: &[f32], width: usize) -> usize {
    if scores.len() <= width {
        return 0;
    }
    // The first line of a place names it.
    let bonus = |start: usize| if start == 0 { 0.5 } else { 0.0 };
    let sum = |start: usize| scores[start..start + width].iter().sum::<f32>() + bonus(start);
    let mut best = (0, sum(0));
    for start in 1..=scores.len() - width {
        let sum = sum(start);
        if sum > best.1 {
            best = (start, sum);
        }
    }
    best.0
}

fn write(source: &Source, lines: std::ops::Range<usize>, wanted: &Wanted, max_chars: usize) -> String {
    let mut scorer = Terms::default();
    let mut room = max_chars;
    let mut snippet = String::new();
    let count = lines.len();
    for (written, line) in lines.enumerate() {
        let text = source.line(line);
        let prefix = format!("{}\t", line + 1);
        // Every line left gets an equal share, and what short lines leave goes to the next.
        let share = (room / (count - written)).max(room.min(200));
        let Some(share) = share.checked_sub(prefix.len() + 1).filter(|share| *share > 0) else { break };
        // Where a line matches matters only to a line that is cut.
        let fits = text.len() <= share;
        let position = if fits { 0 } else { wanted.position(text, &mut scorer) };
        let shown = around(text, position, share);
        room = room.saturating_sub(prefix.len() + shown.chars().count() + 1);
        snippet.push_str(&prefix);
        snippet.push_str(&shown);
        snippet.push('\n');
    }
    snippet
}

/// At most `room` characters of a line around the byte `position`.
fn around(line: &str, position: usize, room: usize) -> String {
    if line.chars().count() <= room {
        return line.to_owned();
    }
    let before = line.get(..position).map_or(0, |before| before.chars().count());
    let marks = 2 * CUT.chars().count();
    let room = room.saturating_sub(marks).max(1);
    let skipped = before.saturating_sub(CHARACTERS_BEFORE_MATCH.min(room / 2));
    let shown: String = line.chars().skip(skipped).take(room).collect();
    let start = if skipped > 0 { CUT } else { "" };
    let end = if line.chars().count() > skipped + room { CUT } else { "" };
    format!("{start}{shown}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_window_with_most_words() {
        assert_eq!(best_window(&[0.0, 0.0, 1.0, 2.0, 0.0], 2), 2);
        assert_eq!(best_window(&[0.0, 0.0, 0.0], 2), 0);
        assert_eq!(best_window(&[1.0], 5), 0);
    }

    #[test]
    fn cuts_by_characters_around_the_match() {
        let line = format!("{}needle{}", "é😀".repeat(5_000), "图".repeat(5_000));
        let shown = around(&line, line.find("needle").unwrap(), 100);
        assert!(shown.contains("needle") && shown.chars().count() <= 100, "{shown}");
        assert_eq!(around("short", 0, 100), "short");
        for room in 1..20 {
            assert!(around(&line, 7, room).chars().count() <= room.max(3));
        }
    }

    #[test]
    fn keeps_within_its_size() {
        let source = Source::new("word ".repeat(1_000) + "\n" + &"x\n".repeat(30));
        let wanted = Wanted::Terms(vec![("word".to_owned(), 1.0)]);
        for room in [10, 50, 300, 5_000] {
            let snippet = write(&source, 0..12, &wanted, room);
            assert!(snippet.chars().count() <= room, "{} of {room}", snippet.chars().count());
        }
    }
}
