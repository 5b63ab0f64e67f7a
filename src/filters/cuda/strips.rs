//! How planes are cut for CUDA kernels whose blocks walk down strips of columns.

use crate::device::cuda::DevicePlane;
use crate::filters::cuda::CHUNK;

/// Words of shared memory from a thread's columns to the next one's: odd, so that a warp meets every bank.
pub(crate) const STRIDE: usize = CHUNK + 1;

/// Threads that a block may have: a warp, and more.
pub(crate) const THREADS: [usize; 4] = [32, 64, 128, 256];

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
        let strips = threads.iter().copied().filter(|threads| *threads > 2 * halo).map(|threads| {
            let blocks = rows.warps * multiprocessors * 32 / threads;
            Strips { threads, halo, blocks, rows }
        });
        let cost = |strips: &Strips| sizes.iter().map(|size| strips.across(size.0) * strips.threads).sum::<usize>();
        strips.min_by_key(cost).expect("the largest block is wider than two radii")
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
