//! The C ABI: include/vramp.h.

use std::ffi::c_char;

/// `vramp_version` of the header.
#[unsafe(no_mangle)]
pub extern "C" fn vramp_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
