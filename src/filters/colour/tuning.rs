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
    pub const COLUMNS: usize = 64;
    pub const ROWS: usize = 32;

    /// Threads and rows of cuda/colour_usual.cu: with twice as many threads at once it took 5/6 of the time.
    pub const USUAL_THREADS: u32 = 1023;
    pub const USUAL_ROWS: usize = 62;

    /// Threads of cuda/colour_walk.cu.
    pub const WALK_THREADS: u32 = 1024;
}
