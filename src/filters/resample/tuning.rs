//! Sizes that decide speed, never a result.
//!
//! `vramp bench --filter scale` measures those of the CPU; with `--device cuda`, those of a GPU.
//! After a change compare the ratios to the plain copy, before and after, on one machine.

/// On the CPU.
pub(super) mod cpu {
    use crate::filters::resample::fast::GROUP;

    /// The fewest rows that a thread takes at a time. What rows around them help to make is made anew for each such band.
    pub const BAND: usize = 64;

    /// Bytes of a ring: what stays in the second cache. Narrower parts, in the first, cost more where rows of a picture are
    /// read in pieces.
    pub const RING: usize = 192 << 10;

    /// Columns of a part: whole groups, and whole periods.
    pub const LEAST: usize = 12 * GROUP;
    pub const MOST: usize = 40 * LEAST;

    /// Columns of a piece, whole parts of the least size: what is read, weighed or stored in one go.
    pub const PIECE: usize = 4 * LEAST;
}

/// On a CUDA device.
#[cfg(feature = "cuda")]
pub(super) mod cuda {
    /// Threads of a block that makes a tile.
    pub const THREADS: u32 = 256;

    /// Columns of a tile, and of one whose source lies in halves.
    pub const WIDE: usize = 128;
    pub const NARROW: usize = 64;

    /// The rows that a tile may have.
    pub const ROWS: [usize; 4] = [32, 16, 8, 4];

    /// Threads across and down of a block of the kernels for strong reductions.
    pub const FAR: (usize, usize) = (32, 8);

    /// Of `scale_twice.cu`.
    pub mod twice {
        /// Threads of a block.
        pub const THREADS: u32 = 64;

        /// Steps of a block, whole turns of four: fewer where there are fewer than so many blocks to a multiprocessor.
        pub const WALKS: (u32, u32) = (12, 24);
        pub const BLOCKS: usize = 3;
    }
}
