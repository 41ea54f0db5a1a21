//! What the trigrams of a text must be for a pattern to match in it. A plan may let pass what does not match, and
//! never the other way round.

use regex_syntax::hir::Hir;

use super::analysis::Known;
use super::text::{Trigram, each};

/// Which trigrams every match holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Plan {
    /// Nothing is known of a match.
    Anything,
    /// This trigram.
    Trigram(Trigram),
    /// All of these.
    Every(Vec<Plan>),
    /// One of these; none at all when nothing can match.
    Either(Vec<Plan>),
}

impl Plan {
    /// What every match of an expression holds.
    pub(crate) fn of(hir: &Hir) -> Self {
        Known::of(hir).into_plan()
    }

    /// What a text holds that holds one of `strings`.
    pub(super) fn of_strings<'a>(strings: impl IntoIterator<Item = &'a Vec<u8>>) -> Self {
        Self::either(strings.into_iter().map(|string| {
            let mut trigrams = Vec::new();
            each(string, |trigram| trigrams.push(Self::Trigram(trigram)));
            Self::every(trigrams)
        }))
    }

    /// All of the plans at once.
    pub(super) fn every(plans: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Vec::new();
        for plan in plans {
            match plan {
                Self::Anything => {}
                Self::Every(plans) => all.extend(plans),
                plan => all.push(plan),
            }
        }
        keep_first(&mut all);
        match all.len() {
            0 => Self::Anything,
            1 => all.remove(0),
            _ => Self::Every(all),
        }
    }

    /// One of the plans.
    pub(super) fn either(plans: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Vec::new();
        for plan in plans {
            match plan {
                Self::Anything => return Self::Anything,
                Self::Either(plans) => all.extend(plans),
                plan => all.push(plan),
            }
        }
        keep_first(&mut all);
        if all.len() == 1 { all.remove(0) } else { Self::Either(all) }
    }

    /// Whether a text with these trigrams passes.
    #[cfg(test)]
    pub(super) fn accepts(&self, held: &std::collections::HashSet<Trigram>) -> bool {
        match self {
            Self::Anything => true,
            Self::Trigram(trigram) => held.contains(trigram),
            Self::Every(plans) => plans.iter().all(|plan| plan.accepts(held)),
            Self::Either(plans) => plans.iter().any(|plan| plan.accepts(held)),
        }
    }
}

