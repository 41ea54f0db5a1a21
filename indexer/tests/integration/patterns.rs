//! Patterns for comparing exact search with ripgrep: hand-picked ones for every feature of expressions, and ones
//! made of what the searched files hold, always the same for the same files.

use std::path::{Path, PathBuf};

use indexer::{Case, Matching, Mode, Query};

/// A search and how ripgrep is asked for the same.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    pub(crate) mode: Mode,
    pub(crate) text: String,
    pub(crate) matching: Matching,
    /// Whether the pattern asks for matches that span lines, which ripgrep wants to be told.
    asks_for_lines: bool,
}

impl Pattern {
    fn new(mode: Mode, text: impl Into<String>, options: &str) -> Self {
        let case = match options {
            _ if options.contains('i') => Case::Insensitive,
            _ if options.contains('S') => Case::Smart,
            _ => Case::Sensitive,
        };
        let matching =
            Matching { case, whole_words: options.contains('w'), spans_lines: options.contains('U') };
        Self { mode, text: text.into(), matching, asks_for_lines: options.contains('m') }
    }

    /// An expression with ripgrep's defaults.
    pub(crate) fn regex(text: &str, options: &str) -> Self {
        Self::new(Mode::Regex, text, options)
    }

    /// A query for all matches.
    pub(crate) fn query(&self) -> Query {
        let (text, mode, matching) = (self.text.clone(), self.mode, self.matching);
        Query { text, mode, matching, limit: usize::MAX, ..Query::default() }
    }

    /// The options of `rg`.
    pub(crate) fn flags(&self) -> Vec<&'static str> {
        let mut flags = Vec::new();
        if self.mode == Mode::Literal {
            flags.push("--fixed-strings");
        }
        match self.matching.case {
            Case::Sensitive => flags.push("--case-sensitive"),
            Case::Insensitive => flags.push("--ignore-case"),
            Case::Smart => flags.push("--smart-case"),
        }
        if self.matching.whole_words {
            flags.push("--word-regexp");
        }
        if self.matching.spans_lines || self.asks_for_lines {
            flags.push("--multiline");
        }
        flags
    }
}

// Each with ripgrep's letters for its options: i, S, w and U; m asks for several lines by itself.
const LITERALS: &[(&str, &str)] = &[
    ("intermediate_size", ""),
    ("self.training", ""),
    ("nn.Linear(", ""),
    ("a.c([", ""),
    ("\\d+", ""),
    ("$HOME", ""),
    ("^", ""),
    ("**kwargs", ""),
    ("x", "w"),
    ("音乐", ""),
    ("图像", ""),
    ("é", ""),
    ("…", ""),
    ("café", "i"),
    ("ÉCOLE", "i"),
    ("Straße", "i"),
    ("привет", "i"),
    ("maſk", "i"),
    ("\u{212a}elvin", "i"),
    ("KERAS", "i"),
    ("kwargs", "i"),
    ("BatchNorm", "i"),
    ("batchnorm", "S"),
    ("BatchNorm", "S"),
    ("σ", "i"),
    ("loss", "w"),
    ("lr", "wi"),
    ("--lr", "w"),
    ("import torch\nimport torch.nn", "U"),
    ("\n\n\n\n", "U"),
    ("return x\n\n", "U"),
    ("absent in every file of them all", ""),
    ("qzx", ""),
    ("\t\t\t\t\t\t", ""),
    ("  \r", ""),
    ("\"", ""),
    ("😀", ""),
    ("\u{feff}", ""),
    ("ab", ""),
    ("http://", ""),
];

