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

/// At least as many tokens as the tokenizers of current models make of a page of this text.
///
/// Agrees with `cl100k` and `o200k` to about 1.4 times for code; short texts may cost a token or two more.
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

    /// The longest beginning of `text` that there is room for.
    pub(crate) fn beginning_of<'a>(&self, text: &'a str) -> &'a str {
        let mut scan = Scan::default();
        let mut bytes = 0;
        for (at, character) in text.char_indices() {
            scan.add(character);
            bytes += character.len_utf8() + usize::from(is_escaped(character));
            if scan.cost > self.cost || bytes > self.bytes {
                return &text[..at];
            }
        }
        text
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
}

impl Scan {
    fn add(&mut self, character: char) {
        let kind = kind(character);
        self.run = if kind == self.last { self.run + 1 } else { 1 };
        self.cost += match kind {
            Kind::Lower => self.lower(),
            Kind::Upper => self.upper(),
            // Both tokenizers cut numbers into groups of three.
            Kind::Digit => {
                if self.run % 3 == 1 {
                    TOKEN
                } else {
                    0
                }
            }
            Kind::Blank => self.blank(character),
            Kind::LineEnd => {
                if self.run == 1 {
                    TOKEN
                } else {
                    TOKEN / 6
                }
            }
            Kind::Mark => self.mark(character),
            Kind::Foreign => foreign(character),
            Kind::Nothing => 0,
        };
        self.last = kind;
        self.mark = character;
    }

    fn lower(&self) -> usize {
        match (self.run, self.last) {
            // `Word`: the capital was counted.
            (1, Kind::Upper) => TOKEN / 4,
            (1, _) => TOKEN,
            (2..=4, _) => TOKEN / 12,
            _ => TOKEN / 6,
        }
    }

    fn upper(&self) -> usize {
        if self.run == 1 { TOKEN } else { TOKEN / 3 }
    }

    fn blank(&self, character: char) -> usize {
        match (self.run, character) {
            // One blank goes with the word after it.
            (1, ' ') => TOKEN / 6,
            (2, ' ') => TOKEN,
            (_, ' ') => TOKEN / 40,
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
            TOKEN * 2 / 3
        }
    }
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
        3 => TOKEN * 2,
        _ => TOKEN * 3,
    }
}
