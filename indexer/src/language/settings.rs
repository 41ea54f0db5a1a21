//! YAML, JSON and TOML: the keys of their upper levels, and windows that end where a key ends.

use super::{Language, Reader, Registration};
use crate::source::{Note, Source};
use crate::syntax::LazyGrammar;

pub(super) static REGISTRATIONS: [Registration; 3] = [
    Registration {
        language: Language::Yaml,
        names: &["yaml", "yml"],
        extensions: &["yaml", "yml"],
        file_names: &[".clang-format", ".clang-tidy"],
        interpreters: &[],
        reader: Reader::Keys(
            LazyGrammar::new(tree_sitter_yaml::LANGUAGE, include_str!("../queries/yaml.scm")),
            bounded_nesting,
        ),
    },
    Registration {
        language: Language::Json,
        names: &["json"],
        extensions: &["json", "json5", "jsonc", "jsonl"],
        file_names: &[],
        interpreters: &[],
        reader: Reader::Keys(
            LazyGrammar::new(tree_sitter_json::LANGUAGE, include_str!("../queries/json.scm")),
            |_| Ok(()),
        ),
    },
    Registration {
        language: Language::Toml,
        names: &["toml"],
        extensions: &["toml"],
        file_names: &["pipfile"],
        interpreters: &[],
        reader: Reader::Keys(
            LazyGrammar::new(tree_sitter_toml_ng::LANGUAGE, include_str!("../queries/toml.scm")),
            |_| Ok(()),
        ),
    },
];

// The scanner of YAML keeps four bytes for each open level in a buffer of 1,024 and aborts the process when it is full.
const DEEPEST_LEVELS: usize = 200;

/// Whether the levels of a YAML text are surely few: each needs a column, which a key and a list below it may share, or
/// a mark in its line.
fn bounded_nesting(source: &Source) -> Result<(), Note> {
    let levels = |line: &str| {
        let columns = line.len() - line.trim_start().len();
        let marks = ["- ", "? ", ": "].iter().map(|mark| line.matches(mark).count()).sum::<usize>();
        2 * columns + marks
    };
    let is_deep = source.text().lines().any(|line| levels(line) > DEEPEST_LEVELS);
    if is_deep { Err(Note::TooDeepToParse) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::testing::check;
    use super::*;

    #[test]
    fn finds_the_upper_keys_of_yaml_but_no_records() {
        check(
            Language::Yaml,
            "# Trains.\nmodel:\n  arch: blip\n  'vit type': base\n  deep:\n    a: 1\n    b: {c: 2}\n    d:\n      e: 1\n\
             datasets:\n  - name: coco\n  - name: flickr\n<<: *base\n---\nrun: &run\n  lr: 1e-5\n",
            &expect![[r"
                key model 2-9 `model:`
                key model.arch 3-3 `arch: blip`
                key model.vit type 4-4 `'vit type': base`
                key model.deep 5-9 `deep:`
                key model.deep.a 6-6 `a: 1`
                key model.deep.b 7-7 `b: {c: 2}`
                key model.deep.d 8-9 `d:`
                key datasets 10-12 `datasets:`
                key run 15-16 `run: &run`
                key run.lr 16-16 `lr: 1e-5`
                [window 1-16 ]
            "]],
        );
    }

    #[test]
    fn reads_what_would_overflow_the_scanner_as_windows() {
        let nested: String = (0..300).flat_map(|depth| [" ".repeat(depth), "k:\n".to_owned()]).collect();
        let stairs: String = (0..300)
            .flat_map(|step| [" ".repeat(step / 2 * 2), ["k:\n", "- k:\n"][step % 2].to_owned()])
            .collect();
        for text in
            ["- ".repeat(340) + "x\n", "? ".repeat(340) + "x\n", "a: ".repeat(340) + "x\n", nested, stairs]
        {
            let analysis = Language::Yaml.analyze(&Source::new(text));
            assert_eq!(analysis.notes, [Note::TooDeepToParse]);
            assert!(!analysis.chunks.is_empty());
        }
    }

    #[test]
    fn finds_the_upper_keys_of_json() {
        check(
            Language::Json,
            "{\n  // Sizes.\n  \"hidden_size\": 768,\n  \"layers\": [{\"a\": 1}],\n  \"nested\": {\"one\": {\"two\": {\"three\": 3}}},\n  \"\": 1\n}\n",
            &expect![[r#"
                key hidden_size 3-3 `"hidden_size": 768`
                key layers 4-4 `"layers": [{"a": 1}]`
                key nested 5-5 `"nested": {"one": {"two": {"three": 3}}}`
                key nested.one 5-5 `"one": {"two": {"three": 3}}`
                key nested.one.two 5-5 `"two": {"three": 3}`
                [window 1-7 ]
            "#]],
        );
    }

    #[test]
    fn finds_the_tables_of_toml() {
        check(
            Language::Toml,
            "title = 'x'\na.b = 1\n[tool.ruff]\nline-length = 88\n\"x y\" = 1\n[tool.ruff.lint]\nselect = [\n  'E',\n]\n[[bin]]\nname = 'a'\n",
            &expect![[r#"
                key title 1-1 `title = 'x'`
                key a.b 2-2 `a.b = 1`
                key tool.ruff 3-5 `[tool.ruff]`
                key tool.ruff.line-length 4-4 `line-length = 88`
                key tool.ruff.x y 5-5 `"x y" = 1`
                key tool.ruff.lint 6-9 `[tool.ruff.lint]`
                key tool.ruff.lint.select 7-9 `select = [`
                key bin 10-11 `[[bin]]`
                [window 1-11 ]
            "#]],
        );
    }

    #[test]
    fn keeps_fewer_levels_of_a_file_of_many_keys() {
        let count = |outer: usize, inner: usize| {
            let block = format!("outer:\n{}", "  inner: 1\n".repeat(inner));
            let text = block.repeat(outer);
            Language::Yaml.analyze(&Source::new(text)).symbols.len()
        };
        assert_eq!([count(10, 19), count(10, 20), count(300, 1)], [200, 10, 200]);
    }

    #[test]
    fn cuts_a_long_file_where_a_key_ends() {
        let block = |name: &str, lines: usize| format!("{name}:\n{}", "  - x\n".repeat(lines - 1));
        let text = [block("a", 30), block("b", 30), block("c", 30), block("d", 100), block("e", 5)].concat();
        let chunks = Language::Yaml.analyze(&Source::new(text)).chunks;
        let chunks: Vec<_> =
            chunks.iter().map(|chunk| (chunk.start_line, chunk.end_line, chunk.title.as_deref())).collect();
        assert_eq!(
            chunks,
            [(1, 60, None), (61, 90, None), (91, 170, Some("d")), (171, 190, Some("d")), (191, 195, None)]
        );
    }

    #[test]
    fn reads_on_after_an_error() {
        check(
            Language::Yaml,
            "a: 1\nb: [1\nc: }\nd: 2\n",
            &expect![[r"
            [window 1-4 ]
            (parse_errors)
        "]],
        );
        check(
            Language::Json,
            "{\"a\": 1,\n\"b\": }\n",
            &expect![[r#"
            key a 1-1 `"a": 1`
            key b 2-2 `"b":`
            [window 1-2 ]
            (parse_errors)
        "#]],
        );
    }
}
