//! Sizes that decide speed, never a result.
//!
//! `vramp bench --filter rotate`, or `transpose`, `hflip`, `crop`, `pad`, measures those of the CPU; with `--device cuda`, those of a GPU.
//! After a change compare the ratios to the plain copy, before and after, on one machine.

/// On the CPU.
pub(super) mod cpu {
    /// Rows that a thread takes at a time.
    pub const BAND: usize = 64;

    /// Samples that go through lanes at a time.
    pub const PART: usize = 256;

    /// Rows and columns of a tile that goes through lanes.
    pub const SWAP_TILE: usize = 32;
}

/// On a CUDA device.
#[cfg(feature = "cuda")]
pub(super) mod cuda {
    /// Threads of a block of `remap_rows` across and down, and rows of each.
    pub const WIDE: usize = 32;
    pub const DOWN: usize = 8;
    pub const ROWS: usize = 4;

    /// Threads of a block of `remap_swap`.
    pub const TURNERS: u32 = 64;

    /// Bytes that a thread moves at a time, and of a row of a tile.
    pub const VECTOR: usize = 16;
    pub const TILE_BYTES: usize = 64;

    /// Rows and columns of a tile whose samples go from one storage to another.
    pub const TILE: usize = 32;
}
