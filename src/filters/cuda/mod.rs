//! What the CUDA kernels of all filters share: structs that both sides lay out alike, planes as kernels see them, how planes
//! are cut for blocks, and what tensor cores read.

pub mod device_struct;
#[cfg(feature = "cuda")]
mod plane;
#[cfg(feature = "cuda")]
pub mod strips;
#[cfg(feature = "cuda")]
pub mod tensor;
#[cfg(feature = "cuda")]
pub mod tune;

#[cfg(feature = "cuda")]
pub(crate) use plane::{CHUNK, PlaneArgs, launch};
