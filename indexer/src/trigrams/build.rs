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

/// The bytes of the trigram index in the folder of a generation.
pub(crate) fn size(folder: &Path) -> Result<u64, Cause> {
    Ok(fs_err::metadata(folder.join(FILE_NAME))?.len())
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
    let mut pairs: Vec<(Trigram, u32)> = Vec::new();
    let mut bytes = Vec::new();
    for (file, content) in listing.files.iter().zip(contents) {
        let standing = match content {
            Content::Text(hash, trigrams) => {
                let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                let number = *numbers.entry(hash).or_insert(next);
                // A copy stands where the first one does.
                if number == next {
                    pairs.extend(trigrams.into_iter().map(|trigram| (trigram, number)));
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
fn encode_blocks(pairs: &[(Trigram, u32)], texts: u32) -> (Vec<(Trigram, u32)>, Vec<u8>) {
    let most = Header::most_listed(texts);
    let mut directory = Vec::new();
    let mut writer = BitWriter::default();
    let mut before = 0;
    for (position, of_trigram) in pairs.chunk_by(|a, b| a.0 == b.0).enumerate() {
        let trigram = of_trigram[0].0;
        if position % BLOCK_TRIGRAMS == 0 {
            directory.push((trigram, u32::try_from(writer.align()).unwrap_or(u32::MAX)));
        } else {
            writer.write_small(trigram - before);
        }
        before = trigram;
        let numbers: Vec<u32> = of_trigram.iter().map(|(_, number)| *number).collect();
        let count = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        writer.write_small(count);
        if count <= most {
            lists::write(&mut writer, &numbers, texts);
        }
    }
    (directory, writer.finish())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::{Plan, TrigramIndex};
    use super::*;

    /// A folder with these files, its listing, and an index of it in another folder.
    fn indexed(files: &[(String, Vec<u8>)]) -> (tempfile::TempDir, Listing, TrigramIndex) {
        let folder = tempfile::tempdir().unwrap();
        let [files_folder, index] = ["files", "index"].map(|name| folder.path().join(name));
        fs_err::create_dir(&files_folder).unwrap();
        fs_err::create_dir(&index).unwrap();
        for (path, content) in files {
            fs_err::write(files_folder.join(path), content).unwrap();
        }
        std::thread::sleep(TICK * 2);
        let listing = Listing::of(&files_folder).unwrap();
        write(&Root::open(&files_folder).unwrap(), &listing, &index).unwrap();
        let opened = TrigramIndex::open(&index).unwrap();
        (folder, listing, opened)
    }

    fn selected(listing: &Listing, index: &TrigramIndex, text: &str) -> BTreeSet<String> {
        let selection = index.select(&Plan::of_strings([&text.as_bytes().to_vec()]));
        let holds = |file: &&ListedFile| match index.standing(file) {
            Standing::Text(number) => selection.holds(number),
            Standing::Binary => false,
            Standing::Unknown => true,
        };
        listing.files.iter().filter(holds).map(|file| file.path.to_string()).collect()
    }

    #[test]
    fn every_trigram_of_every_text_is_found_and_only_there() {
        let mut files = Vec::new();
        for number in 0..300_u32 {
            let words = (0..60).map(|word| format!("{:x}", number * number * 7 + word * word * 977));
            let text = words.collect::<Vec<_>>().join(" ");
            files.push((format!("{number:03}.txt"), text.into_bytes()));
        }
        let (_folder, listing, index) = indexed(&files);
        for position in 0..200_u32 {
            let sought = format!("{:03x}", position * 19);
            let found = selected(&listing, &index, &sought);
            let holds = |text: &[u8]| text.windows(3).any(|three| three == sought.as_bytes());
            let expected: BTreeSet<String> =
                files.iter().filter(|(_, text)| holds(text)).map(|(path, _)| path.clone()).collect();
            // A trigram in many texts is not listed, and means all.
            assert!(found == expected || expected.len() > 40 && found.len() == 300, "{sought}");
        }
        assert_eq!(selected(&listing, &index, "zzz"), BTreeSet::new());
        assert_eq!(selected(&listing, &index, "zz").len(), 300);
    }

    #[test]
    fn says_what_is_known_of_a_file() {
        let text = b"some text\n".to_vec();
        let files = [
            ("a.txt", text.clone()),
            ("binary", b"some\0text\n".to_vec()),
            ("copy.txt", text.clone()),
            ("line_first", b"a\n\0".to_vec()),
            ("two_bytes.txt", b"\xff\xfea\0".to_vec()),
        ];
        let files: Vec<_> = files.map(|(path, content)| (path.to_owned(), content)).into();
        let (folder, listing, index) = indexed(&files);
        let standings: Vec<_> = listing.files.iter().map(|file| index.standing(file)).collect();
        let [unknown, text] = [Standing::Unknown, Standing::Text(0)];
        assert_eq!(standings, [text, Standing::Binary, text, unknown, unknown]);
        fs_err::write(folder.path().join("files/a.txt"), "other text\n").unwrap();
        let changed = Listing::of(&folder.path().join("files")).unwrap();
        assert_eq!(index.standing(&changed.files[0]), unknown);
    }

    #[test]
    fn what_could_change_again_without_a_sign_is_not_trusted() {
        let (folder, _, _) = indexed(&[("a.txt".to_owned(), b"some text".to_vec())]);
        let [root, again] = ["files", "again"].map(|name| folder.path().join(name));
        let file = fs_err::OpenOptions::new().write(true).open(root.join("a.txt")).unwrap();
        file.file().set_modified(SystemTime::now() + Duration::from_hours(1)).unwrap();
        fs_err::create_dir(&again).unwrap();
        let listing = Listing::of(&root).unwrap();
        write(&Root::open(&root).unwrap(), &listing, &again).unwrap();
        assert_eq!(TrigramIndex::open(&again).unwrap().standing(&listing.files[0]), Standing::Unknown);
    }

    #[test]
    fn two_builds_are_alike_and_damage_is_told() {
        let files: Vec<_> = (0..50).map(|number| (format!("{number}"), vec![b'a' + number; 9])).collect();
        let (folder, listing, _) = indexed(&files);
        let root = Root::open(&folder.path().join("files")).unwrap();
        let [first, second] = ["index", "second"].map(|name| folder.path().join(name));
        fs_err::create_dir(&second).unwrap();
        write(&root, &listing, &second).unwrap();
        let bytes = fs_err::read(first.join(FILE_NAME)).unwrap();
        assert_eq!(bytes, fs_err::read(second.join(FILE_NAME)).unwrap());
        for length in [1, 40, 300] {
            fs_err::write(second.join(FILE_NAME), &bytes[..length]).unwrap();
            assert!(TrigramIndex::open(&second).is_err(), "{length}");
        }
    }
}
