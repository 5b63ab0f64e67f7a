//! Sizes that decide speed, never a result.
//!
//! `vramp bench --filter domain --device cuda` measures them. After a change compare the ratios to the plain copy, before and
//! after, on one machine.

/// Columns and rows of a tile, and lines of a block.
pub const TILE: usize = 32;

/// Threads of a block that opens a tile.
pub const OPEN_THREADS: usize = 256;

/// Tiles of a block that are in flight at a time, and warps that fill one and take it away.
pub const STAGES: usize = 3;
pub const CARRIERS: usize = 4;
