//! Whatever is asked is read, and gives few terms.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| indexer::fuzzing::query(text));
