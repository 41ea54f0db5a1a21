//! Makes characters visible that would hide or reorder text on somebody's screen.
//! Repository text is hostile: terminal escapes, bidirectional overrides (CVE-2021-42574) and zero-width
//! characters can make a person or a model read something other than what is there.

use std::borrow::Cow;

/// The text with each control, bidirectional and zero-width character written as `\u{…}`.
///
/// Tabs and line feeds stay; a carriage return before a line feed is dropped.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        if character == '\r' && rest.peek().is_none_or(|next| *next == '\n') {
            continue;
        }
        if is_hidden(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// A name on one line: line feeds and tabs are escaped as well, since a file's name could forge a line otherwise.
pub(crate) fn visible_name(name: &str) -> Cow<'_, str> {
    if !name.chars().any(|character| is_hidden(character) || matches!(character, '\n' | '\t')) {
        return Cow::Borrowed(name);
    }
    let escape = |character: char| match character {
        '\n' | '\t' | '\r' => character.escape_default().to_string(),
        hidden if is_hidden(hidden) => hidden.escape_unicode().to_string(),
        plain => plain.to_string(),
    };
    Cow::Owned(name.chars().map(escape).collect())
}

fn is_hidden(character: char) -> bool {
    (character.is_control() && character != '\n' && character != '\t')
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{061c}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::{visible, visible_name};

    #[test]
    fn a_name_stays_on_its_line() {
        for (name, shown) in
            [("a b.py", "a b.py"), ("a\nNote: b", "a\\nNote: b"), ("a\t\u{1b}", "a\\t\\u{1b}")]
        {
            assert_eq!(visible_name(name), shown);
        }
    }

    #[test]
    fn shows_what_would_hide() {
        for (text, shown) in [
            ("plain\ttext\n", "plain\ttext\n"),
            ("a\r\nb\r", "a\nb"),
            ("50 %\r99 %", "50 %\\u{d}99 %"),
            ("\u{1b}]0;x\u{7}", "\\u{1b}]0;x\\u{7}"),
            ("if a\u{202e}dmin", "if a\\u{202e}dmin"),
            ("zero\u{200b}width", "zero\\u{200b}width"),
            ("日本 é 🙂", "日本 é 🙂"),
        ] {
            assert_eq!(visible(text), shown);
        }
    }
}