const EXPRESSIONS: &[(&str, &str)] = &[
    (r"class \w+Attention\(nn\.Module\)", ""),
    (r"^\s*import\s", ""),
    (r"\d{4,}$", ""),
    (r"^class\b", ""),
    (r"\bself\.\w+_size\b", ""),
    (r"\Bing\b", ""),
    (r"^$", ""),
    (r"^\s+$", ""),
    (r"^import (os|sys|re)$", ""),
    (r"(foo|bar|baz)_(test|train)", ""),
    (r"(?i)tensorflow", ""),
    (r"(?i:Tensor)Flow", ""),
    (r"tensor(?i)flow", ""),
    (r"(?i)(?-i:T)ensor", ""),
    (r"[A-Z]{3}_[A-Z]{4}", ""),
    (r"[^\x00-\x7f]{3}", ""),
    (r"[^a-z]if[^a-z]", ""),
    (r"\p{Han}+", ""),
    (r"\p{Greek}", ""),
    (r"\p{Lu}\p{Ll}+\p{Lu}\p{Ll}+Loss", ""),
    (r"\P{ASCII}", ""),
    (r"[[:digit:]]+e-[[:digit:]]+", ""),
    (r"[[:^alpha:]]{20}", ""),
    (r"\x61\x62\x63", ""),
    (r"\u{56fe}", ""),
    (r"lea?rn(ing|ed)?_rate", ""),
    (r"a{3}b*", ""),
    (r"(ab){2,3}", ""),
    (r"x{0}yz+", ""),
    (r"0x[0-9a-fA-F]{6,8}", ""),
    (r"epochs?\s*=\s*\d+", ""),
    (r"def\s+__(init|call|len)__", ""),
    (r"raise (Value|Type|Key)Error\(", ""),
    (r"(a|b|c|d)e(f|g|h)", ""),
    (r"(tra|val|tes)(in|id|t)_loader", ""),
    (r".{300}", ""),
    (r"lr.*momentum", ""),
    (r"lr.*?momentum", ""),
    (r"momentum.+lr", ""),
    (r"^.{0,3}$", ""),
    (r"\A#!", ""),
    (r"\.py\z", ""),
    (r"TODO|FIXME|XXX", ""),
    (r"todo|fixme", "i"),
    (r"\btodo\b", "i"),
    (r"mask|kernel|task|skip", "i"),
    (r"[ks]{3}", "i"),
    (r"ſ", "i"),
    (r"[ſK]", ""),
    (r"\u{212a}|\u{17f}", "i"),
    (r"ß", "i"),
    (r"straße|école|größe", "i"),
    (r"[Ѐ-ӿ]{4}", ""),
    (r"п[а-я]+т", "i"),
    (r"cuda", "S"),
    (r"CUDA", "S"),
    (r"\Scuda", "S"),
    (r"cuda|gpu", "w"),
    (r"\w+ion", "w"),
    (r"-\w", "w"),
    (r"\(.*\)", "w"),
    (r"foo|", ""),
    (r"(|abc)def", ""),
    (r"()", "w"),
    (r"(?x) class \s+ \w+ Model", ""),
    (r"(?P<name>conv)2d", ""),
    (r"(?:conv)(?:1|2|3)d", ""),
    (r"(?U)a.*b.*c{2}", ""),
    (r"(?m)^from \. import", ""),
    (r"(?-m)^from", ""),
    (r"(?-u)\bmodel\b", ""),
    (r"(?-u:\xe5\x9b)", ""),
    (r"(?-u:\xc5)", ""),
    (r"(?-u:[\x80-\xff]){4}", ""),
    (r"end\r$", ""),
    (r"\r$", ""),
    (r",\s*\r?$", ""),
    (r"\t#", ""),
    (r"[\[\]]{3}", ""),
    (r"[a-z&&[^aeiou]]{9}", ""),
    (r"[\w--\d]{25}", ""),
    (r"\d+\.\d+\.\d+\.\d+", ""),
    (r"[\w.]+@[\w.]+\.\w{2,3}", ""),
    (r"https?://[^\s)]+\.pdf", ""),
    (r"arXiv:\d{4}\.\d{5}", "i"),
    (r"\\(begin|end)\{", ""),
    (r"<(\w+)>.*</\w+>", ""),
    (r"@(property|staticmethod|classmethod)$", ""),
    (r"\{\{.*\}\}", ""),
    (r"\$\{?\w+\}?", ""),
    (r"([0-9]+,){5}", ""),
    (r"lambda [a-z]: [a-z]\[\d\]", ""),
    (r"assert .* == .*shape", ""),
    (r"np\.(float|int)\b", ""),
    (r"torch\.(cuda|backends)\.\w+\(\)", ""),
    (r"if __name__ == .__main__.:", ""),
    (r"\bin\b.*\bnot\b.*\bor\b", ""),
    (r"import torch\nimport torch\.nn", "m"),
    (r"import torch\n+import torch\.nn", "U"),
    (r"def forward\(self, x\):\n\s+return", "U"),
    (r"(?s)class \w+\(nn\.Module\):.{0,80}def __init__", "U"),
    (r"(?s)def main.{0,40}pass", "m"),
    (r"(?s:torch.import)", "m"),
    (r"nn\.Linear\([^)]*\)[,)]\n\s+nn\.ReLU", "m"),
    (r"\)\s*\{\s*\n\s*\n", "U"),
    (r"^\n\n\n^import", "U"),
    (r"[^\n]+Error[^\n]+\n[^\n]+raise", "U"),
    (r"else:\n\s+pass$", "Ui"),
    (r"return\n", "Uw"),
    (r"\s{60}", "U"),
    (r"end\s*\z", "U"),
];

