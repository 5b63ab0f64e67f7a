//! Where filters run.

mod choice;
pub mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;
mod shared;
pub mod tuning;

pub use choice::DeviceChoice;
pub(crate) use shared::Shared;
