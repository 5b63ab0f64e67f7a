//! From packets to frames of the pipeline.

pub(super) mod choice;
pub(super) mod damage;
pub(super) mod decoder;
mod faults;
pub(super) mod finish;
pub(super) mod memory;
pub(super) mod props;
mod refit;
