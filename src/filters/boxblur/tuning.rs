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

    /// Rows of a total, and from how many rows of a window on totals are worth their pass over the picture.
    pub const TOTAL_ROWS: usize = 16;
    pub const HIGH: usize = 4 * TOTAL_ROWS;

    /// How rows are shared out for the kernels of small radii, and for the others. Fewer warps wait longer; more of them sum
    /// more first windows.
    pub const NEAR_ROWS: StripRows = StripRows { fewest: 8, step: 4, warps: 16 };
    pub const WIDE_ROWS: StripRows = StripRows { fewest: 12, step: 2, warps: 12 };

    /// Rows that a thread of the kernels of other radii has in shared memory at a time.
    pub const ROWS_AT_ONCE: usize = 2;

    /// Threads of a block of `box_totals_*`.
    pub const TOTAL_THREADS: usize = 128;

    /// Threads that a block of `box_across` may have. Each shares eight samples of some rows at a time, and two sums, twice.
    pub const ACROSS_THREADS: [usize; 2] = [128, 256];
    pub const ACROSS_STEP: usize = 4;

    /// How rows are shared out for `box_down`.
    pub const DOWN_ROWS: StripRows = StripRows { fewest: 8, step: 4, warps: 8 };
}
