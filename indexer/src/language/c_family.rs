//! C, C++ and CUDA. CUDA is C++ with a few more words, which the C++ grammar reads as identifiers; its own
//! grammar is 31 MB of C. Macros leave errors in one file of eight; what stands around them is still found.

use super::{Language, Reader, Registration};
use crate::syntax::LazyGrammar;

pub(super) static REGISTRATIONS: [Registration; 3] = [
    Registration {
        language: Language::C,
        names: &["c"],
        extensions: &["c"],
        file_names: &[],
        interpreters: &[],
        reader: Reader::Code(LazyGrammar::new(tree_sitter_c::LANGUAGE, include_str!("../queries/c.scm"))),
    },
    Registration {
        language: Language::Cpp,
        names: &["cpp", "c++", "cxx"],
        // A header does not say which of the two it is, and the C++ grammar reads both.
        extensions: &["cc", "cpp", "cxx", "h", "hh", "hpp", "hxx", "inl"],
        file_names: &[],
        interpreters: &[],
        reader: Reader::Code(LazyGrammar::new(tree_sitter_cpp::LANGUAGE, include_str!("../queries/cpp.scm"))),
    },
    Registration {
        language: Language::Cuda,
        names: &["cuda", "cu"],
        extensions: &["cu", "cuh"],
        file_names: &[],
        interpreters: &[],
        reader: Reader::Code(LazyGrammar::new(tree_sitter_cpp::LANGUAGE, include_str!("../queries/cpp.scm"))),
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let analysis = Language::Cuda.analyze(&Source::new(text.to_owned()));
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
