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
    /// Threads of a block that blurs columns, and of one that blurs rows, where no line needs more.
    pub const DOWN_THREADS: usize = 512;
    pub const ACROSS_THREADS: usize = 256;

    /// The same of either, on devices with units for doubles.
    pub const LATE_THREADS: usize = 256;

    /// Lines of a block where they are in global memory: as many words as a sector of memory has.
    pub const FAR_LINES: usize = 8;
}
