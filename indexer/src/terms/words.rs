//! The words of a text: runs of letters, digits and underscores, with scripts that have no spaces apart.

/// A run of characters that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word<'a> {
    /// As written.
    pub(crate) text: &'a str,
    /// Its first byte in the source.
    pub(crate) start: usize,
    /// Whether it is a run of Chinese, Japanese or Korean characters.
    pub(crate) is_cjk: bool,
}

/// Iterates over the words of a text.
pub(crate) struct Words<'a> {
    text: &'a str,
    position: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Separator,
    Letter,
    Cjk,
}

impl<'a> Words<'a> {
    /// Starts at the beginning of `text`.
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, position: 0 }
    }

    /// What stands at the position, and its length in bytes.
    fn peek(&self) -> Option<(Kind, usize)> {
        let byte = *self.text.as_bytes().get(self.position)?;
        if byte.is_ascii() {
            let letter = byte.is_ascii_alphanumeric() || byte == b'_';
            return Some((if letter { Kind::Letter } else { Kind::Separator }, 1));
        }
        let character = self.text[self.position..].chars().next()?;
        Some((kind(character), character.len_utf8()))
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        let (first, length) = loop {
            match self.peek()? {
                (Kind::Separator, length) => self.position += length,
                found => break found,
            }
        };
        let start = self.position;
        self.position += length;
        while let Some((kind, length)) = self.peek()
            && kind == first
        {
            self.position += length;
        }
        Some(Word { text: &self.text[start..self.position], start, is_cjk: first == Kind::Cjk })
    }
}

fn kind(character: char) -> Kind {
    match u32::from(character) {
        // Kana, CJK ideographs with extension A, Hangul syllables, compatibility and supplementary ideographs.
        0x3040..=0x30FF
        | 0x3400..=0x4DBF
        | 0x4E00..=0x9FFF
        | 0xAC00..=0xD7AF
        | 0xF900..=0xFAFF
        | 0x2_0000..=0x3_FFFF => Kind::Cjk,
        _ if character.is_alphanumeric() => Kind::Letter,
        _ => Kind::Separator,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separates_scripts_and_punctuation() {
        let words: Vec<_> = Words::new("a_b-c 图像classifier,é😀z").map(|word| word.text).collect();
        assert_eq!(words, ["a_b", "c", "图像", "classifier", "é", "z"]);
    }
}
