//! Sizes that decide speed, never a result.
//!
//! `vramp bench --filter erode --device cuda` measures them. After a change compare the ratios to the plain copy, before and
//! after, on one machine.

/// On a CUDA device.
#[cfg(feature = "cuda")]
pub(super) mod cuda {
    /// Samples of a line that a block takes, a multiple of four, and lines side by side, in words of 32 bits: `LENGTH` and
    /// `LINES` of cuda/morph.cu. Twice as many words fit the shared memory of every device.
    pub const LENGTH: usize = 764;
    pub const LINES: usize = 8;
    pub const THREADS: usize = 256;
}
