//! Where filters run.

mod choice;
pub mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;
pub mod tuning;

pub use choice::DeviceChoice;
