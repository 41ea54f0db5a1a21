//! Long answers in parts: cursors that continue a list, and the ranges that parameters are checked against.

use crate::{Error, Result};

/// A place in a list, as opaque text.
///
/// The query is part of it, so that a cursor of one list does not silently continue another.
pub(crate) fn cursor(offset: usize, query: &str) -> String {
    format!("{offset:x}-{:08x}", fingerprint(query))
}

/// The offset that a cursor stands for.
pub(crate) fn offset(cursor: Option<&str>, query: &str) -> Result<usize> {
    let Some(text) = cursor else { return Ok(0) };
    text.split_once('-')
        .filter(|(_, mark)| *mark == format!("{:08x}", fingerprint(query)))
        .and_then(|(offset, _)| usize::from_str_radix(offset, 16).ok())
        .ok_or_else(|| Error::InvalidParameter {
            parameter: "cursor",
            value: format!("`{text}`"),
            rule: "pass `next_cursor` of an answer to the same query, or leave it out to start anew"
                .to_owned(),
        })
}

/// Checks a number against the range that the schema advertises; schemas are not enforced by clients.
pub(crate) fn in_range(
    parameter: &'static str,
    value: u32,
    range: std::ops::RangeInclusive<u32>,
) -> Result<u32> {
    if range.contains(&value) {
        return Ok(value);
    }
    Err(Error::InvalidParameter {
        parameter,
        value: value.to_string(),
        rule: format!("use {} to {}", range.start(), range.end()),
    })
}

// FNV-1a: short, stable across builds and machines, and only guards against mix-ups.
fn fingerprint(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_continues_its_own_list_only() {
        let text = cursor(20, "attention");
        assert_eq!(offset(Some(&text), "attention").unwrap(), 20);
        assert!(offset(Some(&text), "other").is_err());
        assert!(offset(Some("nonsense"), "attention").is_err());
        assert_eq!(offset(None, "attention").unwrap(), 0);
    }
}
