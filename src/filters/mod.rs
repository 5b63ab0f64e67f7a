//! The filters, and how every filter describes itself.
//!
//! A filter is three touches: its file here, its kernels in `cuda/`, and its line in `registry.rs`. Related ones share a room
//! (`colour`, `combine`, `fields`, `remap`, `resample`, `temporal`). What is no filter: `contract` (what each states), `tiers` (what
//! most are written on), `options` (what they have in common), `common` and `cuda` (what their kernels share), `docs`, and
//! `program` (chains in files).

mod adjust;
mod affine;
pub mod banding;
pub mod bilateral;
pub mod boxblur;
mod clahe;
pub mod colour;
mod combine;
mod common;
mod contract;
pub(crate) mod convolve;
mod cuda;
mod curves;
pub mod deband;
mod deblock;
pub mod depth;
pub mod docs;
pub mod domain;
mod edges;
mod expr;
pub mod fields;
pub mod gauss;
pub mod gradient;
mod guided;
mod levels;
pub mod localtone;
mod median;
mod morph;
mod nlmeans;
mod options;
mod program;
pub mod range;
mod rank;
mod registry;
pub mod remap;
mod requant;
pub mod resample;
pub mod rgauss;
mod saturation;
pub mod select;
pub mod stats;
mod surface_blur;
pub mod survey;
mod temporal;
mod tiers;
mod unsharp;

// One name for each, whichever room it is in.
#[cfg(test)]
pub(crate) use common::testing;
use common::{curve, guide, lines, siting, stock};
use contract::planned;
pub use contract::{
    Alias, Change, CpuJob, CpuKernel, Cycle, Descriptor, Filter, Footprint, Foreign, Frames, InputWindow, Origin,
    Reach, Setup, SideStorage, Spec, Wiring,
};
#[cfg(feature = "cuda")]
pub use contract::{Collect, CudaJob, CudaKernel, Measure};
pub(crate) use cuda::device_struct;
#[cfg(feature = "cuda")]
pub(crate) use cuda::{PlaneArgs, launch};
#[cfg(feature = "cuda")]
use cuda::{strips, tensor, tune};
pub(crate) use options::masked;
pub use options::planes;
use options::zones;
pub use program::{chain_file, program, read_chain};
pub use registry::{ALL, chain, create, find, find_or_suggest, pinned};
pub use tiers::local;
pub(crate) use tiers::point;
pub use tiers::point::Points;
use tiers::{measure, window};
