//! A literal or regular expression, ready to be looked for: as ripgrep matches it, and as the trigrams tell which
//! files can hold it. Size limits bound what a hostile one costs; matching is linear in the text.

use std::convert::Infallible;

use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};
use regex_syntax::ast::{self, Ast, Flag, GroupKind};

use super::{Case, Matching};
use crate::trigrams::Plan;
use crate::{Error, Result};

// An automaton of this size takes a second to build; patterns of people and agents stay far below.
const LARGEST_PATTERN_BYTES: usize = 10 << 20;

/// A pattern that was understood.
pub(crate) struct Pattern {
    pub(crate) matcher: RegexMatcher,
    /// What the trigrams of a file must be for the pattern to match in it.
    pub(crate) plan: Plan,
    /// Whether a match may span lines.
    pub(crate) spans_lines: bool,
}

impl Pattern {
    /// Text that stands as it is written.
    pub(crate) fn literal(text: &str, matching: Matching) -> Result<Self> {
        let mut builder = RegexMatcherBuilder::new();
        builder.fixed_strings(true);
        Self::build(&mut builder, text, &regex_syntax::escape(text), matching)
    }

    /// A regular expression.
    pub(crate) fn regex(pattern: &str, matching: Matching) -> Result<Self> {
        let spans_lines = matching.spans_lines || dot_may_match_line_ends(pattern);
        let matching = Matching { spans_lines, ..matching };
        Self::build(&mut RegexMatcherBuilder::new(), pattern, pattern, matching)
    }

    fn build(
        builder: &mut RegexMatcherBuilder,
        text: &str,
        expression: &str,
        matching: Matching,
    ) -> Result<Self> {
        let plan = plan(expression, matching.case)?;
        builder.multi_line(true).word(matching.whole_words);
        builder.case_insensitive(matching.case == Case::Insensitive).case_smart(matching.case == Case::Smart);
        builder.size_limit(LARGEST_PATTERN_BYTES).dfa_size_limit(LARGEST_PATTERN_BYTES);
        let mut spans_lines = matching.spans_lines;
        if !spans_lines {
            builder.line_terminator(Some(b'\n'));
        }
        let mut built = builder.build(text);
        // What can only match across lines was meant to.
        if !spans_lines && matches!(&built, Err(error) if matches!(error.kind(), ErrorKind::NotAllowed(_))) {
            spans_lines = true;
            built = builder.line_terminator(None).build(text);
        }
        let unsupported = |error: grep_regex::Error| Error::UnsupportedPattern {
            pattern: text.to_owned(),
            problem: error.to_string(),
        };
        Ok(Self { matcher: built.map_err(unsupported)?, plan, spans_lines })
    }
}

/// What every match holds; says where the expression breaks the rules of regular expressions.
fn plan(expression: &str, case: Case) -> Result<Plan> {
    let mut parser = regex_syntax::ParserBuilder::new();
    // A plan that ignores case lets more pass, so it is right for the smart case, whatever that comes to.
    parser.utf8(false).multi_line(true).case_insensitive(case != Case::Sensitive);
    let (problem, byte) = match parser.build().parse(expression) {
        Ok(hir) => return Ok(Plan::of(&hir)),
        Err(regex_syntax::Error::Parse(error)) => (error.kind().to_string(), error.span().start.offset),
        Err(regex_syntax::Error::Translate(error)) => (error.kind().to_string(), error.span().start.offset),
        Err(error) => (error.to_string(), 0),
    };
    let position = expression.get(..byte).map_or(0, |before| before.chars().count()) + 1;
    Err(Error::InvalidRegex { pattern: expression.to_owned(), problem, position })
}

/// Whether an expression says `(?s)` somewhere.
fn dot_may_match_line_ends(expression: &str) -> bool {
    let parsed = ast::parse::Parser::new().parse(expression);
    parsed.is_ok_and(|ast| ast::visit(&ast, FlagFinder(false)).unwrap_or_else(|never| match never {}))
}

struct FlagFinder(bool);

impl ast::Visitor for FlagFinder {
    type Output = bool;
    type Err = Infallible;

    fn finish(self) -> Result<bool, Infallible> {
        Ok(self.0)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Infallible> {
        let flags = match ast {
            Ast::Flags(set) => Some(&set.flags),
            Ast::Group(group) => match &group.kind {
                GroupKind::NonCapturing(flags) => Some(flags),
                _ => None,
            },
            _ => None,
        };
        self.0 |= flags.is_some_and(|flags| flags.flag_state(Flag::DotMatchesNewLine) == Some(true));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_lines_when_the_pattern_asks_for_it() {
        for (pattern, spans_lines) in [
            ("a.b", false),
            (r"a\s+b", false),
            (r"[^\n]*", false),
            (r"a\nb", true),
            ("a\nb", true),
            (r"a[\n]b", true),
            ("(?s)a.b", true),
            ("(?is:a.b)", true),
            ("(?-s:a.b)", false),
            (r"\(?s", false),
        ] {
            let found = Pattern::regex(pattern, Matching::default()).unwrap().spans_lines;
            assert_eq!(found, spans_lines, "{pattern:?}");
        }
        assert!(Pattern::literal("a\nb", Matching::default()).unwrap().spans_lines);
        assert!(!Pattern::literal(r"a\nb", Matching::default()).unwrap().spans_lines);
    }
}
