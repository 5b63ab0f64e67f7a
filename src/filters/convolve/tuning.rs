//! Sizes that decide speed, never a result.
//!
//! `vramp bench --filter convolve --device cuda` measures them. After a change compare the ratios to the plain copy, before
//! and after, on one machine.

/// On a CUDA device.
#[cfg(feature = "cuda")]
pub(super) mod cuda {
    use crate::filters::strips::StripRows;

    /// How rows are shared out for the kernels of small windows.
    pub const NEAR_ROWS: StripRows = StripRows { fewest: 8, step: 4, warps: 24 };

    /// Samples side by side that a thread makes: few, or many from a radius by column on where more samples around a block
    /// cost less than a thread saves on its rows.
    pub const FEW: usize = 4;
    pub const MANY: usize = 8;
    pub const MANY_FROM: usize = 2;
}
