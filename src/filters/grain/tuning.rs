//! Sizes that decide speed, never a result.
//!
//! `vramp bench --filter grain` measures those of the CPU; with `--device cuda`, those of a GPU.
//! After a change compare the ratios to the plain copy, before and after, on one machine.

/// On the CPU.
pub(super) mod cpu {
    /// Rows that a thread takes at a time.
    pub const BAND: usize = 32;
}

/// On a CUDA device.
#[cfg(feature = "cuda")]
pub(super) mod cuda {
    /// Chunks side by side, and rows, of a block: `WIDE` and `DOWN` of cuda/grain.cu.
    pub const WIDE: usize = 32;
    pub const DOWN: usize = 8;
}
