//! Video filters whose frames stay in GPU memory from decode to encode, with the same bytes from the CPU.
//!
//! The layers, each knowing only those before it: [`video`] and [`mod@params`] are pure data; `device` runs work; `simd` has
//! vectors for the CPU; `filters` compute; `pipeline` moves frames; `compare` measures them; `io` and `cli` are the crate's
//! interfaces to the outside. docs/ARCHITECTURE.md has the map.
#![deny(missing_docs)]

/// What stands before the version, and a line's end behind it, in every file of the plugin library: so it can be read
/// without running anything of the file.
#[macro_export]
macro_rules! plugin_mark {
    () => {
        "vramp plugin library, version "
    };
}

#[cfg(feature = "cli")]
pub mod cli;
pub mod compare;
pub mod device;
pub mod error;
pub mod filters;
#[cfg(all(feature = "cli", any(test, fuzzing)))]
pub mod fuzzing;
pub mod io;
pub mod params;
pub mod pipeline;
mod simd;
pub mod video;
