//! What is known of the matches of an expression, put together from what is known of its parts (after Russ Cox,
//! "Regular Expression Matching with a Trigram Index"): all of them while they are few, else how they start, how
//! they end and which trigrams they hold.

use std::collections::BTreeSet;

use regex_syntax::hir::{Hir, HirKind, Repetition};

use super::pieces::{Piece, of_class, of_literal};
use super::plan::Plan;

/// Texts without case; the empty one says nothing.
type Strings = BTreeSet<Vec<u8>>;

// More alternatives cost more look-ups than they save reading.
const MOST_STRINGS: usize = 64;
// What a start or an end can add to a trigram that reaches into a neighbour.
const REACH_BYTES: usize = 2;
// Further copies repeat the trigrams of these.
const MOST_COPIES: u32 = 4;

/// What is known of every match of an expression.
#[derive(Clone, Debug)]
pub(super) enum Known {
    /// It is one of these.
    Exactly(Strings),
    /// It starts and ends so, and holds what the plan says.
    Ends(Ends),
}

/// How matches start and end.
#[derive(Clone, Debug)]
pub(super) struct Ends {
    first: Strings,
    last: Strings,
    plan: Plan,
}

impl Known {
    /// What is known of an expression.
    pub(super) fn of(hir: &Hir) -> Self {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Self::empty(),
            HirKind::Literal(literal) => Self::in_a_row(of_literal(&literal.0).into_iter().map(Self::piece)),
            HirKind::Class(class) => Self::piece(of_class(class)),
            HirKind::Repetition(repetition) => Self::repeated(repetition),
            HirKind::Capture(capture) => Self::of(&capture.sub),
            HirKind::Concat(parts) => Self::in_a_row(parts.iter().map(Self::of)),
            HirKind::Alternation(parts) => {
                parts.iter().map(Self::of).reduce(Self::or).unwrap_or_else(Self::empty)
            }
        }
    }

    /// What every match holds.
    pub(super) fn into_plan(self) -> Plan {
        match self {
            Self::Exactly(strings) => Plan::of_strings(&strings),
            Self::Ends(ends) => ends.plan,
        }
    }

    fn empty() -> Self {
        Self::Exactly(Strings::from([Vec::new()]))
    }

    fn piece(piece: Piece) -> Self {
        let nothing = Strings::from([Vec::new()]);
        match piece {
            Piece::OneOf(strings) => Self::Exactly(strings),
            Piece::Anything => {
                Self::Ends(Ends { first: nothing.clone(), last: nothing, plan: Plan::Anything })
            }
        }
    }

    fn in_a_row(parts: impl Iterator<Item = Self>) -> Self {
        parts.reduce(Self::then).unwrap_or_else(Self::empty)
    }

    fn repeated(repetition: &Repetition) -> Self {
        let (least, most) = (repetition.min, repetition.max);
        if most == Some(0) {
            return Self::empty();
        }
        let once = Self::of(&repetition.sub);
        if least == 0 {
            let few = most == Some(1) && matches!(once, Self::Exactly(_));
            return if few { once.or(Self::empty()) } else { Self::piece(Piece::Anything) };
        }
        let copies = least.min(MOST_COPIES) as usize;
        let known = Self::in_a_row(std::iter::repeat_n(once, copies));
        if most == Some(least) && least <= MOST_COPIES { known } else { Self::Ends(known.ends()) }
    }

    fn then(self, next: Self) -> Self {
        match (self, next) {
            (Self::Exactly(first), Self::Exactly(second)) => match product(&first, &second) {
                Some(strings) => Self::Exactly(strings),
                None => Self::Ends(Ends::of(first).then(Ends::of(second))),
            },
            (Self::Exactly(first), Self::Ends(second)) => match product(&first, &second.first) {
                Some(first) => Self::Ends(Ends { first, ..second }.trimmed()),
                None => Self::Ends(Ends::of(first).then(second)),
            },
            (Self::Ends(first), Self::Exactly(second)) => match product(&first.last, &second) {
                Some(last) => Self::Ends(Ends { last, ..first }.trimmed()),
                None => Self::Ends(first.then(Ends::of(second))),
            },
            (Self::Ends(first), Self::Ends(second)) => Self::Ends(first.then(second)),
        }
    }

    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Exactly(mut first), Self::Exactly(second))
                if first.len() + second.len() <= MOST_STRINGS =>
            {
                first.extend(second);
                Self::Exactly(first)
            }
            (first, second) => Self::Ends(first.ends().or(second.ends())),
        }
    }

    fn ends(self) -> Ends {
        match self {
            Self::Exactly(strings) => Ends::of(strings),
            Self::Ends(ends) => ends,
        }
    }
}

impl Ends {
    fn of(strings: Strings) -> Self {
        let plan = Plan::of_strings(&strings);
        Self { first: strings.clone(), last: strings, plan }.trimmed()
    }

    fn then(self, next: Self) -> Self {
        let between =
            product(&self.last, &next.first).map_or(Plan::Anything, |strings| Plan::of_strings(&strings));
        Self { first: self.first, last: next.last, plan: Plan::every([self.plan, between, next.plan]) }
    }

    fn or(mut self, other: Self) -> Self {
        self.first.extend(other.first);
        self.last.extend(other.last);
        Self { plan: Plan::either([self.plan, other.plan]), ..self }.trimmed()
    }

    /// Moves what long starts and ends tell into the plan, and keeps what reaches into a neighbour.
    fn trimmed(self) -> Self {
        let plan = Plan::every([Plan::of_strings(&self.first), self.plan, Plan::of_strings(&self.last)]);
        let head = |string: &Vec<u8>| string[..string.len().min(REACH_BYTES)].to_vec();
        let tail = |string: &Vec<u8>| string[string.len().saturating_sub(REACH_BYTES)..].to_vec();
        Self { first: few(self.first.iter().map(head)), last: few(self.last.iter().map(tail)), plan }
    }
}

/// The strings, or the empty one where they are too many to tell anything apart.
fn few(strings: impl Iterator<Item = Vec<u8>>) -> Strings {
    let strings: Strings = strings.collect();
    if strings.len() > MOST_STRINGS { Strings::from([Vec::new()]) } else { strings }
}

/// Every first string with every second one behind it, unless these are too many.
fn product(first: &Strings, second: &Strings) -> Option<Strings> {
    if first.len() * second.len() > MOST_STRINGS {
        return None;
    }
    let joined = first.iter().flat_map(|start| second.iter().map(move |end| [&start[..], end].concat()));
    Some(joined.collect())
}
