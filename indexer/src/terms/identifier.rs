//! The parts of an identifier, cut at underscores, at changes of case and between letters and digits.

/// Iterates over the parts of a word.
pub(crate) fn parts(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches('_');
        if rest.is_empty() {
            return None;
        }
        let (part, after) = rest.split_at(part_length(rest));
        rest = after;
        Some(part)
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Underscore,
}

fn class(character: char) -> Class {
    match character {
        '_' => Class::Underscore,
        'A'..='Z' => Class::Upper,
        'a'..='z' => Class::Lower,
        '0'..='9' => Class::Digit,
        other if other.is_uppercase() => Class::Upper,
        _ => Class::Lower,
    }
}

/// How many bytes of `text`, which does not start with an underscore, form its first part.
fn part_length(text: &str) -> usize {
    let mut before_last = Class::Underscore;
    let mut last = Class::Underscore;
    let mut last_start = 0;
    for (start, character) in text.char_indices() {
        let this = class(character);
        match (last, this) {
            _ if start == 0 => {}
            // In `HTTPServer` the `S` belongs to what follows.
            (Class::Upper, Class::Lower) if before_last == Class::Upper => return last_start,
            (Class::Upper, Class::Lower) => {}
            (from, to) if from != to => return start,
            _ => {}
        }
        (before_last, last, last_start) = (last, this, start);
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_where_a_reader_would() {
        for (word, expected) in [
            ("num_layers", &["num", "layers"][..]),
            ("numLayers", &["num", "Layers"]),
            ("HTTPServer", &["HTTP", "Server"]),
            ("parseHTTP", &["parse", "HTTP"]),
            ("ResNet50", &["Res", "Net", "50"]),
            ("Conv2d", &["Conv", "2", "d"]),
            ("ETTh1", &["ET", "Th", "1"]),
            ("__init__", &["init"]),
            ("straße", &["straße"]),
            ("ÄpfelBaum", &["Äpfel", "Baum"]),
            ("___", &[]),
        ] {
            assert_eq!(parts(word).collect::<Vec<_>>(), expected, "{word}");
        }
    }
}
