//! Sizes that decide speed, never a result.
//!
//! `vramp bench --filter tonemap --filter matrix --filter lut3d` measures those of the CPU; with `--device cuda`, those of a GPU.
//! After a change compare the ratios to the plain copy, before and after, on one machine.

/// On the CPU.
pub(super) mod cpu {
    /// Rows of luma that a thread takes at a time.
    pub const BAND: usize = 32;
}

/// On a CUDA device.
#[cfg(feature = "cuda")]
pub(super) mod cuda {
    /// Threads of a block.
    pub const THREADS: u32 = 576;

    /// Columns and rows of luma that a block makes at a time.
    pub const TILE: (usize, usize) = (64, 32);
}