/// Removes what was there before, and keeps the order: the start of a word tells as much as its end.
fn keep_first(plans: &mut Vec<Plan>) {
    let mut seen = std::collections::BTreeSet::new();
    plans.retain(|plan| seen.insert(plan.clone()));
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::fmt::Write;

    use proptest::prelude::*;

    use super::super::text::TrigramSet;
    use super::*;

    /// A plan as text: `abc&bcd`, `(abc|xyz)`, `*` for anything.
    fn shown(plan: &Plan) -> String {
        let joined = |plans: &[Plan], with: &str| plans.iter().map(shown).collect::<Vec<_>>().join(with);
        match plan {
            Plan::Anything => "*".to_owned(),
            Plan::Trigram(trigram) => {
                let bytes = &trigram.to_be_bytes()[1..];
                String::from_utf8(bytes.to_vec()).unwrap_or_else(|_| {
                    bytes.iter().fold(String::new(), |mut text, byte| {
                        let _ = write!(text, "{byte:02x}");
                        text
                    })
                })
            }
            Plan::Every(plans) => joined(plans, "&"),
            Plan::Either(plans) => format!("({})", joined(plans, "|")),
        }
    }

    fn parse(pattern: &str, any_case: bool) -> Option<Hir> {
        let mut parser = regex_syntax::ParserBuilder::new();
        parser.utf8(false).multi_line(true).case_insensitive(any_case).build().parse(pattern).ok()
    }

    #[test]
    fn derives_what_every_match_holds() {
        for (pattern, expected) in [
            ("abcd", "abc&bcd"),
            ("ABCD", "abc&bcd"),
            ("ab", "*"),
            (".*", "*"),
            ("abc|xyz", "(abc|xyz)"),
            ("abc|x", "*"),
            ("abc.*xyz", "abc&xyz"),
            ("ab(cd|ef)", "(abc&bcd|abe&bef)"),
            ("ab[cd]", "(abc|abd)"),
            (r"class \w+\(nn", "cla&las&ass&ss &(nn"),
            ("(?i)mask", "mas&ask"),
            ("ma\u{17f}k", "mas&ask"),
            ("abc+d", "abc"),
            ("(abc)+d", "abc&bcd"),
            ("(ab){2}", "aba&bab"),
            ("a{5}", "aaa"),
            ("abc?d", "(abc&bcd|abd)"),
            ("abc\ndef", "abc&def"),
            ("abc[\n]def", "abc&def"),
            ("abc(x|\n)def", "abc&def"),
            ("图", "图"),
            (r"\babc\b", "abc"),
            (r"(?-u:abc\xff)def", "abc&def"),
            ("[a&&b]", "()"),
            ("abc[^x]def", "abc&def"),
            ("(abc.*|xyz)def", "(abc|xyz)&(def|yzd&zde&def)"),
        ] {
            assert_eq!(shown(&Plan::of(&parse(pattern, false).unwrap())), expected, "{pattern:?}");
        }
    }

    #[test]
    fn a_giant_expression_gives_a_small_plan() {
        for pattern in ["[a-h]{40}", "(a|b|c|d|e|f|g|h){1000}", "(((x{900}){900}){900})", "(?i)привет мир"]
        {
            let plan = shown(&Plan::of(&parse(pattern, true).unwrap()));
            assert!(plan.len() < 20_000, "{pattern}: {} bytes", plan.len());
        }
        let words = vec!["word"; 500].join("[xyz]");
        assert!(shown(&Plan::of(&parse(&words, true).unwrap())).len() < 200_000);
    }

    /// Expressions over few letters, so that they match often.
    fn expressions() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            "[abkKsS]{1,4}",
            Just("\u{17f}".to_owned()),
            Just("\u{212a}".to_owned()),
            Just("é".to_owned()),
            Just("[Éé]".to_owned()),
            Just("图".to_owned()),
            Just(".".to_owned()),
            Just("[ab]".to_owned()),
            Just("[^a]".to_owned()),
            Just("[\\na]".to_owned()),
            Just("\\n".to_owned()),
            Just("\\s".to_owned()),
            Just("\\b".to_owned()),
            Just("^".to_owned()),
            Just("$".to_owned()),
            Just("(?-u:\\xc5)".to_owned()),
            Just("(?-u:\\xbf)".to_owned()),
            Just("(?-u:\\xe2\\x84)".to_owned()),
            Just("(?-u:[\\xa0-\\xbf])".to_owned()),
        ];
        leaf.prop_recursive(5, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 2..6).prop_map(|parts| parts.concat()),
                prop::collection::vec(inner.clone(), 2..4)
                    .prop_map(|parts| format!("(?:{})", parts.join("|"))),
                (inner.clone(), prop_oneof!["[*+?]", "\\{[0-3]\\}", "\\{[12],\\}", "\\{1,3\\}"])
                    .prop_map(|(part, times)| format!("(?:{part}){times}")),
                inner.prop_map(|part| format!("(?i:{part})")),
            ]
        })
    }

    fn texts() -> impl Strategy<Value = Vec<u8>> {
        let pieces = prop_oneof![
            "[abkKsS]{1,6}".prop_map(String::into_bytes),
            "[\u{17f}\u{212a}éÉ图\n ]{1,3}".prop_map(String::into_bytes),
            prop::sample::select(vec![0xc5_u8, 0xbf, 0xe2, 0x84, 0xaa, b'\n', b's', b'k'])
                .prop_map(|byte| vec![byte]),
        ];
        prop::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

        #[test]
        fn is_never_stricter_than_its_pattern(
            pattern in expressions(),
            text in texts(),
            any_case: bool,
            dot_matches_line_ends: bool,
        ) {
            let mut parser = regex_syntax::ParserBuilder::new();
            parser.utf8(false).multi_line(true).case_insensitive(any_case);
            parser.dot_matches_new_line(dot_matches_line_ends);
            let Ok(hir) = parser.build().parse(&pattern) else { return Ok(()) };
            let matcher = regex_automata::meta::Regex::builder()
                .configure(regex_automata::meta::Config::new().utf8_empty(false))
                .build_from_hir(&hir)
                .unwrap();
            if matcher.is_match(&text) {
                let held: HashSet<_> = TrigramSet::new().of(&text).into_iter().collect();
                prop_assert!(Plan::of(&hir).accepts(&held), "{pattern} on {text:?}: {}", shown(&Plan::of(&hir)));
            }
        }
    }
}
