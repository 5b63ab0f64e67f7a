//! Sizes that decide speed, never a result.
//!
//! `vramp bench --filter expr` measures those of the CPU; with `--device cuda`, those of a GPU.

/// On the CPU.
pub mod cpu {
    /// Samples that a step works on at a time: registers of a usual expression then stay in a processor's first cache.
    pub const BLOCK: usize = 256;

    /// Rows that a thread takes at a time.
    pub const BAND: usize = 32;
}

/// On a CUDA device.
#[cfg(feature = "cuda")]
pub mod cuda {
    /// Threads of a block, the samples of each side by side, and rows of a block: as cuda/expr.cu.
    pub const THREADS: usize = 64;
    pub const SAMPLES: usize = 4;
    pub const ROWS: usize = 8;
}
