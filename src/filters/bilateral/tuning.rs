//! Sizes that decide speed, never a result.
//!
//! `vramp bench --filter bilateral` measures those of the CPU; with `--device cuda`, those of a GPU.
//! After a change compare the ratios to the plain copy, before and after, on one machine.

/// On the CPU.
pub(super) mod cpu {
    /// Rows that a thread takes at a time, of which common heights are multiples. Of fewer, too many windows would reach into
    /// another band, whose pairs share no weight.
    pub const BAND: usize = 90;

    /// Taps that are added at a time, after the first: sums are then read and written as seldom. With more, compilers find no
    /// vectors in the loop.
    pub const TAPS: usize = 2;
}

/// On a CUDA device.
#[cfg(feature = "cuda")]
pub(super) mod cuda {
    /// Columns and threads of a block.
    pub const COLUMNS: usize = 64;
    pub const THREADS: usize = 256;

    /// Samples side by side whose windows a thread weighs: few, or many from a radius on where more samples around a block
    /// cost less than a thread saves on its rows.
    pub const FEW: usize = 4;
    pub const MANY: usize = 8;
    pub const MANY_FROM: usize = 6;
}
