//! How many tokens a text costs a model, without its vocabulary: a scan that follows how tokenizers split text
//! and counts each piece at its dear end. A flat rate of bytes is wrong threefold for numbers, hashes and Chinese.

/// Tokens that no answer exceeds; clients cut at 25,000 (Claude Code), and JSON escapes cost some more.
pub(crate) const MOST_TOKENS: u32 = 20_000;
/// Tokens of an answer unless the caller asks for another size.
pub(crate) const DEFAULT_TOKENS: u32 = 8_000;

// Blanks are cheap in tokens but not on the wire, so an answer is bounded in bytes as well.
const BYTES_PER_TOKEN: usize = 5;
// What one answer may hold as JSON; the server refuses answers of 75,000 bytes.
const MOST_BYTES: usize = 60_000;

// Costs are sums of parts of a token.
const TOKEN: usize = 12;
// `MaskRCNNBox2d` still is a name.
const ORDERLY_CHANGES: usize = 6;

/// At least as many tokens as the tokenizers of current models make of a page of this text.
///
/// Lists of rare words, such as the Latin names of fish, may exceed it by a tenth, which the limits allow for.
/// Agrees with `cl100k` and `o200k` to about 1.5 times for code; short texts may cost a token or two more.
pub fn estimate_tokens(text: &str) -> usize {
    cost(text).div_ceil(TOKEN)
}

/// The longest beginning of `text` that is estimated at no more than so many tokens.
pub(crate) fn beginning(text: &str, tokens: usize) -> &str {
    let mut scan = Scan::default();
    for (at, character) in text.char_indices() {
        scan.add(character);
        if scan.cost > tokens * TOKEN {
            return &text[..at];
        }
    }
    text
}

/// What is left of the size of an answer, in tokens and in bytes of JSON.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    cost: usize,
    bytes: usize,
}

impl Budget {
    /// Room for so many tokens.
    pub(crate) fn of(tokens: u32) -> Self {
        let tokens = tokens.min(MOST_TOKENS) as usize;
        Self { cost: tokens * TOKEN, bytes: (tokens * BYTES_PER_TOKEN).min(MOST_BYTES) }
    }

    /// Takes the room that `text` needs, or takes nothing when there is too little.
    pub(crate) fn take(&mut self, text: &str) -> bool {
        let (cost, bytes) = (cost(text), json_bytes(text));
        if cost > self.cost || bytes > self.bytes {
            return false;
        }
        self.cost -= cost;
        self.bytes -= bytes;
        true
    }
}

fn json_bytes(text: &str) -> usize {
    text.len() + text.bytes().filter(|byte| is_escaped(char::from(*byte))).count()
}

fn is_escaped(character: char) -> bool {
    matches!(character, '"' | '\\' | '\n' | '\t')
}

fn cost(text: &str) -> usize {
    let mut scan = Scan::default();
    text.chars().for_each(|character| scan.add(character));
    scan.cost
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Nothing,
    Lower,
    Upper,
    Digit,
    Blank,
    LineEnd,
    Mark,
    Foreign,
}

/// Where a scan stands: the kind of the last characters and how many there were of it.
#[derive(Default)]
struct Scan {
    cost: usize,
    last: Kind,
    run: usize,
    mark: char,
    /// How often the kind changed within the word: hashes and base64 change all the time, names seldom.
    changes: usize,
}

impl Scan {
    fn add(&mut self, character: char) {
        let kind = kind(character);
        self.run = if kind == self.last { self.run + 1 } else { 1 };
        self.changes = match kind {
            Kind::Lower | Kind::Upper | Kind::Digit if in_word(self.last) => {
                self.changes + usize::from(kind != self.last)
            }
            _ => 0,
        };
        self.cost += match kind {
            Kind::Lower => self.lower(),
            Kind::Upper => self.upper(),
            // Both tokenizers cut numbers into groups of three.
            Kind::Digit => self.digit(),
            Kind::Blank => self.blank(character),
            Kind::LineEnd if self.run == 1 => TOKEN,
            Kind::LineEnd => TOKEN / 6,
            Kind::Mark => self.mark(character),
            Kind::Foreign => foreign(character),
            Kind::Nothing => 0,
        };
        self.last = kind;
        self.mark = character;
    }

    fn lower(&self) -> usize {
        let usual = match (self.run, self.last) {
            // `Word`: the capital was counted.
            (1, Kind::Upper) => TOKEN / 4,
            (1, _) => TOKEN,
            (2..=4, _) => TOKEN / 12,
            _ => TOKEN / 6,
        };
        usual + self.disorder()
    }

    fn upper(&self) -> usize {
        let usual = match self.run {
            1 => TOKEN,
            2..=4 => TOKEN / 3,
            _ => TOKEN * 7 / 12,
        };
        usual + self.disorder()
    }

    fn digit(&self) -> usize {
        let group = if self.run % 3 == 1 { TOKEN } else { 0 };
        // A blank goes with a word, never with a number.
        group + if self.last == Kind::Blank { TOKEN } else { 0 }
    }

    fn disorder(&self) -> usize {
        if self.changes > ORDERLY_CHANGES { TOKEN / 3 } else { 0 }
    }

    fn blank(&self, character: char) -> usize {
        match (self.run, character) {
            // One blank goes with the word after it.
            (1, ' ') => TOKEN / 6,
            (2, ' ') => TOKEN,
            // Longer runs are few tokens, but not one.
            (run, ' ') if run % 32 == 0 => TOKEN,
            (_, ' ') => 0,
            (1, _) => TOKEN,
            _ => TOKEN / 4,
        }
    }

