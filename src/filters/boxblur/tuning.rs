//! Sizes that decide speed, never a result.
//!
//! `vramp bench --filter box` measures those of the CPU; with `--device cuda`, those of a GPU.
//! After a change compare the ratios to the plain copy, before and after, on one machine.

/// On the CPU.
pub(super) mod cpu {
    /// Rows that a thread takes at a time, at least. The first row's columns are summed afresh.
    pub const BAND: usize = 64;
}

/// On a CUDA device.
#[cfg(feature = "cuda")]
pub(super) mod cuda {
    use crate::filters::strips::StripRows;

    /// Rows of a total of row sums.
    pub const TOTAL_ROWS: usize = 16;

    /// Bands of a plane with a total each, and chunks of columns of a block of `box_totals_*`, which has a thread for every band of
    /// each. From how many rows of a window on they are worth their pass over the picture.
    pub const TOTAL_BANDS: usize = 256;
    pub const TOTAL_CHUNKS: usize = 4;
    pub const HIGH: usize = 64;

    /// How rows are shared out for the kernels of small radii, and for the others. Fewer warps wait longer; more of them sum
    /// more first windows.
    pub const NEAR_ROWS: StripRows = StripRows { fewest: 8, step: 4, warps: 16 };
    pub const WIDE_ROWS: StripRows = StripRows { fewest: 12, step: 2, warps: 12 };

    /// The same where there are totals, with which a first window costs little.
    pub const HIGH_ROWS: StripRows = StripRows { warps: 16, ..WIDE_ROWS };

    /// Rows that a thread of the kernels of other radii has in shared memory at a time.
    pub const ROWS_AT_ONCE: usize = 2;

    /// Threads that a block of `box_across` may have. Each shares eight samples of some rows at a time, and two sums, twice.
    pub const ACROSS_THREADS: [usize; 2] = [128, 256];
    pub const ACROSS_STEP: usize = 4;

    /// How rows are shared out for `box_down`.
    pub const DOWN_ROWS: StripRows = StripRows { fewest: 8, step: 4, warps: 8 };
}
