//! A trigram index that is open: the file is mapped, and a search reads the few blocks that it needs.

use std::collections::HashMap;
use std::path::Path;
use std::sync::OnceLock;

use tantivy::Directory;
use tantivy::directory::{MmapDirectory, OwnedBytes};

use super::bits::BitReader;
use super::lists;
use super::plan::Plan;
use super::text::Trigram;
use crate::error::Cause;
use crate::files::ListedFile;

pub(super) const FILE_NAME: &str = "trigrams";
/// Trigrams to a block: a look-up reads half a block, and each block costs eight bytes.
pub(super) const BLOCK_TRIGRAMS: usize = 64;
const BLOCK_ENTRY_BYTES: usize = 8;
const FILE_ENTRY_BYTES: usize = 12;
// A trigram that stands in more texts than one of so many hardly selects.
const COMMON_SHARE: u32 = 6;
// In a handful of texts no trigram takes much room.
const FEW_TEXTS: u32 = 8;
// By then a long literal has named its files; what is left is read.
const MOST_LOOKUPS: usize = 24;

/// The first numbers of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    /// Listed files.
    pub(super) files: u32,
    /// Texts that differ.
    pub(super) texts: u32,
    pub(super) blocks: u32,
}

/// What is known of a file by its path, size and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// The text of this number.
    Text(u32),
    /// Nothing to search.
    Binary,
    /// Nothing: it is new, it changed, or it was not indexed.
    Unknown,
}

/// The trigrams of the texts of one repository.
pub(crate) struct TrigramIndex {
    bytes: OwnedBytes,
    header: Header,
    /// By key, read by the first search.
    files: OnceLock<HashMap<u64, Standing>>,
}

/// The texts that passed a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Selection {
    /// All of them.
    All,
    /// Those whose bits are set.
    Some(Vec<u64>),
}

impl Header {
    const BYTES: usize = 12;

    /// The bytes of the numbers.
    pub(super) fn encode(self) -> Vec<u8> {
        [self.files, self.texts, self.blocks].into_iter().flat_map(u32::to_le_bytes).collect()
    }

    /// In how many texts a trigram may stand to be listed.
    pub(super) fn most_listed(texts: u32) -> u32 {
        (texts / COMMON_SHARE).max(FEW_TEXTS)
    }

    fn decode(bytes: &[u8]) -> Self {
        Self { files: number(bytes, 0), texts: number(bytes, 4), blocks: number(bytes, 8) }
    }
}

impl Standing {
    const BINARY: u32 = u32::MAX;
    const UNKNOWN: u32 = u32::MAX - 1;

    /// The number that stands for it.
    pub(super) fn code(self) -> u32 {
        match self {
            Self::Text(number) => number,
            Self::Binary => Self::BINARY,
            Self::Unknown => Self::UNKNOWN,
        }
    }

    fn of_code(code: u32) -> Self {
        match code {
            Self::BINARY => Self::Binary,
            Self::UNKNOWN => Self::Unknown,
            number => Self::Text(number),
        }
    }
}

impl Selection {
    /// Whether the text of a number passed.
    pub(crate) fn holds(&self, number: u32) -> bool {
        match self {
            Self::All => true,
            Self::Some(bits) => {
                bits.get(number as usize / 64).is_some_and(|word| word & 1 << (number % 64) != 0)
            }
        }
    }

    fn is_empty(&self) -> bool {
        matches!(self, Self::Some(bits) if bits.iter().all(|word| *word == 0))
    }

    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::All, one) | (one, Self::All) => one,
            (Self::Some(first), Self::Some(second)) => {
                Self::Some(first.iter().zip(&second).map(|(a, b)| a & b).collect())
            }
        }
    }

    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::All, _) | (_, Self::All) => Self::All,
            (Self::Some(first), Self::Some(second)) => {
                Self::Some(first.iter().zip(&second).map(|(a, b)| a | b).collect())
            }
        }
    }
}

