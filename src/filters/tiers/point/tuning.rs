//! Sizes that decide speed, never a result.
//!
//! `vramp bench --filter levels --filter adjust` measures those of the CPU; with `--device cuda`, those of a GPU. After a change
//! compare the ratios to the plain copy, before and after, on one machine.

/// On the CPU.
pub(super) mod cpu {
    /// Rows that a thread takes at a time.
    pub const BAND: usize = 64;
    /// Samples of a row that all steps go over before the next ones.
    pub const PART: usize = 512;
}

/// On a CUDA device.
#[cfg(feature = "cuda")]
pub(super) mod cuda {
    /// Samples side by side, and rows, that a block reads at a time.
    pub const BLOCK: (usize, usize) = (256, 8);
    /// Rows that a thread has of a component that is alone in its group: two reads are in flight at a time then.
    pub const ROWS: usize = 2;
    /// Bits of samples whose functions are looked up in shared memory, and bytes side by side that a block then reads.
    pub const TABLE_BITS: usize = 12;
    pub const TABLE_BYTES: usize = 512;
    /// Rows that a thread then has: of bytes, and of words.
    pub const TABLE_ROWS: [usize; 2] = [1, 4];
    /// The most rows that a thread has of chroma whose last function lies in shared memory, and blocks of a multiprocessor below
    /// which it has fewer.
    pub const STAIR_ROWS: usize = 4;
    pub const STAIR_BLOCKS: usize = 2;
    /// Threads of a block.
    pub const THREADS: u32 = 256;
}
