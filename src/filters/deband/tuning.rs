//! Sizes that decide speed, never a result.
//!
//! `vramp bench --filter deband` measures those of the CPU; with `--device cuda`, those of a GPU.
//! After a change compare the ratios to the plain copy, before and after, on one machine.

/// On the CPU.
pub(super) mod cpu {
    /// The most lanes of a strip's row. With range 15, 31 rows of luma take 18 KiB.
    pub const STRIP_LANES: usize = 512;

    /// Pixels of a strip whose pixels have `lanes` lanes: what measured best.
    pub const fn strip(lanes: usize) -> usize {
        if lanes == 1 { 256 } else { 128 }
    }

    /// Rows that a thread takes at a time, at least: with the default range, half as many more are copied.
    pub const BAND: usize = 64;
}

/// On a CUDA device.
#[cfg(feature = "cuda")]
pub(super) mod cuda {
    /// Threads of a block of `deband_gather` and `deband_direct`, and the samples it takes.
    pub const GATHER: (u32, (usize, usize)) = (256, (32, 8));

    /// A tile may copy so many times the samples it filters; reading where it must is faster than that.
    pub const MOST_COPIED: usize = 10;

    /// Columns of a tile; and rows for one, two or three components, which take a block about equally long. Measured best
    /// from 1080p on; larger tiles leave multiprocessors idle at the end, smaller ones copy more.
    pub const TILE: (usize, [usize; 3]) = (64, [64, 32, 32]);

    /// Blocks of `deband_async` that a multiprocessor holds. Tiles of half the rows are faster by 3 to 8 %, at 720p, 1440p and 4K,
    /// but of 1080p they are a few more than are held at once, and those of all rows faster by 4 %.
    pub const ASYNC_BLOCKS: usize = 10;

    /// Where tiles of that size, [`TILE`], are fewer than this for a multiprocessor, smaller ones fill the device better.
    pub const ENOUGH_TILES: usize = 3;

    /// Columns of a strip of one component, and of two, of which the first is taken that fits a device's shared memory. Wider
    /// ones copy less, but are too few for all multiprocessors to end together.
    pub const STRIP_COLUMNS: [&[usize]; 2] = [&[128, 64], &[256, 128, 64]];

    /// Blocks of strips for a multiprocessor, one after another.
    pub const STRIP_WAVES: usize = 1;

    /// Copying so many samples takes as long as filtering one.
    pub const COPY_COST: usize = 10;
}
