//! Sizes that decide speed, never a result.
//!
//! `vramp bench --filter erode --device cuda` measures them. After a change compare the ratios to the plain copy, before and
//! after, on one machine.

/// On a CUDA device.
#[cfg(feature = "cuda")]
pub(super) mod cuda {
    /// Places of a line that a thread takes: `PLACES` of cuda/morph.cuh.
    pub const PLACES: usize = 16;

    /// Words of lines, of 32 bits, that a block takes side by side down columns: `LINES_DOWN` there.
    pub const LINES_DOWN: usize = 8;

    /// Threads of a block at most, down columns and across rows: one of these, fewer than `THREADS` there. Those take the fewest
    /// lanes; of equals the smaller blocks wait less for their slowest thread (3 % at radius 15, 8 % at 5, at 4K).
    pub const THREADS_DOWN: [usize; 2] = [256, 384];
    pub const THREADS_ACROSS: [usize; 2] = [64, 128];
}
