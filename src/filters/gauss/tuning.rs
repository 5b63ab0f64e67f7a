//! Sizes that decide speed, never a result.
//!
//! `vramp bench --filter gauss` measures those of the CPU; with `--device cuda`, those of a GPU.
//! After a change compare the ratios to the plain copy, before and after, on one machine.

/// On the CPU.
pub(super) mod cpu {
    /// Rows that a thread takes at a time.
    pub const BAND: usize = 64;

    /// Columns whose sums stay in the first cache, or in registers, while all their taps are added.
    pub const PART: usize = 256;

    /// Pairs of taps that are added in one go: those of sigma 1.
    pub const FEW_PAIRS: usize = 3;
}

/// On a CUDA device.
#[cfg(feature = "cuda")]
pub(super) mod cuda {
    use crate::filters::gauss::cuda::ROWS;
    use crate::filters::strips::StripRows;

    /// How rows are shared out for kernels of any radius: one after the other, rows find in the cache what they share.
    pub const FAR_ROWS: StripRows = StripRows { fewest: 8, step: 1, warps: 24 };

    /// How rows are shared out for `gauss_near*_u8`, which take four at a time and read those around them before the first.
    pub const NEAR_ROWS: StripRows = StripRows { fewest: 12, step: ROWS, warps: 24 };

    /// From this radius on tensor cores are faster for samples of 8 bits; for those of 16 bits they always are.
    pub const TENSOR_RADIUS: usize = 5;
}
