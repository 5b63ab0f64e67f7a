//! Sizes that decide speed, never a result.
//!
//! `vramp bench --filter domain --device cuda` measures them. After a change compare the ratios to the plain copy, before and
//! after, on one machine.

/// Samples along a line of a tile, and lines of a tile and so of a block.
pub const TILE: usize = 32;
pub const LINES: usize = 16;

/// Threads of a block that opens a tile of as many columns as rows.
pub const OPEN_THREADS: usize = 256;

/// Tiles of a block that are in flight at a time, and warps that fill one and take it away.
pub const STAGES: usize = 4;
pub const CARRIERS: usize = 2;

/// Frames of a launch, at most, and lines that a launch should have: with as many, no multiprocessor waits for another's.
pub const MOST_FRAMES: usize = 16;
pub const ENOUGH_LINES: usize = 4096;

/// Kernels that work in strips.
pub mod strips {
    use std::ops::RangeInclusive;

    /// Tiles that are copied ahead.
    pub const AHEAD: usize = 5;

    /// Strips and rows of a block that opens them.
    pub const OPEN_STRIPS: usize = 4;
    pub const OPEN_ROWS: usize = 128;

    /// Rows that a warp may have along rows, as kernels are compiled for them. The first alone serve blocks of one warp: two
    /// warps of 9 rows take 0.0907 ms a frame, one of 17 takes 0.0949.
    pub const LINES_OF_WARP: [RangeInclusive<usize>; 2] = [9..=12, 17..=24];

    /// Warps of a block, at most, and where differences are of 16 bits. A multiprocessor issues for four at a time: six warps of 11
    /// rows take 0.0666 ms a frame, four of 17 take 0.0514.
    pub const MOST_WARPS: usize = 4;
    pub const MOST_WARPS_OF_WORDS: usize = 3;

    /// Lines at a time, in the mean, from which strips are faster, of samples of 8 and of 16 bits, where a block has so much shared
    /// memory. On one NVIDIA H200, milliseconds a frame of tiles and of strips: 1080p grey alone (1382 lines) 0.140 and 0.178, two
    /// (2764) 0.0929 and 0.0907, of random samples 0.171 and 0.0908; 4:2:0 alone (2073) 0.162 and 0.178; 4K grey alone (2764) 0.368
    /// and 0.342; 1080p 4:4:4 of 16 bits alone (4147) 0.223 and 0.244, two (8294) 0.244 and 0.202.
    pub const FROM_LINES: [usize; 2] = [2700, 5500];
    pub const SHARED: usize = 227 << 10;
}
