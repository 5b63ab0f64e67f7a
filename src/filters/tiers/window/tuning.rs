//! Sizes that decide speed, never a result.
//!
//! `vramp bench --filter convolve`, or another filter of this tier, measures those of the CPU; with `--device cuda`, those
//! of a GPU. After a change compare the ratios to the plain copy, before and after, on one machine.

/// On the CPU.
pub(crate) mod cpu {
    /// Columns of a tile: with the rows of a small window it stays in a processor's second cache.
    pub const COLUMNS: usize = 512;

    /// Rows that a thread takes at a time, where windows are low.
    pub const BAND: usize = 64;
}

/// On a CUDA device.
#[cfg(feature = "cuda")]
pub(crate) mod cuda {
    /// Columns and threads of a block: `COLUMNS` and `THREADS` of cuda/common/window.cuh.
    pub const COLUMNS: usize = 64;
    pub const THREADS: usize = 256;
}
