//! `cargo fuzz run tuning` in this folder: vramp::fuzzing says what must hold.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| vramp::fuzzing::tuning(bytes));
