//! How lines are shared out among blocks and threads.

use crate::filters::rgauss::tuning::cuda::{ACROSS_THREADS, DOWN_THREADS, FAR_LINES, LATE_THREADS};

pub(super) const WARP: usize = 32;

/// Lines of a block that have a barrier each.
const BARRIERS: usize = 15;

/// Kernels that have lines in registers and shared memory.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    /// Samples that a thread has in registers: these have kernels.
    each: &'static [usize],
    /// What a pass takes beside its samples, in samples of a thread.
    overhead: usize,
    /// Threads of a block at most, and those that registers of a multiprocessor suffice for.
    most_threads: usize,
    resident: usize,
    /// Threads of a block, where no line needs more.
    threads: usize,
    /// Those of cuda/rgauss_double.cu, where samples are late behind every other pass.
    is_late: bool,
}

/// Columns and rows of cuda/rgauss.cu.
pub(super) const DOWN: Shape =
    Shape { each: &[15, 17], overhead: 0, most_threads: 1024, resident: 1024, threads: DOWN_THREADS, is_late: false };
pub(super) const ACROSS: Shape = Shape { threads: ACROSS_THREADS, ..DOWN };

/// Those of cuda/rgauss_double.cu. Samples of a thread are twice odd numbers, so that pairs of them meet different banks.
pub(super) const LATE_DOWN: Shape =
    Shape { each: &[26, 42, 74], overhead: 12, most_threads: 256, resident: 512, threads: LATE_THREADS, is_late: true };
pub(super) const LATE_ACROSS: Shape = Shape { each: &[26, 30, 34], resident: 768, ..LATE_DOWN };

impl Shape {
    /// How many places samples are late behind every other pass.
    fn late(&self, radius: usize) -> usize {
        if self.is_late { radius + 1 } else { 0 }
    }

    /// Words of a line before its first total: sums of warps, the first and the last sample, and totals before that, as far as
    /// windows reach, or as far as threads look back.
    pub(super) fn front(&self, radius: usize) -> usize {
        let back = if self.is_late { self.each[self.each.len() - 1] } else { 0 };
        (WARP + 2 + radius + 2 + back).next_multiple_of(4)
    }

    /// Words from a line's first total on, where threads have `each` samples.
    fn totals(&self, length: usize, radius: usize, each: usize, warps: usize) -> usize {
        let own = WARP * each * warps;
        if self.is_late { own.max(length + 2 * self.late(radius) + each) } else { own + radius + 3 }
    }
}

/// How the lines of one component are shared out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Share {
    /// Samples of a thread, where a line is in registers.
    pub each: usize,
    /// Warps of a line.
    pub warps: usize,
    /// Lines of a block, a power of two.
    pub lines: usize,
    /// Words that a line works in.
    pub stride: usize,
}

impl Share {
    /// For lines of `length` samples in registers, and in shared memory of which a block has `limit` bytes. Blocks have about
    /// as many threads as `shape` says, and no more of the shared memory than leaves room for as many of them as registers do.
    /// None where a line does not fit.
    fn near(length: usize, radius: usize, shape: Shape, limit: usize) -> Option<Share> {
        let Shape { each, overhead, most_threads, resident, threads, .. } = shape;
        let warps = |each: usize| (length + shape.late(radius)).div_ceil(WARP * each).max(1);
        let fits = |each: &usize| warps(*each) * WARP <= most_threads;
        let each = each.iter().copied().filter(fits).min_by_key(|each| warps(*each) * (each + overhead))?;
        let warps = warps(each);
        // Vectors are aligned, and those of neighbouring columns in other banks.
        let words = shape.front(radius) + shape.totals(length, radius, each, warps);
        let stride = (words + WARP - 5) / WARP * WARP + 4;
        let bytes = stride * size_of::<u32>();
        if bytes > limit {
            return None;
        }
        let barriers = if warps > 1 { BARRIERS } else { usize::MAX };
        let most = (threads / WARP / warps).min(limit * threads / resident / bytes).min(barriers).max(1);
        Some(Share { each, warps, lines: 1 << most.ilog2(), stride })
    }

    /// For lines of `length` samples in global memory.
    pub(super) fn far(length: usize, radius: usize) -> Share {
        // Samples, and running totals, which are continued as far as windows reach.
        Share { each: 0, warps: 1, lines: FAR_LINES, stride: 2 * length + 2 * radius + 3 }
    }

    /// Blocks for so many lines.
    pub(super) fn blocks(&self, lines: usize) -> usize {
        lines.div_ceil(self.lines)
    }

    /// Bytes that a block works in.
    pub(super) fn bytes(&self) -> usize {
        self.lines * self.stride * size_of::<u32>()
    }
}

/// How the lines of all components are, in one direction.
pub(super) struct Lines {
    pub shape: Shape,
    pub shares: Vec<Share>,
    pub is_far: bool,
}

