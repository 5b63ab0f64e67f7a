//! Sizes that decide speed, never a result.
//!
//! `vramp bench --chain localtone=adapt=1`, which reads surveys, measures those of the CPU; with `--device cuda`, those of a GPU.
//! After a change compare the ratios to the plain copy, before and after, on one machine.

/// On the CPU.
pub(super) mod cpu {
    /// Tables that samples side by side are counted in: counting in one waits for its last count.
    pub const TABLES: usize = 4;

    /// Rows that a thread takes at a time.
    pub const BAND: usize = 32;
}

/// On a CUDA device.
#[cfg(feature = "cuda")]
pub(super) mod cuda {
    /// Threads of a block that measures a cell; the kernels of one block have one for each level.
    pub const THREADS: u32 = 256;
}
