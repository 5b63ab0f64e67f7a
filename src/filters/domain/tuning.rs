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
