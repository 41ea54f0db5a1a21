//! How literals and regular expressions are compared with the text of files.

/// What counts as a match beside the pattern itself; ripgrep's options, and its defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Matching {
    /// Whether case tells letters apart.
    pub case: Case,
    /// Whether a match must be surrounded by what is no part of a word.
    pub whole_words: bool,
    /// Whether a match may span lines; one whose pattern holds a line end or `(?s)` may without it.
    pub spans_lines: bool,
}

/// Whether case tells letters apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Case {
    /// `a` is not `A`.
    #[default]
    Sensitive,
    /// `a` is `A`, as are letters of other scripts.
    Insensitive,
    /// Insensitive unless the pattern holds a capital letter.
    Smart,
}
