//! The filters, and how every filter describes itself.
//!
//! A filter is three files: its own here, that of its kernels in `cuda/`, and this one with its lines. Related ones share a room
//! (`colour`, `combine`, `fields`, `remap`, `resample`, `temporal`). What is no filter: `contract` (what each states), `tiers` (what
//! most are written on), `options` (what they have in common), `common` and `cuda` (what their kernels share), `docs`, and
//! `program` (chains in files).

mod adjust;
mod affine;
pub(crate) mod banding;
pub(crate) mod bilateral;
pub(crate) mod boxblur;
mod clahe;
pub(crate) mod colour;
mod combine;
mod common;
mod contract;
pub(crate) mod convolve;
mod cuda;
mod curves;
pub(crate) mod deband;
mod deblock;
pub mod depth;
pub mod docs;
pub(crate) mod domain;
mod edges;
mod expr;
pub(crate) mod fields;
pub(crate) mod gauss;
pub(crate) mod gradient;
mod grain;
mod guided;
mod levels;
pub(crate) mod localtone;
mod median;
mod morph;
mod nlmeans;
mod options;
mod program;
pub(crate) mod range;
mod rank;
mod registry;
pub(crate) mod remap;
mod requant;
pub(crate) mod resample;
pub(crate) mod rgauss;
mod saturation;
pub(crate) mod select;
pub(crate) mod stats;
mod surface_blur;
pub mod survey;
mod temporal;
mod tiers;
mod unsharp;

// One name for each, whichever room it is in.
pub use combine::overlay;
#[cfg(test)]
pub(crate) use common::testing;
use common::{curve, guide, lines, random, stock};
pub(crate) use common::{likening, siting};
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
pub use registry::{chain, create, find, find_or_suggest, pinned};
pub use tiers::local;
pub(crate) use tiers::point;
pub use tiers::point::Points;
use tiers::{measure, window};

/// Every filter. One that is not here is dead code, which lints refuse: their modules are the crate's own.
pub static ALL: &[&Descriptor] = &[
    &deband::DESCRIPTOR,
    &gradient::DESCRIPTOR,
    &bilateral::DESCRIPTOR,
    &boxblur::DESCRIPTOR,
    &gauss::DESCRIPTOR,
    &rgauss::DESCRIPTOR,
    &domain::DESCRIPTOR,
    &depth::DESCRIPTOR,
    &range::DESCRIPTOR,
    &remap::crop::DESCRIPTOR,
    &remap::pad::DESCRIPTOR,
    &remap::hflip::DESCRIPTOR,
    &remap::vflip::DESCRIPTOR,
    &remap::rotate::DESCRIPTOR,
    &remap::transpose::DESCRIPTOR,
    &resample::scale::DESCRIPTOR,
    &resample::format::DESCRIPTOR,
    &resample::shift::DESCRIPTOR,
    &affine::DESCRIPTOR,
    &convolve::DESCRIPTOR,
    &edges::DESCRIPTOR,
    &median::DESCRIPTOR,
    &rank::DESCRIPTOR,
    &surface_blur::DESCRIPTOR,
    &guided::DESCRIPTOR,
    &morph::ERODE,
    &morph::DILATE,
    &morph::OPEN,
    &morph::CLOSE,
    &morph::MINMAX,
    &nlmeans::DESCRIPTOR,
    &unsharp::DESCRIPTOR,
    &grain::DESCRIPTOR,
    &deblock::DESCRIPTOR,
    &temporal::tmedian::DESCRIPTOR,
    &temporal::tsoften::DESCRIPTOR,
    &combine::merge::DESCRIPTOR,
    &combine::diff::DESCRIPTOR,
    &combine::blend::DESCRIPTOR,
    &expr::DESCRIPTOR,
    &combine::mask::DESCRIPTOR,
    &combine::overlay::DESCRIPTOR,
    &saturation::DESCRIPTOR,
    &levels::DESCRIPTOR,
    &adjust::DESCRIPTOR,
    &curves::DESCRIPTOR,
    &colour::tonemap::DESCRIPTOR,
    &localtone::DESCRIPTOR,
    &clahe::DESCRIPTOR,
    &colour::matrix::DESCRIPTOR,
    &colour::transfer::DESCRIPTOR,
    &colour::lut3d::DESCRIPTOR,
    &combine::names::KEEP,
    &combine::names::USE,
    &stats::DESCRIPTOR,
    &banding::DESCRIPTOR,
    &fields::separate::DESCRIPTOR,
    &fields::weave::DESCRIPTOR,
    &select::DESCRIPTOR,
];
