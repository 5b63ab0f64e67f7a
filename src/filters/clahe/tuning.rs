//! Sizes that decide speed, never a result.
//!
//! `vramp bench --filter clahe` measures those of the CPU; with `--device cuda`, those of a GPU.
//! After a change compare the ratios to the plain copy, before and after, on one machine.

/// On the CPU.
pub(super) mod cpu {
    /// Rows that a thread takes at a time.
    pub const BAND: usize = 32;

    /// Histograms of a tile: samples side by side are often alike, and adding to one number twice waits.
    pub const TABLES: usize = 4;
}

/// On a CUDA device.
#[cfg(feature = "cuda")]
pub(super) mod cuda {
    /// Samples that a block counts, about: fewer leave less to add up of its own, more keep fewer multiprocessors busy.
    pub const COUNTED: usize = 1 << 14;

    /// Threads of a block that counts or makes samples: `THREADS` of cuda/clahe.cu. One that makes a curve has one a bin.
    pub const THREADS: usize = 256;

    /// Columns and rows of a block that makes samples: `COLUMNS` and `ROWS` of cuda/clahe.cu.
    pub const COLUMNS: usize = 128;
    pub const ROWS: usize = 32;
}