impl TrigramIndex {
    /// Maps the trigram index in the folder of a generation.
    pub(crate) fn open(folder: &Path) -> Result<Self, Cause> {
        let directory = MmapDirectory::open(folder).map_err(tantivy::TantivyError::from)?;
        let file = directory.get_file_handle(Path::new(FILE_NAME)).map_err(tantivy::TantivyError::from)?;
        let bytes = file.read_bytes(0..file.len())?;
        let header = Header::decode(&bytes);
        let blocks_start = block_start(header);
        if bytes.len() < Header::BYTES || bytes.len() < blocks_start {
            return Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into());
        }
        Ok(Self { bytes, header, files: OnceLock::new() })
    }

    /// What is known of a listed file.
    pub(crate) fn standing(&self, file: &ListedFile) -> Standing {
        let files = self.files.get_or_init(|| {
            let entries = &self.bytes[Header::BYTES..directory_start(self.header)];
            let entry = |bytes: &[u8]| (long_number(bytes), Standing::of_code(number(bytes, 8)));
            entries.chunks_exact(FILE_ENTRY_BYTES).map(entry).collect()
        });
        files.get(&file_key(file)).copied().unwrap_or(Standing::Unknown)
    }

    /// The texts that pass a plan.
    pub(crate) fn select(&self, plan: &Plan) -> Selection {
        match plan {
            Plan::Anything => Selection::All,
            Plan::Trigram(trigram) => self.texts_with(*trigram),
            Plan::Every(plans) => {
                let mut selection = Selection::All;
                for plan in spread(plans) {
                    if selection.is_empty() {
                        break;
                    }
                    selection = selection.and(self.select(plan));
                }
                selection
            }
            Plan::Either(plans) => {
                let none = Selection::Some(vec![0; self.words()]);
                plans.iter().fold(none, |found, plan| {
                    if found == Selection::All { found } else { found.or(self.select(plan)) }
                })
            }
        }
    }

    fn words(&self) -> usize {
        (self.header.texts as usize).div_ceil(64)
    }

    fn texts_with(&self, sought: Trigram) -> Selection {
        let none = Selection::Some(vec![0; self.words()]);
        let directory = &self.bytes[directory_start(self.header)..block_start(self.header)];
        let entry = |block: usize| &directory[block * BLOCK_ENTRY_BYTES..];
        let Some(block) = self.block_of(sought, |block| number(entry(block), 0)) else { return none };
        let start = block_start(self.header).saturating_add(number(entry(block), 4) as usize);
        let mut reader = BitReader::new(self.bytes.get(start..).unwrap_or_default());
        let most = Header::most_listed(self.header.texts);
        let mut trigram = number(entry(block), 0);
        let mut numbers = Vec::new();
        for position in 0..BLOCK_TRIGRAMS {
            if position > 0 {
                trigram = trigram.saturating_add(reader.read_small());
            }
            if trigram > sought {
                break;
            }
            let count = reader.read_small();
            let listed = count <= most;
            numbers.clear();
            numbers.resize(if listed { count as usize } else { 0 }, 0);
            lists::read(&mut reader, &mut numbers, self.header.texts);
            if trigram == sought {
                return if listed { self.selection(&numbers) } else { Selection::All };
            }
        }
        none
    }

    /// The last block that starts at or before a trigram.
    fn block_of(&self, sought: Trigram, first: impl Fn(usize) -> Trigram) -> Option<usize> {
        let (mut low, mut high) = (0, self.header.blocks as usize);
        while low < high {
            let middle = usize::midpoint(low, high);
            if first(middle) <= sought {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low.checked_sub(1)
    }

    fn selection(&self, numbers: &[u32]) -> Selection {
        let mut bits = vec![0; self.words()];
        for number in numbers {
            if let Some(word) = bits.get_mut(*number as usize / 64) {
                *word |= 1 << (number % 64);
            }
        }
        Selection::Some(bits)
    }
}

/// At most so many plans as are worth looking up, from all over the pattern.
fn spread(plans: &[Plan]) -> impl Iterator<Item = &Plan> {
    plans.iter().step_by(plans.len().div_ceil(MOST_LOOKUPS).max(1))
}

/// What stands for a file with this path, size and time.
pub(super) fn file_key(file: &ListedFile) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(file.path.as_str().as_bytes());
    hasher.update(b"\0");
    hasher.update(&file.bytes.to_le_bytes());
    hasher.update(&file.modified.to_le_bytes());
    long_number(hasher.finalize().as_bytes())
}

fn directory_start(header: Header) -> usize {
    Header::BYTES + header.files as usize * FILE_ENTRY_BYTES
}

fn block_start(header: Header) -> usize {
    directory_start(header) + header.blocks as usize * BLOCK_ENTRY_BYTES
}

/// The number of four bytes at a place; 0 beyond the end.
fn number(bytes: &[u8], place: usize) -> u32 {
    let found = bytes.get(place..).and_then(|rest| rest.first_chunk());
    found.map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

fn long_number(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}