impl Lines {
    /// For lines of these lengths, by component: of the first of `shapes` in which all fit.
    pub(super) fn new(lengths: &[usize], radius: usize, shapes: &[Shape], limit: usize) -> Lines {
        let near = |shape: &Shape| {
            let shares: Option<_> = lengths.iter().map(|length| Share::near(*length, radius, *shape, limit)).collect();
            Some(Lines { shape: *shape, shares: shares?, is_far: false })
        };
        let longest = lengths.iter().copied().max().unwrap_or(0);
        let far = || vec![Share::far(longest, radius); lengths.len()];
        let all_far = || Lines { shape: DOWN, shares: far(), is_far: true };
        shapes.iter().find_map(near).unwrap_or_else(all_far)
    }

    /// The module of their kernels.
    pub(super) fn module(&self) -> &'static str {
        match self.shape.is_late {
            _ if self.is_far => "rgauss_far",
            true => "rgauss_double",
            false => "rgauss",
        }
    }

    /// Threads of a block.
    pub(super) fn threads(&self) -> usize {
        let warps = self.shares.iter().map(|share| share.warps).max().unwrap_or(1);
        if self.is_far { WARP * FAR_LINES } else { self.shape.threads.max(WARP * warps) }
    }

    /// Bytes of shared memory of a block.
    pub(super) fn shared(&self) -> u32 {
        let most = self.shares.iter().map(Share::bytes).max().unwrap_or(0);
        if self.is_far { 0 } else { most as u32 }
    }

    /// Bytes of global memory that launches work in: lines of each component, as many as there are.
    pub(super) fn scratch(&self, lines: &[usize]) -> usize {
        let bytes = self.shares.iter().zip(lines).map(|(share, lines)| share.blocks(*lines) * share.bytes());
        if self.is_far { bytes.sum() } else { 0 }
    }
}

/// Whether a device of this compute capability has half as many units for doubles as for floats, where others have few.
pub(super) fn has_doubles(compute: (u32, u32)) -> bool {
    matches!(compute, (7..=10, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of shared memory that a block may have.
    const PASCAL: usize = 48 << 10;
    const HOPPER: usize = 227 << 10;

    #[test]
    fn lines_are_where_they_fit() {
        let near = |length, shape, limit| Share::near(length, 16, shape, limit);
        // 1080p's columns: two warps of 17 samples a thread have 1088 of them, and eight columns are side by side.
        let share = near(1080, DOWN, HOPPER).unwrap();
        assert_eq!((share.each, share.warps, share.lines, share.stride % WARP), (17, 2, 8, 4));
        // 4K's rows: eight warps of 15 have exactly 3840.
        let share = near(3840, ACROSS, HOPPER).unwrap();
        assert_eq!((share.each, share.warps, share.lines), (15, 8, 1));
        // The oldest devices take 8K's rows so, with the widest windows; and nobody more than a block has threads for.
        assert_eq!(Share::near(7680, 511, ACROSS, PASCAL).unwrap().lines, 1);
        assert_eq!(near(17_409, ACROSS, HOPPER), None);
        assert_eq!(near(12_345, ACROSS, PASCAL), None);
        for length in [1, 31, 500, 5_432, 16_500, 17_408] {
            let share = near(length, DOWN, HOPPER).unwrap();
            assert!(share.bytes() <= HOPPER && WARP * share.warps * share.each >= length);
            assert!(share.warps * share.lines * WARP <= DOWN_THREADS.max(share.warps * WARP));
            assert!(share.warps == 1 || share.lines <= BARRIERS);
        }
    }

    #[test]
    fn late_lines_leave_room_for_blocks() {
        for radius in [16, 173] {
            // 4K: columns are a warp's, eight side by side, and rows those of four warps, two and two.
            let down = Lines::new(&[2160, 1080, 1080], radius, &[LATE_DOWN, DOWN], HOPPER);
            assert_eq!(down.shares.iter().map(|s| (s.each, s.warps, s.lines)).next(), Some((74, 1, 8)));
            assert!(down.module() == "rgauss_double" && 2 * down.shared() as usize <= HOPPER);
            let across = Lines::new(&[3840, 1920, 1920], radius, &[LATE_ACROSS, ACROSS], HOPPER);
            assert_eq!(across.shares.iter().map(|s| (s.each, s.warps, s.lines)).next(), Some((34, 4, 2)));
            assert!(across.module() == "rgauss_double" && 3 * across.shared() as usize <= HOPPER);
        }
        // Longer ones are not late, and the longest are in global memory.
        let of = |length| Lines::new(&[length], 16, &[LATE_ACROSS, ACROSS], HOPPER).module();
        assert_eq!([8_000, 12_000, 20_000].map(of), ["rgauss_double", "rgauss", "rgauss_far"]);
    }
}
