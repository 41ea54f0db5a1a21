//! Every line of a file belongs to one chunk, in whatever language it is read: the first byte says which.

#![no_main]

use indexer::Language;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let Some((first, rest)) = input.split_first() else { return };
    let names: Vec<&str> = Language::names().collect();
    let name = names[usize::from(*first) % names.len()];
    if let (Ok(language), Ok(text)) = (name.parse(), std::str::from_utf8(rest)) {
        indexer::fuzzing::chunker(language, text);
    }
});
