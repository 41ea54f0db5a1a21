//! Cells lie in the file that holds them, whatever stands in it.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| indexer::fuzzing::notebook(text));
