//! Sizes that decide speed, never a result.
//!
//! `vramp bench --filter gradient` measures those of the CPU; with `--device cuda`, those of a GPU.
//! After a change compare the ratios to the plain copy, before and after, on one machine.

/// On the CPU.
pub(super) mod cpu {
    /// Rows of a band, at least: a band's passes also make some rows of its neighbours.
    pub const BAND: usize = 64;
}

/// On a CUDA device.
#[cfg(feature = "cuda")]
pub(super) mod cuda {
    /// Frames of a launch, at most: arguments of more are more than a kernel can have. Small pictures leave a device idle at the end of
    /// each launch: on an H200 one of 1080p takes 0.057 ms alone, and a quarter of one of 4K 0.045.
    pub const MOST_FRAMES: usize = 4;
    /// Samples of which a launch has enough, of luma.
    pub const ENOUGH_SAMPLES: usize = 3840 * 2160;
    /// Threads of a block, at most, and the samples it takes.
    pub const THREADS: usize = 256;
    pub const COLUMNS: usize = 128;
    pub const ROWS: usize = 32;
    /// Rows of a block whose samples lie in pairs.
    pub const PAIR_ROWS: usize = 16;
    /// Of fewer blocks a multiprocessor, those of the source and of the first two passes have half of those rows: on an H200 that is the
    /// fastest for 1440p, with 10. At 4K, with 23, they would be no faster.
    pub const FEW_PAIR_BLOCKS: usize = 12;
    /// Of fewer than that, those of the first two passes have a quarter: these passes of 1080p, with 6 a multiprocessor, then take 1.1 µs
    /// less, but 1.8 µs a frame more of four frames at a time, with 24.
    pub const VERY_FEW_PAIR_BLOCKS: usize = 8;
    /// Columns of cells of which a block finds levels there.
    pub const LEVEL_COLUMNS: usize = 2;
}
