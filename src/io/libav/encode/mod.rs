//! Chooses, sets up and runs encoders.

pub(super) mod choose;
pub(super) mod encoder;
pub(super) mod fallback;
pub(super) mod grain;
pub(super) mod memory_need;
pub(super) mod settings;
pub(super) mod setup;
pub(super) mod slices;
pub(super) mod timebase;
pub(super) mod upload;
