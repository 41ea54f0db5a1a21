//! Terms lie in the text that they stand for, whatever it is.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| indexer::fuzzing::tokenizer(text));
