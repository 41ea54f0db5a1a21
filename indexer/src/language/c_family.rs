//! C, C++ and CUDA. CUDA is C++ with a few more words, which the C++ grammar reads as identifiers; its own
//! grammar is 31 MB of C. Macros leave errors in one file of eight; what stands around them is still found.

use std::sync::LazyLock;

use super::{Language, Registration};
use crate::analysis::Analysis;
use crate::source::{Note, Source};
use crate::syntax::{Grammar, chunks, parse};

pub(super) const REGISTRATIONS: &[Registration] = &[
    Registration {
        language: Language::C,
        names: &["c"],
        extensions: &["c"],
        file_names: &[],
        interpreters: &[],
        analyze: analyze_c,
    },
    Registration {
        language: Language::Cpp,
        names: &["cpp", "c++", "cxx"],
        // A header does not say which of the two it is, and the C++ grammar reads both.
        extensions: &["cc", "cpp", "cxx", "h", "hh", "hpp", "hxx", "inl"],
        file_names: &[],
        interpreters: &[],
        analyze: analyze_cpp,
    },
    Registration {
        language: Language::Cuda,
        names: &["cuda", "cu"],
        extensions: &["cu", "cuh"],
        file_names: &[],
        interpreters: &[],
        analyze: analyze_cpp,
    },
];

static C: LazyLock<Option<Grammar>> =
    LazyLock::new(|| Grammar::new(tree_sitter_c::LANGUAGE.into(), include_str!("../queries/c.scm")));
static CPP: LazyLock<Option<Grammar>> =
    LazyLock::new(|| Grammar::new(tree_sitter_cpp::LANGUAGE.into(), include_str!("../queries/cpp.scm")));

// How much of the opening comment tells what the file is about, beyond its licence.
const ABOUT_LINES: usize = 8;

/// The grammar of one of the family.
pub(super) fn grammar(language: Language) -> Option<&'static Grammar> {
    if language == Language::C { C.as_ref() } else { CPP.as_ref() }
}

fn analyze_c(source: &Source) -> Analysis {
    analyze(source, C.as_ref())
}

fn analyze_cpp(source: &Source) -> Analysis {
    analyze(source, CPP.as_ref())
}

fn analyze(source: &Source, grammar: Option<&Grammar>) -> Analysis {
    let Some(grammar) = grammar else { return chunks::plain(source, Note::ParseErrors) };
    let mut analysis = match parse(grammar, source.text()) {
        Ok(parsed) => chunks::analyze(source, &parsed),
        Err(note) => chunks::plain(source, note),
    };
    let is_comment = |line: &&str| line.starts_with("/*") || line.starts_with(" *") || line.starts_with("//");
    analysis.about =
        source.text().lines().take_while(is_comment).take(ABOUT_LINES).collect::<Vec<_>>().join("\n");
    analysis
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let analysis = analyze_cpp(&Source::new(text.to_owned()));
        let found: Vec<_> = analysis
            .symbols
            .iter()
            .map(|symbol| {
                format!("{} {} {}-{}", symbol.kind, symbol.qualified(), symbol.start_line, symbol.end_line)
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn finds_definitions_in_namespaces_classes_and_templates() {
        check(
            "namespace dgl {\nclass Graph {\n  int size() { return 1; }\n};\ntemplate <typename T>\nT add(T a) {\n  \
             return a;\n}\nvoid Graph::Run() {}\n}  // namespace dgl\n",
            &[
                "namespace dgl 1-10",
                "class dgl.Graph 2-4",
                "method dgl.Graph.size 3-3",
                "function dgl.add 5-8",
                "method dgl.Graph.Run 9-9",
            ],
        );
    }

    #[test]
    fn reads_cuda_kernels_and_macros() {
        check(
            "#define BLOCK 256\n#define CHECK(x) do { x; } while (0)\n__global__ void Kernel(float* x) {\n  x[0] = 1;\n}\n",
            &["macro BLOCK 1-1", "macro CHECK 2-2", "function Kernel 3-5"],
        );
    }
}
