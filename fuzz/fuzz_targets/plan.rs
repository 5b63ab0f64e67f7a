//! `cargo fuzz run plan` in this folder: any bytes are a plan that is written as it was read, or fail in one line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vramp::farm::Plan;

fuzz_target!(|bytes: &[u8]| match Plan::parse(bytes) {
    Ok(plan) => assert_eq!(Plan::parse(&plan.text().expect("a plan is text")).as_ref(), Ok(&plan)),
    Err(error) => assert!(!error.message().contains('\n'), "{error}"),
});
