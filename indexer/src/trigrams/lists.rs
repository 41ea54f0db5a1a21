//! Lists of growing numbers, coded from the middle outwards (interpolative coding): numbers that stand close, as
//! those of files in one folder do, take next to nothing.

use super::bits::{BitReader, BitWriter};

/// Writes numbers that grow and are all below `limit`.
pub(super) fn write(writer: &mut BitWriter, numbers: &[u32], limit: u32) {
    if let Some(last) = limit.checked_sub(1) {
        write_between(writer, numbers, 0, last);
    }
}

/// Reads as many numbers below `limit` as `numbers` has room for.
pub(super) fn read(reader: &mut BitReader<'_>, numbers: &mut [u32], limit: u32) {
    read_between(reader, numbers, 0, limit.saturating_sub(1));
}

fn write_between(writer: &mut BitWriter, numbers: &[u32], first: u32, last: u32) {
    let Some(split) = Split::of(numbers.len(), first, last) else { return };
    let middle = numbers[split.middle];
    writer.write_below(middle - split.lowest, split.room);
    write_between(writer, &numbers[..split.middle], first, middle.saturating_sub(1));
    write_between(writer, &numbers[split.middle + 1..], middle + 1, last);
}

fn read_between(reader: &mut BitReader<'_>, numbers: &mut [u32], first: u32, last: u32) {
    let Some(split) = Split::of(numbers.len(), first, last) else { return };
    let middle = split.lowest + reader.read_below(split.room);
    numbers[split.middle] = middle;
    read_between(reader, &mut numbers[..split.middle], first, middle.saturating_sub(1));
    read_between(reader, &mut numbers[split.middle + 1..], middle.saturating_add(1), last);
}

/// Where the middle number of a list can stand.
struct Split {
    middle: usize,
    lowest: u32,
    room: u32,
}

impl Split {
    fn of(length: usize, first: u32, last: u32) -> Option<Self> {
        let middle = length / 2;
        let before = u32::try_from(middle).unwrap_or(u32::MAX);
        let after = u32::try_from(length.checked_sub(1)? - middle).unwrap_or(u32::MAX);
        let lowest = first.saturating_add(before);
        // Only a damaged index leaves no room.
        let room = last.saturating_sub(after).saturating_sub(lowest).saturating_add(1);
        Some(Self { middle, lowest, room })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_was_written() {
        let lists: [&[u32]; 6] =
            [&[], &[0], &[99], &[0, 1, 2, 50, 51, 52, 98, 99], &[3, 17, 18, 19, 64], &[98, 99]];
        let all: Vec<u32> = (0..100).collect();
        for list in lists.into_iter().chain([all.as_slice()]) {
            let mut writer = BitWriter::default();
            write(&mut writer, list, 100);
            let bytes = writer.finish();
            let mut found = vec![0; list.len()];
            read(&mut BitReader::new(&bytes), &mut found, 100);
            assert_eq!(found, list);
        }
        let mut writer = BitWriter::default();
        write(&mut writer, &all, 100);
        assert!(writer.finish().is_empty(), "all of them need no bits");
    }

    #[test]
    fn damage_ends() {
        for byte in [0, 0x55, 0xff] {
            let mut numbers = vec![0; 1_000];
            read(&mut BitReader::new(&[byte; 64]), &mut numbers, 100);
        }
    }
}
