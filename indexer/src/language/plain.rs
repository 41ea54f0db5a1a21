//! Languages that are read as windows of lines, since their structure adds little to a search.

use super::{Language, Reader, Registration};
use crate::analysis::Analysis;
use crate::source::{Source, cut};
use crate::syntax::chunks::windows;

// What a file says about itself stands at its top.
const ABOUT_BYTES: usize = 400;

macro_rules! plain {
    ($language:ident, $names:expr, $extensions:expr, $file_names:expr) => {
        Registration {
            language: Language::$language,
            names: &$names,
            extensions: &$extensions,
            file_names: &$file_names,
            interpreters: &[],
            reader: Reader::Own(analyze, None),
        }
    };
}

pub(super) static REGISTRATIONS: [Registration; 9] = [
    plain!(Ini, ["ini", "cfg"], ["ini", "cfg"], []),
    plain!(Html, ["html"], ["html", "htm"], []),
    plain!(Xml, ["xml"], ["xml", "svg"], []),
    plain!(Css, ["css"], ["css", "scss"], []),
    plain!(Cmake, ["cmake"], ["cmake"], ["cmakelists.txt"]),
    plain!(Make, ["make", "makefile"], ["mk"], ["makefile", "gnumakefile"]),
    plain!(Dockerfile, ["dockerfile", "docker"], ["dockerfile"], ["dockerfile"]),
    plain!(Tex, ["tex", "latex"], ["tex", "bib"], []),
    plain!(Text, ["text", "txt", "plain"], ["txt"], []),
];

fn analyze(source: &Source) -> Analysis {
    let about = cut(source.text(), ABOUT_BYTES).to_owned();
    Analysis { chunks: windows(source), about, ..Analysis::default() }
}
