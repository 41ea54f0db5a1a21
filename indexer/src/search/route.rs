//! The shape of a query decides how it is read: what is blended blindly loses short names among words.

use crate::Language;

/// What a query looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// Text in quotes, to be found as it stands.
    Quoted(String),
    /// The path of a file, or its end.
    Path(String),
    /// One name that is no word of prose.
    Name(String),
    /// One word, which may be a name.
    Word(String),
    /// Words.
    Words,
}

/// The shape of `text`.
pub(crate) fn route(text: &str) -> Route {
    let text = text.trim();
    if let Some(inner) = quoted(text) {
        return Route::Quoted(inner.to_owned());
    }
    if text.contains(char::is_whitespace) || !text.contains(char::is_alphanumeric) {
        return Route::Words;
    }
    let has_ending =
        text.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && !ending.is_empty());
    if text.contains('/') || has_ending && Language::by_name(text).is_some() {
        Route::Path(text.to_owned())
    } else if text.bytes().all(|byte| byte.is_ascii_lowercase()) {
        Route::Word(text.to_owned())
    } else {
        Route::Name(text.to_owned())
    }
}

/// What stands between quotes of one kind around the whole text.
fn quoted(text: &str) -> Option<&str> {
    ['"', '\'', '`'].into_iter().find_map(|quote| {
        let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inner.trim().is_empty() && !inner.contains(quote)).then_some(inner)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_shape() {
        let of = str::to_owned;
        for (text, expected) in [
            ("\"CUDA out of memory\"", Route::Quoted(of("CUDA out of memory"))),
            ("`x = 1`", Route::Quoted(of("x = 1"))),
            ("'a' or 'b'", Route::Words),
            ("GATConv", Route::Name(of("GATConv"))),
            ("forward", Route::Word(of("forward"))),
            ("Net.forward", Route::Name(of("Net.forward"))),
            ("--batch-size", Route::Name(of("--batch-size"))),
            (" examples/gat/train.py ", Route::Path(of("examples/gat/train.py"))),
            ("train.py", Route::Path(of("train.py"))),
            ("train a GCN", Route::Words),
            ("\"\"", Route::Words),
            ("???", Route::Words),
        ] {
            assert_eq!(route(text), expected, "{text}");
        }
    }
}
