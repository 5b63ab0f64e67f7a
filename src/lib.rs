//! Video filters whose frames stay in GPU memory from decode to encode, with the same bytes from the CPU.
//!
//! The layers, each knowing only those before it: [`video`] and [`mod@params`] are pure data; `device` runs work;
//! `filters` compute; `pipeline` moves frames; `compare` measures them; `io` and `cli` are doors. docs/ARCHITECTURE.md has the map.
#![deny(missing_docs)]

#[cfg(feature = "cli")]
pub mod cli;
pub mod compare;
pub mod device;
pub mod error;
pub mod filters;
pub mod io;
pub mod params;
pub mod pipeline;
pub mod video;
