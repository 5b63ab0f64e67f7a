//! Where filters run.

pub mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;
