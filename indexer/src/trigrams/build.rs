//! Builds the trigram index of one repository: every regular file is read, whatever ranked search thinks of it,
//! and judged as ripgrep would judge it.
//!
//! The file holds, one after the other: the numbers of [`Header`]; the key and standing of each listed file; the
//! first trigram and the place of each block; the blocks. All numbers are little-endian. A block holds for each of
//! its trigrams the distance to the one before, in how many texts it stands, and which, unless that are too many.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rayon::prelude::*;
use repos::Root;

use super::bits::BitWriter;
use super::lists;
use super::open::{BLOCK_TRIGRAMS, FILE_NAME, Header, Standing, file_key};
use super::text::{Trigram, TrigramSet};
use crate::error::Cause;
use crate::files::{ListedFile, Listing};

// Larger texts are rare, hold most trigrams and are searched fast enough.
const LARGEST_TEXT_BYTES: u64 = 16 << 20;
// ripgrep gives a file up when its first 64 kB hold a NUL, whatever it holds else.
const INSPECTED_BYTES: u64 = 60 << 10;
// ripgrep reads that many bytes first, and searches them by themselves when a line ends there.
const FIRST_READ_BYTES: usize = 3;
// File systems tell times apart by ticks of the kernel; what changes later within a tick looks unchanged.
const TICK: Duration = Duration::from_millis(20);

/// What a file turned out to be.
enum Content {
    /// Text with a hash of it.
    Text(blake3::Hash, Vec<Trigram>),
    Binary,
    Unknown,
}

/// Writes the trigram index of the listed files into the folder of a generation, for good.
pub(crate) fn write(root: &Root, listing: &Listing, folder: &Path) -> Result<(), Cause> {
    let now = SystemTime::now() - TICK;
    let settled = u64::try_from(now.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos());
    let settled = settled.unwrap_or(u64::MAX);
    let judge = |set: &mut TrigramSet, file: &ListedFile| {
        if file.modified < settled { content(root, file, set) } else { Content::Unknown }
    };
    let contents: Vec<Content> = listing.files.par_iter().map_init(TrigramSet::new, judge).collect();
    let mut file = fs_err::File::create(folder.join(FILE_NAME))?;
    file.write_all(&encode(listing, contents))?;
    Ok(file.sync_all()?)
}

/// Reads a file as far as it takes to know what it is; one that cannot be read is looked at again by every search.
fn content(root: &Root, file: &ListedFile, set: &mut TrigramSet) -> Content {
    let mut read = || -> Option<Content> {
        let mut reader = root.reader(&file.path).ok()?;
        let mut bytes = Vec::new();
        reader.by_ref().take(INSPECTED_BYTES).read_to_end(&mut bytes).ok()?;
        // Two-byte text is searched as the text that it stands for.
        if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            return None;
        }
        if memchr::memchr(0, &bytes).is_some() {
            let first = &bytes[..bytes.len().min(FIRST_READ_BYTES)];
            return (!first.contains(&b'\n')).then_some(Content::Binary);
        }
        if file.bytes > LARGEST_TEXT_BYTES {
            return None;
        }
        reader.take(LARGEST_TEXT_BYTES).read_to_end(&mut bytes).ok()?;
        // What grew meanwhile is not what was listed.
        (bytes.len() as u64 == file.bytes).then(|| Content::Text(blake3::hash(&bytes), set.of(&bytes)))
    };
    read().unwrap_or(Content::Unknown)
}

fn encode(listing: &Listing, contents: Vec<Content>) -> Vec<u8> {
    let mut numbers: HashMap<blake3::Hash, u32> = HashMap::new();
    let mut pairs: Vec<u64> = Vec::new();
    let mut bytes = Vec::new();
    for (file, content) in listing.files.iter().zip(contents) {
        let standing = match content {
            Content::Text(hash, trigrams) => {
                let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                let number = *numbers.entry(hash).or_insert(next);
                // A copy stands where the first one does.
                if number == next {
                    pairs
                        .extend(trigrams.iter().map(|trigram| u64::from(*trigram) << 32 | u64::from(number)));
                }
                Standing::Text(number)
            }
            Content::Binary => Standing::Binary,
            Content::Unknown => Standing::Unknown,
        };
        bytes.extend_from_slice(&file_key(file).to_le_bytes());
        bytes.extend_from_slice(&standing.code().to_le_bytes());
    }
    pairs.par_sort_unstable();
    let texts = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
    let (directory, blocks) = encode_blocks(&pairs, texts);
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let header = Header { files: count(listing.files.len()), texts, blocks: count(directory.len()) };
    let mut encoded = header.encode();
    encoded.extend(bytes);
    for (trigram, place) in directory {
        encoded.extend_from_slice(&trigram.to_le_bytes());
        encoded.extend_from_slice(&place.to_le_bytes());
    }
    encoded.extend(blocks);
    encoded
}

/// The first trigram and the place of each block, and the blocks.
fn encode_blocks(pairs: &[u64], texts: u32) -> (Vec<(Trigram, u32)>, Vec<u8>) {
    let trigram_of = |pair: &u64| (pair >> 32) as Trigram;
    let most = Header::most_listed(texts);
    let mut directory = Vec::new();
    let mut writer = BitWriter::default();
    let mut before = 0;
    for (position, of_trigram) in pairs.chunk_by(|a, b| trigram_of(a) == trigram_of(b)).enumerate() {
        let trigram = trigram_of(&of_trigram[0]);
        if position % BLOCK_TRIGRAMS == 0 {
            directory.push((trigram, u32::try_from(writer.align()).unwrap_or(u32::MAX)));
        } else {
            writer.write_small(trigram - before);
        }
        before = trigram;
        let numbers: Vec<u32> = of_trigram.iter().map(|pair| (pair & u64::from(u32::MAX)) as u32).collect();
        let count = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        writer.write_small(count);
        if count <= most {
            lists::write(&mut writer, &numbers, texts);
        }
    }
    (directory, writer.finish())
}
