//! Sizes that decide speed, never a result.
//!
//! `vramp bench --filter rgauss` measures those of the CPU; with `--device cuda`, those of a GPU.
//! After a change compare the ratios to the plain copy, before and after, on one machine.

/// On the CPU.
pub(super) mod cpu {
    /// Blocks of columns that a thread takes at a time, so that it reads whole cache lines of samples of eight bits.
    pub const BLOCKS: usize = 4;
}

/// On a CUDA device.
#[cfg(feature = "cuda")]
pub(super) mod cuda {
    /// Columns, or rows, that a block blurs, at most: as many words as a sector of memory has.
    pub const MOST_LINES: usize = 8;
}
