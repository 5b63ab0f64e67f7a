//! Sizes that decide speed, never a result.
//!
//! `vramp bench --filter median`, or another filter of this tier, measures those of the CPU; with `--device cuda`, those of a GPU.
//! After a change compare the ratios to the plain copy, before and after, on one machine.

/// On the CPU.
pub(super) mod cpu {
    /// Rows that a thread takes at a time.
    pub const BAND: usize = 64;

    /// Lanes of a vector at most: words, and bytes.
    pub const MOST_LANES: usize = 32;
    pub const MOST_BYTES: usize = 2 * MOST_LANES;
}

/// On a CUDA device.
#[cfg(feature = "cuda")]
pub(super) mod cuda {
    use crate::filters::strips::StripRows;

    /// Chunks side by side, and rows, of a block where nothing around a place is read.
    pub const WIDE: usize = 32;
    pub const DOWN: usize = 8;

    /// How rows are shared out where samples around a place are read.
    pub const ROWS: StripRows = StripRows { fewest: 8, step: 4, warps: 16 };

    /// The same for kernels that make two rows at a time (cuda/common/rows.cuh): at 16 `median=2` took 8 % longer at 4K.
    pub const TWO_ROWS: StripRows = StripRows { warps: 24, ..ROWS };

    /// The same for those that take samples in pairs. At 4K 24 warps took 5 % longer for `median=1`, where 28 fit a
    /// multiprocessor; at 1080p blocks of 4 rows took 4 to 7 % longer for `median`.
    pub const PAIRS: StripRows = StripRows { fewest: 6, step: 2, warps: 28 };
}
