//! vramp's filters as one library for video hosts: a C ABI (include/vramp.h), and an adapter for each host.
//!
//! An adapter knows `vramp`'s public items and the helpers here, and no other adapter. No panic leaves the library
//! ([`guard`]), and it writes to no terminal but through [`logging`].
#![deny(missing_docs)]

/// In every copy of the library.
#[used]
static VERSION: &str = concat!(vramp::plugin_mark!(), env!("CARGO_PKG_VERSION"), "\n");

pub mod avisynth;
pub mod aviutl2;
pub mod c_abi;
mod editor;
pub mod environment;
pub mod float;
pub mod frei0r;
pub mod guard;
pub mod host_port;
pub mod logging;
mod opaque;
pub mod openfx;
pub mod own_file;
pub mod record;
mod script;
#[cfg(test)]
mod testing;
pub mod vapoursynth;
