//! Sizes that decide speed, never a result.
//!
//! `vramp bench --filter depth`, or `range`, measures those of the CPU; with `--device cuda`, those of a GPU.
//! After a change compare the ratios to the plain copy, before and after, on one machine.

/// On the CPU.
pub(super) mod cpu {
    use crate::filters::requant::pattern::TILE;

    /// Samples worked on at a time.
    pub const PART: usize = 16 * TILE;

    /// Rows a thread takes at a time.
    pub const BAND: usize = 64;

    /// Rows whose errors are diffused side by side.
    pub const DIFFUSION_ROWS: usize = 4;

    /// Samples of a row that are diffused before the next row's turn.
    pub const DIFFUSION_PART: usize = 64;

    /// Samples that diffusion widens or narrows at a time.
    pub const DIFFUSION_CHUNK: usize = 512;
}

/// On a CUDA device.
#[cfg(feature = "cuda")]
pub(super) mod cuda {
    /// Samples that a block of `requant_pattern` or `requant_biased` takes: 32 chunks of 8 side by side, 8 rows.
    pub const BLOCK: (usize, usize) = (256, 8);

    /// Rows that a block of `requant_diffuse` takes.
    pub const DIFFUSION_BAND: usize = 32;

    /// Threads of a block of any of them.
    pub const THREADS: u32 = 256;
}
