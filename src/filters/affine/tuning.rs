//! Sizes that decide speed, never a result.
//!
//! `vramp bench --filter affine` measures those of the CPU; with `--device cuda`, those of a GPU.
//! After a change compare the ratios to the plain copy, before and after, on one machine.

/// On the CPU.
pub(super) mod cpu {
    /// Rows that a thread takes at a time.
    pub const BAND: usize = 16;

    /// Samples of a row that are made before they are written.
    pub const PART: usize = 256;
}

/// On a CUDA device.
#[cfg(feature = "cuda")]
pub(super) mod cuda {
    /// Threads of a block across and down, a sample each: as cuda/affine.cu.
    pub const WIDE: usize = 32;
    pub const DOWN: usize = 8;
}