    fn mark(&self, character: char) -> usize {
        if self.run == 1 {
            TOKEN
        } else if character == self.mark {
            // Rules of one character are few tokens.
            TOKEN / 4
        } else {
            TOKEN / 2
        }
    }
}

fn in_word(kind: Kind) -> bool {
    matches!(kind, Kind::Lower | Kind::Upper | Kind::Digit)
}

fn kind(character: char) -> Kind {
    match character {
        'a'..='z' => Kind::Lower,
        'A'..='Z' => Kind::Upper,
        '0'..='9' => Kind::Digit,
        ' ' | '\t' => Kind::Blank,
        '\n' | '\r' => Kind::LineEnd,
        _ if character.is_ascii() => Kind::Mark,
        _ => Kind::Foreign,
    }
}

// Letters of other scripts are in the vocabularies in part; rare signs and emoji are spelled in bytes.
fn foreign(character: char) -> usize {
    match character.len_utf8() {
        2 => TOKEN,
        3 => TOKEN * 9 / 4,
        _ => TOKEN * 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn real(text: &str) -> usize {
        bpe_openai::cl100k_base().count(text).max(bpe_openai::o200k_base().count(text))
    }

    /// Texts that a flat rate of bytes gets wrong, each repeated to a page.
    fn samples() -> Vec<(&'static str, String)> {
        let csv = (0..400).map(|row| {
            format!("{row},0.{:06},{:.3},-{}\n", row * 7919 % 999_983, f64::from(row) / 7.0, row * 31)
        });
        let base64 = (0..200u32).map(|row| {
            let mut state = row.wrapping_mul(2_654_435_761);
            let alphabet: Vec<char> =
                ('A'..='Z').chain('a'..='z').chain('0'..='9').chain(['+', '/']).collect();
            (0..76)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    alphabet[(state >> 26) as usize]
                })
                .chain(['\n'])
                .collect::<String>()
        });
        let hex = (0..300u64).map(|row| {
            format!(
                "{:016x}{:016x}\n",
                row.wrapping_mul(0x9e37_79b9_7f4a_7c15),
                row.wrapping_mul(0xbf58_476d_1ce4_e5b9)
            )
        });
        vec![
            ("code", include_str!("search.rs").to_owned()),
            ("numbers", csv.collect()),
            ("base64", base64.collect()),
            ("hex", hex.collect()),
            ("chinese", "图神经网络在大规模图上训练节点分类模型，需要采样邻居。".repeat(50)),
            ("japanese", "このリポジトリは学習済みモデルを読み込みます。".repeat(50)),
            ("cyrillic", "Обучение нейронной сети на графах. ".repeat(50)),
            ("emoji", "🙂🚀🔥 👩‍👩‍👧 done ✅\n".repeat(60)),
            // Some tokenizers stop at such a file (yamadashy/repomix#868).
            ("special tokens", "print(\"<|endoftext|>\") <|im_start|>system<|endofprompt|>\n".repeat(60)),
            (
                "protein",
                "MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQVKVKALPDAQFEVV\n".repeat(40),
            ),
            ("blanks", format!("{}\n", " ".repeat(300)).repeat(20)),
        ]
    }

    #[test]
    fn never_falls_below_the_tokenizers_of_models() {
        for (name, text) in samples() {
            let (estimate, real) = (estimate_tokens(&text), real(&text));
            assert!(estimate * 20 >= real * 19, "{name}: {estimate} for {real}");
        }
    }

    #[test]
    fn costs_ordinary_code_little_more_than_it_is() {
        for text in [include_str!("search.rs"), include_str!("tokens.rs"), include_str!("../../README.md")] {
            let (estimate, real) = (estimate_tokens(text), real(text));
            assert!(estimate * 10 <= real * 16, "{estimate} for {real}");
        }
    }

    #[test]
    fn a_budget_is_spent_in_tokens_and_in_bytes() {
        let mut budget = Budget::of(100);
        assert!(budget.take("a few words"));
        assert!(!budget.take(&"1 ".repeat(60)), "numbers are dear");
        assert!(budget.take("and more"), "what did not fit took nothing");
        assert!(!Budget::of(100).take(&" ".repeat(600)), "blanks are long");
        assert_eq!(beginning(&"é".repeat(300), 100).chars().count(), 100);
    }

    #[test]
    fn every_page_of_the_corpus_stays_within_its_estimate() {
        let Some(corpus) = crate::provided::provided("REPOLAB_CORPUS") else { return };
        let (mut pages, mut below) = (0, Vec::new());
        for path in crate::provided::files(corpus.as_ref()) {
            let Ok(bytes) = fs_err::read(&path) else { continue };
            if bytes.contains(&0) || bytes.len() > 1 << 20 {
                continue;
            }
            let text = String::from_utf8_lossy(&bytes);
            let mut rest = text.as_ref();
            while !rest.is_empty() {
                let page = beginning(rest, DEFAULT_TOKENS as usize);
                rest = &rest[page.len()..];
                pages += 1;
                let (estimate, real) = (estimate_tokens(page), real(page));
                if page.len() > 2_000 && estimate * 10 < real * 9 {
                    below.push(format!("{} {estimate} for {real}", path.display()));
                }
            }
        }
        assert!(pages > 1_000, "only {pages} pages");
        assert!(below.is_empty(), "{} of {pages} pages: {below:#?}", below.len());
    }
}
