//! The addresses of files as MCP resources: `repo://{repo}/{+path}`, optionally with `#L10-L20` for some lines.
//! They are taken apart by hand, since a URL parser would resolve `..` silently and hide what was asked.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use tools::LineRange;

/// What comes before the repository's name.
const SCHEME: &str = "repo://";

/// The template that clients fill in (RFC 6570; `+` keeps the slashes of a path).
pub(super) const TEMPLATE: &str = "repo://{repo}/{+path}";

// What RFC 3986 allows in a path stays readable; everything else is encoded.
const ENCODED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}')
    .add(b'\\');

/// A file, some lines of it, or a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ResourceAddress {
    /// The repository as the client named it.
    pub(super) repo: String,
    /// The path, empty for the repository itself.
    pub(super) path: String,
    /// Only these lines.
    pub(super) lines: Option<LineRange>,
}

impl ResourceAddress {
    /// The address of a whole file.
    pub(super) fn of(repo: &str, path: &str) -> Self {
        Self { repo: repo.to_owned(), path: path.to_owned(), lines: None }
    }

    /// The address as a URI.
    pub(super) fn to_uri(&self) -> String {
        let lines = self.lines.map_or_else(String::new, |lines| format!("#L{}-L{}", lines.first, lines.last));
        format!("{SCHEME}{}/{}{lines}", self.repo, utf8_percent_encode(&self.path, ENCODED))
    }

    /// Takes a URI apart; the error says how one must look.
    pub(super) fn parse(uri: &str) -> Result<Self, String> {
        let wrong =
            |what: &str| format!("`{uri}` {what}; addresses look like {SCHEME}bert/run_squad.py#L1-L40");
        let rest = uri.strip_prefix(SCHEME).ok_or_else(|| wrong("is no address of a repository"))?;
        let (place, lines) = match rest.split_once('#') {
            Some((place, fragment)) => (
                place,
                Some(parse_lines(fragment).ok_or_else(|| wrong("has lines that are not understood"))?),
            ),
            None => (rest, None),
        };
        let (repo, path) = place.split_once('/').unwrap_or((place, ""));
        if repo.is_empty() {
            return Err(wrong("names no repository"));
        }
        let path = percent_decode_str(path).decode_utf8().map_err(|_| wrong("is not UTF-8 when decoded"))?;
        Ok(Self { repo: repo.to_owned(), path: path.into_owned(), lines })
    }
}

/// `L10-L20`, `L10-20` or `L10`.
fn parse_lines(fragment: &str) -> Option<LineRange> {
    let (first, last) = fragment.split_once('-').unwrap_or((fragment, fragment));
    let first: u32 = first.strip_prefix('L')?.parse().ok()?;
    let last: u32 = last.strip_prefix('L').unwrap_or(last).parse().ok()?;
    (first >= 1 && last >= first).then_some(LineRange { first, last })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_survives_the_way_to_a_uri_and_back() {
        for path in ["a.py", "docs/é è.md", "x/y#z?.txt", "100%.txt", "", "a b/[c].py"] {
            let address = ResourceAddress::of("bert", path);
            assert_eq!(ResourceAddress::parse(&address.to_uri()), Ok(address), "{path}");
        }
        let lines = Some(LineRange { first: 3, last: 9 });
        let address = ResourceAddress { lines, ..ResourceAddress::of("bert", "a.py") };
        assert_eq!(address.to_uri(), "repo://bert/a.py#L3-L9");
        assert_eq!(ResourceAddress::parse(&address.to_uri()), Ok(address));
    }

    #[test]
    fn parts_of_a_path_that_lead_out_stay_visible() {
        for uri in ["repo://bert/../x", "repo://bert/%2e%2e/x", "repo://bert/..%2fx"] {
            assert_eq!(ResourceAddress::parse(uri).unwrap().path, "../x", "{uri}");
        }
    }

    #[test]
    fn refuses_what_is_no_address() {
        for uri in [
            "file:///etc/passwd",
            "repo:///x",
            "repo://",
            "repo://bert/a#L0",
            "repo://bert/a#L9-L3",
            "repo://bert/%ff",
        ] {
            assert!(ResourceAddress::parse(uri).is_err(), "{uri}");
        }
    }
}
