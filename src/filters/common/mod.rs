//! What kernels of several filters share.

pub mod curve;
pub mod guide;
pub mod likening;
pub mod lines;
pub mod random;
pub mod siting;
pub mod stock;
#[cfg(test)]
pub mod testing;
