//! Numbers in as few bits as they need, the lowest bits first.

/// Writes bits into bytes.
#[derive(Default)]
pub(super) struct BitWriter {
    bytes: Vec<u8>,
    pending: u64,
    filled: u32,
}

impl BitWriter {
    /// Adds the `width` lowest bits of `value`, at most 32.
    pub(super) fn write(&mut self, value: u32, width: u32) {
        self.pending |= u64::from(value) << self.filled;
        self.filled += width;
        while self.filled >= 8 {
            self.bytes.push(self.pending.to_le_bytes()[0]);
            self.pending >>= 8;
            self.filled -= 8;
        }
    }

    /// Adds a number from 1 on; small ones take few bits.
    pub(super) fn write_small(&mut self, value: u32) {
        let width = value.max(1).ilog2();
        self.write(0, width);
        self.write(1, 1);
        self.write(value & ((1 << width) - 1), width);
    }

    /// Adds a number below `limit`, in the whole bits that takes or one less.
    pub(super) fn write_below(&mut self, value: u32, limit: u32) {
        let (width, spare) = shape(limit);
        if value < spare {
            self.write(value, width);
        } else {
            self.write((value + spare) >> 1, width);
            self.write((value + spare) & 1, 1);
        }
    }

    /// Fills the last byte and gives how many there are.
    pub(super) fn align(&mut self) -> usize {
        if self.filled > 0 {
            self.write(0, 8 - self.filled);
        }
        self.bytes.len()
    }

    /// The bytes that were written.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.align();
        self.bytes
    }
}

/// Reads what a writer wrote; beyond the end there are zeros.
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> BitReader<'a> {
    /// Reads from the first bit on.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0 }
    }

    /// Reads `width` bits, at most 32.
    pub(super) fn read(&mut self, width: u32) -> u32 {
        let value = self.peek() & ((1 << width) - 1);
        self.position += width as usize;
        u32::try_from(value).unwrap_or(u32::MAX)
    }

    /// Reads a number from 1 on.
    pub(super) fn read_small(&mut self) -> u32 {
        // A damaged index may hold more zeros than any number has.
        let width = self.peek().trailing_zeros().min(31);
        self.position += width as usize + 1;
        (1 << width) | self.read(width)
    }

    /// Reads a number below `limit`.
    pub(super) fn read_below(&mut self, limit: u32) -> u32 {
        let (width, spare) = shape(limit);
        let value = self.read(width);
        if value < spare { value } else { (value << 1 | self.read(1)) - spare }
    }

    /// The next 57 bits or more.
    fn peek(&self) -> u64 {
        let start = self.position / 8;
        let shift = self.position % 8;
        if let Some(whole) = self.bytes.get(start..).and_then(|rest| rest.first_chunk()) {
            return u64::from_le_bytes(*whole) >> shift;
        }
        let rest = self.bytes.get(start..).unwrap_or_default();
        let mut padded = [0; 8];
        padded[..rest.len()].copy_from_slice(rest);
        u64::from_le_bytes(padded) >> shift
    }
}

/// The bits of a number below `limit`, and how many of the numbers take no bit more.
fn shape(limit: u32) -> (u32, u32) {
    let width = limit.max(1).ilog2();
    let spare = (2_u64 << width) - u64::from(limit.max(1));
    (width, u32::try_from(spare).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_was_written() {
        let mut writer = BitWriter::default();
        let values = [1, 2, 3, 7, 8, 1_000, u32::MAX >> 1, (1 << 24) - 1];
        for value in values {
            writer.write(value, 32);
            writer.write_small(value);
            writer.write_below(value, value + 1);
            writer.write_below(value - 1, value);
        }
        let bytes = writer.finish();
        let mut reader = BitReader::new(&bytes);
        for value in values {
            assert_eq!(reader.read(32), value);
            assert_eq!(reader.read_small(), value);
            assert_eq!(reader.read_below(value + 1), value);
            assert_eq!(reader.read_below(value), value - 1);
        }
        assert_eq!(reader.read(32), 0, "beyond the end");
    }

    #[test]
    fn a_number_below_a_limit_takes_no_more_bits_than_it_must() {
        for (limit, bits) in [(1, 0), (2, 1), (3, 5), (4, 8), (5, 12)] {
            let mut writer = BitWriter::default();
            (0..limit).for_each(|value| writer.write_below(value, limit));
            let total = if limit == 2 { 2 } else { bits };
            assert_eq!(writer.finish().len(), usize::div_ceil(total, 8), "{limit}");
        }
    }
}