/// The hand-picked patterns.
pub(crate) fn hand_picked() -> Vec<Pattern> {
    let literals = LITERALS.iter().map(|(text, options)| Pattern::new(Mode::Literal, *text, options));
    let regexes = EXPRESSIONS.iter().map(|(text, options)| Pattern::new(Mode::Regex, *text, options));
    literals.chain(regexes).collect()
}

/// Patterns made of what these files hold, eight of each of `rounds` lines.
pub(crate) fn generated(files: &[PathBuf], rounds: usize) -> Vec<Pattern> {
    let mut dice = Dice(0x5eed);
    let mut patterns = Vec::new();
    // Most files may be empty, but not all of them.
    for _ in 0..rounds * 50 {
        if patterns.len() >= rounds * 8 {
            break;
        }
        if let Some((line, next)) = dice.lines(files) {
            of_line(&mut dice, &line, &next, &mut patterns);
        }
    }
    patterns
}

fn of_line(dice: &mut Dice, line: &str, next: &str, patterns: &mut Vec<Pattern>) {
    let words: Vec<&str> = line.split(|one: char| !(one.is_alphanumeric() || one == '_')).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| word.len() > 3).collect();
    let Some(word) = words.get(dice.below(words.len().max(1))) else { return };
    let part = dice.part_of(line);
    let other_case: String = word.chars().map(swap_case).collect();
    let last = words.last().unwrap_or(word);
    patterns.extend([
        Pattern::new(Mode::Literal, *word, ""),
        Pattern::new(Mode::Literal, part.clone(), ""),
        Pattern::new(Mode::Literal, line.trim(), ""),
        Pattern::new(Mode::Literal, other_case, "i"),
        Pattern::new(Mode::Literal, format!("{line}\n{next}"), "U"),
        Pattern::new(Mode::Regex, format!(r"\b{word}\b.*{}", escape(last)), ""),
        Pattern::new(Mode::Regex, blurred(dice, &part), ""),
        Pattern::new(Mode::Regex, format!("({}|{})", escape(&part), escape(last)), "i"),
    ]);
}

fn swap_case(letter: char) -> char {
    if letter.is_ascii_uppercase() { letter.to_ascii_lowercase() } else { letter.to_ascii_uppercase() }
}

fn escape(text: &str) -> String {
    regex_syntax::escape(text)
}

/// An expression that matches `text` and others.
fn blurred(dice: &mut Dice, text: &str) -> String {
    let mut expression = String::new();
    for letter in text.chars() {
        match letter {
            _ if dice.below(7) == 0 => expression.push('.'),
            '0'..='9' => expression.push_str(r"\d"),
            ' ' => expression.push_str(r"\s+"),
            'a'..='z' if dice.below(4) == 0 => expression.push_str(&format!("[{letter}-z]")),
            _ if dice.below(9) == 0 => {
                expression.push_str(&format!("(?:{}|#)?", escape(&letter.to_string())));
            }
            _ => expression.push_str(&escape(&letter.to_string())),
        }
    }
    expression
}

/// Chance that is the same every time (splitmix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % limit as u64).unwrap()
    }

    /// Two lines of some file that stand together.
    fn lines(&mut self, files: &[PathBuf]) -> Option<(String, String)> {
        let text = String::from_utf8(fs_err::read(&files[self.below(files.len())]).unwrap()).ok()?;
        let lines: Vec<&str> = text.split('\n').filter(|_| !text.contains('\0')).collect();
        let at = self.below(lines.len().max(2) - 1);
        let (first, second) = (lines.get(at)?, lines.get(at + 1)?);
        let usable = (6..300).contains(&first.len()) && second.len() < 300;
        usable.then(|| ((*first).to_owned(), (*second).to_owned()))
    }

    /// A piece of a line that may start and end anywhere.
    fn part_of(&mut self, line: &str) -> String {
        let letters: Vec<char> = line.trim().chars().collect();
        let start = self.below(letters.len());
        let length = 4 + self.below(20);
        letters[start.min(letters.len().saturating_sub(4))..].iter().take(length).collect()
    }
}

/// All files in a folder that are neither links nor git's own, in order.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> = fs_err::read_dir(folder).unwrap().map(|entry| entry.unwrap()).collect();
    entries.sort_by_key(fs_err::DirEntry::file_name);
    let mut found = Vec::new();
    for entry in entries {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() && entry.file_name() != ".git" {
            found.extend(files(&entry.path()));
        } else if kind.is_file() {
            found.push(entry.path());
        }
    }
    found
}
