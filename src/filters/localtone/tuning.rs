//! Sizes that decide speed, never a result.
//!
//! `vramp bench --filter localtone` measures those of the CPU; with `--device cuda`, those of a GPU.
//! After a change compare the ratios to the plain copy, before and after, on one machine.

/// On the CPU.
pub(super) mod cpu {
    /// Samples of a band of a plane of means or of a pyramid, about: enough to be worth a thread's while, and few enough for its
    /// cache.
    pub const SAMPLES: usize = 32_768;

    /// Columns that are collapsed at a time: within them few of the nine remapped pictures are needed.
    pub const PART: usize = 128;

    /// Rows of luma that a thread makes of the result at a time: an even number.
    pub const BAND: usize = 32;
}

/// On a CUDA device.
#[cfg(feature = "cuda")]
pub(super) mod cuda {
    /// Threads of a block, across and down.
    pub const BLOCK: (usize, usize) = (32, 8);

    /// Rows of a tile of the first halving, as the kernel has it.
    pub const FIRST_ROWS: usize = 8;

    /// Samples of the level, at most, that one block takes over from.
    pub const LAST_SAMPLES: usize = 700;

    /// Samples of a level, at most, that a launch halves twice: what tiles share is made more than once.
    pub const DOWN_TWICE_SAMPLES: usize = 200_000;

    /// Samples of a level, at most, that a launch makes together with the one above it.
    pub const TWICE_SAMPLES: usize = 600_000;
}
