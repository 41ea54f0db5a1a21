//! What is kept of an output stream: its head, its tail and its true length.
//! The stream itself is always read to its end, because a full pipe would stall the program.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// The kept part of an output stream.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total_bytes: u64,
    kept_each: usize,
}

impl Output {
    /// An empty stream of which at most `kept` bytes will be held, half from each end.
    pub fn keeping(kept: usize) -> Self {
        Self { kept_each: kept / 2, ..Self::default() }
    }

    /// Takes the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.total_bytes += bytes.len() as u64;
        let to_head = bytes.len().min(self.kept_each - self.head.len());
        self.head.extend_from_slice(&bytes[..to_head]);
        let rest = &bytes[to_head..];
        self.tail.extend(&rest[rest.len().saturating_sub(self.kept_each)..]);
        let surplus = self.tail.len().saturating_sub(self.kept_each);
        self.tail.drain(..surplus);
    }

    /// How many bytes the program wrote.
    pub fn total_bytes(&self) -> u64 {
        self.total_bytes
    }

    /// How many bytes between head and tail are gone.
    pub fn omitted_bytes(&self) -> u64 {
        self.total_bytes - (self.head.len() + self.tail.len()) as u64
    }

    /// Head and tail as text, with a line in between that says how much is gone.
    ///
    /// Bytes are decoded only here, once, so that no character is cut at a frame's edge.
    pub fn text(&self) -> String {
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        if self.omitted_bytes() == 0 {
            return String::from_utf8_lossy(&[self.head.as_slice(), &tail].concat()).into_owned();
        }
        format!(
            "{}\n[... {} bytes omitted ...]\n{}",
            String::from_utf8_lossy(&self.head),
            self.omitted_bytes(),
            String::from_utf8_lossy(&tail)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_a_short_stream_whole() {
        let mut output = Output::keeping(8);
        output.push("é".as_bytes().split_at(1).0);
        output.push("é".as_bytes().split_at(1).1);
        output.push(b"abcd");
        assert_eq!((output.text().as_str(), output.omitted_bytes()), ("éabcd", 0));
    }

    #[test]
    fn keeps_head_and_tail_of_a_long_one() {
        let mut output = Output::keeping(8);
        for chunk in [b"0123456789".as_slice(), b"abc", b"xyz"] {
            output.push(chunk);
        }
        assert_eq!(output.total_bytes(), 16);
        assert_eq!(output.text(), "0123\n[... 8 bytes omitted ...]\ncxyz");
    }
}
