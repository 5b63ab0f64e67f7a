//! Sizes that decide speed, never a result.
//!
//! `vramp bench --filter stats` measures those of the CPU; with `--device cuda`, those of a GPU.
//! After a change compare the ratios to the plain copy, before and after, on one machine.

/// On the CPU.
pub(super) mod cpu {
    /// Tables that equal neighbours are counted in by turns, so that none waits for the one before it.
    pub const TABLES: usize = 4;

    /// Samples whose squares are added up between two looks at the whole.
    pub const PART: usize = 64;
}

/// On a CUDA device.
#[cfg(feature = "cuda")]
pub(super) mod cuda {
    /// Columns and rows of a block, and its threads.
    pub const TILE: (usize, usize) = (256, 64);
    pub const THREADS: u32 = 256;
}
