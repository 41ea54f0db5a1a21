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

// Words that begin a definition.
const DECLARING_WORDS: [&str; 6] = ["class", "def", "async def", "struct", "function", "func"];

/// The shape of `text`.
pub(crate) fn route(text: &str) -> Route {
    let text = text.trim();
    if let Some(inner) = quoted(text) {
        let is_code = text.starts_with('`') && !inner.contains(char::is_whitespace);
        return if is_code { route(inner) } else { Route::Quoted(inner.to_owned()) };
    }
    if let Some(name) = declared(text) {
        return Route::Name(name.to_owned());
    }
    let text = without_lines(text);
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

/// The name in a line that begins a definition, as `class Net(nn.Module):` does.
fn declared(text: &str) -> Option<&str> {
    let rest = DECLARING_WORDS.iter().find_map(|word| text.strip_prefix(word)?.strip_prefix(' '))?;
    let name = rest.trim_start().split(['(', ':', '<']).next()?;
    let is_name = !name.is_empty() && name.chars().all(|one| one.is_alphanumeric() || one == '_');
    is_name.then_some(name)
}

/// A path without the lines that compilers and other tools write behind it: `a.py:12`, `a.py:12-20`, `a.py#L12`.
fn without_lines(text: &str) -> &str {
    let is_lines = |lines: &str| {
        lines.starts_with(|first: char| first.is_ascii_digit())
            && lines.chars().all(|one| one.is_ascii_digit() || ":-L".contains(one))
    };
    match text.split_once("#L").or_else(|| text.split_once(':')) {
        Some((path, lines)) if is_lines(lines) => path,
        _ => text,
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
            ("`GATConv`", Route::Name(of("GATConv"))),
            ("class GATConv(nn.Module):", Route::Name(of("GATConv"))),
            ("class Bert", Route::Name(of("Bert"))),
            ("def forward", Route::Name(of("forward"))),
            ("class of models", Route::Words),
            ("train.py:12", Route::Path(of("train.py"))),
            ("a/train.py:12-20", Route::Path(of("a/train.py"))),
            ("a/train.py#L12-L20", Route::Path(of("a/train.py"))),
            ("Graph::Run", Route::Name(of("Graph::Run"))),
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
