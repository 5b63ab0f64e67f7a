//! Sizes that decide speed, never a result.
//!
//! `vramp bench --filter nlmeans` measures those of the CPU; with `--device cuda`, those of a GPU.
//! After a change compare the ratios to the plain copy, before and after, on one machine.

/// On the CPU.
pub(super) mod cpu {
    /// Rows and columns of a tile.
    pub const BAND: usize = 64;
    pub const COLUMNS: usize = 256;
}

/// On a CUDA device.
#[cfg(feature = "cuda")]
pub(super) mod cuda {
    /// Samples of a block across and down, and its threads: as cuda/nlmeans.cu.
    pub const WIDE: usize = 32;
    pub const HIGH: usize = 16;
    pub const THREADS: u32 = 256;
}
