//! Sizes that decide speed, never a result.
//!
//! `vramp bench --filter banding` measures those of the CPU; with `--device cuda`, those of a GPU.
//! After a change compare the ratios to the plain copy, before and after, on one machine.

/// On the CPU.
pub(super) mod cpu {
    /// Rows that a thread takes at a time where contrasts are looked for: each band begins with a window's rows.
    pub const CONTRAST_BAND: usize = 128;
    /// Rows of the map that a thread makes at a time.
    pub const MAP_BAND: usize = 32;

    /// Samples of a row of the map that are made at a time.
    pub const MAP_PART: usize = 256;

    /// Rows of a scale that a thread makes at a time.
    pub const SCALE_BAND: usize = 32;

    /// Columns of a strip: their counts of a few codes fit the first cache, those of all the second.
    pub const STRIP: usize = 128;
}

/// On a CUDA device.
#[cfg(feature = "cuda")]
pub(super) mod cuda {
    /// Columns and rows of a block, and its threads.
    pub const TILE: (usize, usize) = (32, 32);
    pub const THREADS: u32 = 256;

    /// Rows of a block of one warp that looks for contrasts. It begins with the rows of a window.
    pub const CONTRAST_ROWS: usize = 64;
}
