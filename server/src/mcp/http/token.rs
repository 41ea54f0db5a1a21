//! The secret that a request must carry. Only its hash is kept, and hashes are compared in constant time, so neither
//! a log nor the time of an answer says anything about it.

use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::error::HttpError;

// 16 characters of hexadecimal are 64 bits, out of reach of guessing over a network.
const LEAST_CHARACTERS: usize = 16;
const ANYBODY_ELSE: u32 = 0o077;

/// A secret that is compared and never shown.
#[derive(Clone)]
pub struct Token {
    hash: blake3::Hash,
}

impl Token {
    /// A token of at least 16 visible ASCII characters; white space around it is not part of it.
    pub fn new(text: &str) -> Result<Self, HttpError> {
        let text = text.trim();
        if text.len() < LEAST_CHARACTERS || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(HttpError::WeakToken { least: LEAST_CHARACTERS });
        }
        Ok(Self { hash: blake3::hash(text.as_bytes()) })
    }

    /// The token in a file that nobody else may read.
    pub fn read(path: &Path) -> Result<Self, HttpError> {
        let attempt = || {
            let mode = fs_err::metadata(path)?.permissions().mode();
            Ok((mode, fs_err::read_to_string(path)?))
        };
        let (mode, text) = attempt().map_err(|source| HttpError::TokenFile { source })?;
        if mode & ANYBODY_ELSE != 0 {
            return Err(HttpError::SharedTokenFile { path: path.to_owned() });
        }
        Self::new(&text)
    }

    /// Whether the text is this token; takes the same time whether it is or not.
    pub(super) fn is(&self, text: &[u8]) -> bool {
        // `blake3::Hash` compares in constant time, and all hashes have one length.
        self.hash == blake3::hash(text)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_itself_and_nothing_else() {
        let token = Token::new(" 0123456789abcdef\n").unwrap();
        assert!(token.is(b"0123456789abcdef"));
        for other in ["", "0123456789abcde", "0123456789abcdef0", "0123456789abcdeF", " 0123456789abcdef"] {
            assert!(!token.is(other.as_bytes()), "{other:?}");
        }
        assert!(!format!("{token:?}").contains("0123"));
    }

    #[test]
    fn what_can_be_guessed_or_not_be_sent_is_refused() {
        for weak in ["", "secret", "0123456789 abcdef", "0123456789abcdé0"] {
            assert!(matches!(Token::new(weak), Err(HttpError::WeakToken { .. })), "{weak:?}");
        }
    }

    #[test]
    fn a_file_that_others_can_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        fs_err::write(&path, "0123456789abcdef\n").unwrap();
        for (mode, accepted) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false)] {
            fs_err::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(Token::read(&path).is_ok(), accepted, "{mode:o}");
        }
    }
}
