//! `cargo fuzz run chain` in this folder: any text parses to a chain that prints back, or fails in one line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vramp::params::{MAX_CHAIN_BYTES, Spelling, parse_chain, print_chain};

fuzz_target!(|text: &str| match parse_chain(text) {
    Ok(chain) => {
        for spelling in [Spelling::FFmpeg, Spelling::Plain] {
            let printed = print_chain(&chain, spelling);
            // Quoting may lengthen a text over the limit.
            if printed.len() <= MAX_CHAIN_BYTES {
                assert_eq!(parse_chain(&printed).expect(&printed), chain);
            }
        }
    }
    Err(error) => assert!(!error.message().contains('\n') && error.message().chars().count() < 300, "{error}"),
});
