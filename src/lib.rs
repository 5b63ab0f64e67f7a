//! Video filters whose frames stay in GPU memory from decode to encode, with the same bytes from the CPU.
//!
//! The layers, each knowing only those before it: [`video`] and [`mod@params`] are pure data; `device` runs work; `simd` has
//! vectors for the CPU; `filters` compute; `pipeline` moves frames; `compare` measures them; `io` reads and writes;
//! `farm` splits a film into parts; `cli` is the command. docs/ARCHITECTURE.md has the map.
//!
//! A chain filters a frame on the GPU, or on the CPU where there is none, with the same bytes:
//!
//! ```
//! # fn main() -> vramp::error::Result<()> {
//! use vramp::device::DeviceChoice;
//! use vramp::pipeline::{Engine, Target};
//! use vramp::video::{Format, FrameProps, Picture, StreamInfo};
//!
//! let input = StreamInfo::bare(Format::yuv(1, 1, 8)?, 640, 360);
//! let target = Target { format: Some(input.format.to_planar(10)?), ..Target::default() };
//! let engine = Engine::new(vramp::filters::chain("gradient,median=1")?, &input, target, DeviceChoice::Auto, 0)?;
//!
//! let frame = Picture::alloc(input.format, input.width, input.height)?;
//! let mut filtered = Picture::alloc(engine.plan().output.format, input.width, input.height)?;
//! engine.process(&FrameProps::default(), &frame.planes(), &mut filtered.planes_mut())?;
//! # Ok(())
//! # }
//! ```
//!
//! Without features the library builds anywhere: neither libav nor CUDA is needed. `transcode` adds [`io`]'s libav, whose
//! development packages it needs. `cuda` adds the GPU; `cust` must then find a libcuda to link with, for which the empty one
//! in this crate will do: `CUDA_LIBRARY_PATH=…/cuda/shim`. `cli` and `cuda` are the `vramp` program's:
//! `cargo install --path . --features cli,cuda`, and every cargo command inside its tree.
#![deny(missing_docs)]

/// What precedes the version, with a line's end after it, in every file of the plugin library: so it can be read
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
#[cfg(feature = "cli")]
pub mod farm;
pub mod filters;
#[cfg(all(feature = "cli", any(test, fuzzing)))]
pub mod fuzzing;
// Files are the command's, which is a program of Unix; on Windows there is the plugin library.
#[cfg(unix)]
pub mod io;
pub mod params;
pub mod pipeline;
mod simd;
pub mod video;
