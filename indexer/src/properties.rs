//! What must hold for every text, tried with texts made of pieces that mean something to some reader.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::terms::Terms;
use crate::{Language, fuzzing};

#[rustfmt::skip]
const PIECES: &[&str] = &[
    "\n", "\n", "\n", "\n\n", "\r\n", "\r", " ", "    ", "\t", "a", "x1", "Name", "é", "图像", "😀", "\u{feff}", "\0",
    "def f(a):", "class A(B):", "@register('x')", "if x:", "else:", "pass", "__all__ = ['a']", "x = 1", "lambda: 0",
    "\"\"\"", "'''", "\"", "'", "`", "#", "# ", "## T", "//", "/*", "*/", "(", ")", "[", "]", "{", "}", "<", ">", "<<<",
    ",", ";", ":", "_", "-", "::", "=", "==", "====", "----", "~~~~", "```", "- ", "key: ", "key: 1", "? ", "&a", "*a", "|",
    "<<: ", "---", "[t.u]", "[[t]]", "a.b = 1", "\"k\": ", "template <typename T>", "struct S {", "void f() {",
    "namespace n {", "#define M(x) x", "f() {", "function f() {", "export ", "const f = () => {", "interface I {",
    "<div>", "add_argument('--x', help='y')", "=====\nT\n=====\n", "{\"cells\": [",
    "{\"cell_type\": \"code\", \"source\": [\"x = 1\\n\"]}", "]}",
];

const NOTEBOOK: &str = r##"{
 "cells": [
  {"cell_type": "markdown", "source": ["# Title\n", "text"]},
  {"cell_type": "code", "outputs": [{"text": "x"}], "source": [
    "%magic\n",
    "def run():\n",
    "    pass"
  ]},
  {"cell_type": "code", "source": "x = 1\ny = 2"}
 ],
 "nbformat": 4
}
"##;

/// Texts of pieces, and a few of any characters.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => vec(select(PIECES), 0..60).prop_map(|pieces| pieces.concat()),
        1 => any::<String>(),
    ]
}

fn language() -> impl Strategy<Value = Language> {
    let languages: Vec<Language> = Language::names().filter_map(|name| name.parse().ok()).collect();
    select(languages)
}

/// A notebook with pieces put in the place of some of its characters.
fn mutated_notebook() -> impl Strategy<Value = String> {
    vec((0..NOTEBOOK.len(), 0..12_usize, select(PIECES)), 0..6).prop_map(|changes| {
        let mut text = NOTEBOOK.to_owned();
        for (at, length, piece) in changes {
            let starts: Vec<usize> = text.char_indices().map(|(start, _)| start).collect();
            let byte = |number: usize| starts.get(number).copied().unwrap_or(text.len());
            let range = byte(at)..byte(at + length);
            text.replace_range(range, piece);
        }
        text
    })
}

fn capitalized(word: impl AsRef<str>) -> String {
    let word = word.as_ref();
    word[..1].to_uppercase() + &word[1..]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn terms_lie_in_their_text(text in text()) {
        fuzzing::tokenizer(&text);
    }

    #[test]
    fn one_name_has_the_same_terms_in_every_spelling(words in vec("[b-df-hj-np-tv-z]{3,7}", 2..5)) {
        let list = |name: &str| Terms::default().list(name);
        let snake = list(&words.join("_"));
        let pascal: String = words.iter().map(capitalized).collect();
        let camel = words[0].clone() + &words[1..].iter().map(capitalized).collect::<String>();
        prop_assert_eq!(&list(&camel), &snake);
        prop_assert_eq!(&list(&pascal), &snake);
        prop_assert_eq!(&list(&words.join("_").to_uppercase()), &snake);
        // Words apart have no whole, which the search for them joins.
        prop_assert_eq!(&list(&words.join("-"))[..], &snake[..words.len()]);
    }

    #[test]
    fn queries_of_any_text_are_read(text in text()) {
        fuzzing::query(&text);
    }

    #[test]
    fn cells_lie_in_their_file(text in prop_oneof![text(), mutated_notebook()]) {
        fuzzing::notebook(&text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        // So that every language gets some forty.
        cases: 1_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn chunks_hold_every_line_once(language in language(), text in text()) {
        fuzzing::chunker(language, &text);
    }
}
