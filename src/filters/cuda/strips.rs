//! How planes are cut for CUDA kernels whose blocks walk down strips of columns.

use crate::device::cuda::DevicePlane;
use crate::filters::cuda::CHUNK;
use std::fmt;

/// Words of shared memory from a thread's columns to the next one's: odd, so that a warp meets every bank.
pub(crate) const STRIDE: usize = CHUNK + 1;

/// Threads that a block may have: a warp, and more.
pub(crate) const THREADS: [usize; 4] = [32, 64, 128, 256];

/// Warps for a multiprocessor that tuning tries beside a kernel's own number.
const WARPS: [usize; 4] = [8, 16, 32, 48];

/// How a kernel's blocks share out the rows of a strip.
#[derive(Clone, Copy)]
pub(crate) struct StripRows {
    /// The fewest that are worth what a block does before its first.
    pub fewest: usize,
    /// What a block does at a time.
    pub step: usize,
    /// Warps that a multiprocessor shall get, as far as there are rows: enough to hide waiting.
    pub warps: usize,
}

/// A plane cut into blocks.
#[derive(Clone, Copy)]
pub(crate) struct Cut {
    /// Blocks side by side.
    pub across: u32,
    /// Rows of a block.
    pub rows: u32,
    /// Blocks in all: none for a target of no rows, which is a component that stays where it is.
    pub blocks: u32,
}

impl Cut {
    /// Blocks of `rows` rows, `across` of them side by side, that make `dst`.
    pub fn new(across: usize, rows: usize, dst: &DevicePlane) -> Cut {
        Cut { across: across as u32, rows: rows as u32, blocks: (across * dst.height.div_ceil(rows)) as u32 }
    }
}

/// Strips of columns, cut into blocks.
#[derive(Clone, Copy)]
pub(crate) struct Strips {
    /// Threads of a block.
    pub threads: usize,
    /// Of those, how many at each end only help others.
    pub halo: usize,
    /// Blocks that shall be there, at least, when rows are shared out.
    blocks: usize,
    rows: StripRows,
}

impl Strips {
    /// What takes the fewest threads for planes of `sizes`, in blocks of one of `threads`, when a thread needs the
    /// columns of `halo` others on each side.
    ///
    /// # Panics
    /// When no block is wider than twice the halo.
    pub(crate) fn choose(
        threads: &[usize],
        halo: usize,
        rows: StripRows,
        sizes: &[(usize, usize)],
        multiprocessors: usize,
    ) -> Strips {
        Strips::ways(threads, halo, rows, sizes, multiprocessors)[0]
    }

    /// The same, and behind it what tuning may find to be faster: other warps, and other threads of a block.
    ///
    /// # Panics
    /// As [`Strips::choose`].
    pub(crate) fn ways(
        threads: &[usize],
        halo: usize,
        rows: StripRows,
        sizes: &[(usize, usize)],
        multiprocessors: usize,
    ) -> Vec<Strips> {
        let of = |threads: usize, warps: usize| {
            let blocks = warps * multiprocessors * 32 / threads;
            Strips { threads, halo, blocks, rows: StripRows { warps, ..rows } }
        };
        let wide: Vec<_> = threads.iter().copied().filter(|threads| *threads > 2 * halo).collect();
        let cost =
            |threads: &usize| sizes.iter().map(|size| of(*threads, rows.warps).across(size.0) * threads).sum::<usize>();
        let fewest = wide.iter().copied().min_by_key(cost).expect("the largest block is wider than two radii");
        let by_warps = WARPS.into_iter().filter(|warps| *warps != rows.warps).map(|warps| of(fewest, warps));
        let by_threads = wide.iter().filter(|threads| **threads != fewest).map(|threads| of(*threads, rows.warps));
        std::iter::once(of(fewest, rows.warps)).chain(by_warps).chain(by_threads).collect()
    }

    /// The blocks that make `dst` of `src`.
    pub(crate) fn cut(&self, src: &DevicePlane, dst: &DevicePlane) -> Cut {
        let shared_out = (src.height * self.across(src.width)).div_ceil(self.blocks).max(self.rows.fewest);
        self.cut_by(shared_out.next_multiple_of(self.rows.step).min(src.height), src, dst)
    }

    /// The blocks of `rows` rows that make `dst` of `src`.
    pub(crate) fn cut_by(&self, rows: usize, src: &DevicePlane, dst: &DevicePlane) -> Cut {
        Cut::new(self.across(src.width), rows, dst)
    }

    /// Strips side by side in a plane.
    fn across(&self, width: usize) -> usize {
        width.div_ceil((self.threads - 2 * self.halo) * CHUNK)
    }
}

impl fmt::Display for Strips {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "strips-{}-threads-{}-warps", self.threads, self.rows.warps)
    }
}
