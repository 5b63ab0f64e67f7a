//! How strips and their rows are shared out to blocks, and what blocks have of shared memory.

use super::Turn;
use crate::filters::domain::plan::STEPS;
use crate::filters::domain::tuning::TILE;
use crate::filters::domain::tuning::strips::{
    AHEAD, LINES_OF_WARP, MOST_WARPS, MOST_WARPS_OF_WORDS, OPEN_ROWS, OPEN_STRIPS,
};

/// The size of a component that is filtered, and the bytes in which its differences are stored: one or two.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub width: usize,
    pub height: usize,
    pub bytes: usize,
}

/// Values of a tile's line, the tiles of differences that are there of a line, and what keeps lines on other banks.
const SLOT: usize = TILE * size_of::<f32>();
const STAGES: usize = AHEAD + 2;
const VECTOR: usize = 16;

/// Copies of a weight that are side by side, and how many weights there are of bytes.
const COPIES: usize = 8;
const BYTE_STEPS: usize = 256;

impl Extent {
    pub fn strips(&self) -> usize {
        self.width.div_ceil(TILE)
    }

    /// Rows of a strip: a warp's may begin with the last one.
    pub fn rows(&self) -> usize {
        (self.height + TILE - 1).next_multiple_of(TILE)
    }

    /// Samples of a frame.
    pub fn samples(&self) -> usize {
        self.strips() * self.rows() * TILE
    }

    /// Bytes of a sample in memory: its value, what it was at first, and how it differs from two neighbours.
    pub fn sample_bytes(&self) -> usize {
        size_of::<f32>() + 3 * self.bytes
    }

    /// Bytes of shared memory that the weights take.
    fn table(&self) -> usize {
        size_of::<f32>() * if self.bytes == 1 { BYTE_STEPS * COPIES } else { STEPS }
    }

    /// Tiles of a line.
    fn tiles(&self, turn: Turn) -> usize {
        if turn == Turn::Across { self.strips() } else { self.height.div_ceil(TILE) }
    }

    /// Bytes of shared memory that a warp takes for each tile of a line that stays there, and for all else.
    fn of_warp(&self, turn: Turn, lines: usize, is_first: bool) -> (usize, usize) {
        let stages = STAGES * TILE * self.bytes;
        match turn {
            Turn::Across => (lines * SLOT, lines * (VECTOR + (stages + VECTOR) * if is_first { 2 } else { 1 })),
            _ => (TILE * SLOT, TILE * stages),
        }
    }

    /// Blocks of a frame.
    pub fn blocks(&self, turn: Turn, block: Block) -> usize {
        match turn {
            Turn::Open => self.strips().div_ceil(OPEN_STRIPS) * self.rows().div_ceil(OPEN_ROWS),
            Turn::Across => self.height.div_ceil(block.lines).div_ceil(block.warps),
            Turn::Down => self.strips().div_ceil(block.warps),
        }
    }
}

/// Warps of a block, and rows of a warp along rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub lines: usize,
    pub warps: usize,
}

impl Block {
    /// Lines of a block.
    fn size(&self) -> usize {
        self.lines * self.warps
    }
}

/// What a block has of shared memory: the weights, and of each warp as much, of which tiles have slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shares {
    pub table: usize,
    pub share: usize,
    pub slots: [usize; 3],
}

impl Shares {
    /// Those of a launch for `extents`, the components that are filtered, in blocks with no more than `most` bytes. `None`: too few.
    pub fn new(extents: &[Option<Extent>], turn: Turn, block: Block, is_first: bool, most: usize) -> Option<Shares> {
        const ALIGNMENT: usize = 128;
        let table = extents.iter().flatten().map(Extent::table).max().unwrap_or(0);
        let room = most.checked_sub(table)? / block.warps / ALIGNMENT * ALIGNMENT;
        let mut shares = Shares { table, ..Shares::default() };
        for (extent, slots) in extents.iter().zip(&mut shares.slots) {
            let Some(extent) = extent else { continue };
            let ((slot, beside), tiles) = (extent.of_warp(turn, block.lines, is_first), extent.tiles(turn));
            *slots = tiles.min(room.checked_sub(beside)? / slot);
            // A ring of fewer would be filled before it is emptied.
            if *slots < tiles.min(STAGES) {
                return None;
            }
            shares.share = shares.share.max((*slots * slot + beside).next_multiple_of(ALIGNMENT));
        }
        Some(shares)
    }

    /// Bytes of a block.
    pub fn bytes(&self, warps: usize) -> usize {
        self.table + warps * self.share
    }
}

/// Blocks for `frames` of `extents`, and whether one each is enough for `multiprocessors`. Those of fewest lines are, since steps of few
/// lines take as long as those of many, and memory is read and written less where more of a line stays. `None`: no block fits.
pub(super) fn block(
    extents: &[Option<Extent>],
    turn: Turn,
    frames: usize,
    multiprocessors: usize,
    most: usize,
) -> Option<(Block, bool)> {
    let bytes = extents.iter().flatten().map(|extent| extent.bytes).max()?;
    let warps = 1..=if bytes == 1 { MOST_WARPS } else { MOST_WARPS_OF_WORDS };
    let lines = |warps: usize| match (turn, warps) {
        (Turn::Across, 1) => &LINES_OF_WARP[..1],
        (Turn::Across, _) => &LINES_OF_WARP[..],
        _ => &[TILE..=TILE],
    };
    let of_warps = |warps: usize| lines(warps).iter().cloned().flatten().map(move |lines| Block { lines, warps });
    let fits = |block: &Block| Shares::new(extents, turn, *block, true, most).is_some();
    let blocks: Vec<Block> = warps.flat_map(of_warps).filter(fits).collect();
    let count = |block: &Block| extents.iter().flatten().map(|extent| extent.blocks(turn, *block)).sum::<usize>();
    let is_enough = |block: &&Block| count(block) * frames <= multiprocessors;
    let Some(fewest) = blocks.iter().filter(is_enough).map(Block::size).min() else {
        return blocks.iter().max_by_key(|block| block.size()).map(|block| (*block, false));
    };
    // Of nearly as few lines, fewer warps have more to do at a time.
    let near = |block: &&Block| is_enough(block) && block.size() * 32 <= fewest * 33;
    blocks.iter().filter(near).min_by_key(|block| (block.warps, block.lines)).map(|block| (*block, true))
}

/// Frames of a launch, of which a multiprocessor has no more than one block.
pub(super) fn frames(extents: &[Option<Extent>], batch: usize, multiprocessors: usize, most: usize) -> usize {
    let is_enough = |frames: &usize| {
        let enough =
            |turn| block(extents, turn, *frames, multiprocessors, most).is_some_and(|(_, is_enough)| is_enough);
        enough(Turn::Across) && enough(Turn::Down)
    };
    (1..=batch).rev().find(is_enough).unwrap_or(1)
}

/// Lines that are gone along at a time, in the mean of a pass.
pub(super) fn mean_lines(extents: &[Option<Extent>], frames: usize) -> usize {
    let samples: usize = extents.iter().flatten().map(|extent| extent.width * extent.height).sum();
    let steps = extents.iter().flatten().map(|extent| extent.width + extent.height).max().unwrap_or(1);
    2 * samples * frames / steps
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: usize = 227 << 10;

    fn grey(width: usize, height: usize, bytes: usize) -> [Option<Extent>; 1] {
        [Some(Extent { width, height, bytes })]
    }

    #[test]
    fn blocks_are_as_many_as_multiprocessors() {
        let of = |frames, turn| {
            block(&grey(1920, 1080, 1), turn, frames, 132, MOST).map(|(b, is)| (b.lines, b.warps, is)).unwrap()
        };
        let across = [1, 2, 3, 4, 6, 7, 8].map(|frames| of(frames, Turn::Across));
        let expected =
            [(9, 1), (9, 2), (9, 3), (17, 2), (17, 3), (20, 3), (23, 3)].map(|(lines, warps)| (lines, warps, true));
        assert_eq!(across, expected);
        assert_eq!(
            [1, 3, 8, 9].map(|frames| of(frames, Turn::Down)),
            [(32, 1, true), (32, 2, true), (32, 4, true), (32, 4, false)]
        );
        let most = |extents: &[Option<Extent>]| frames(extents, 16, 132, MOST);
        assert_eq!([most(&grey(1920, 1080, 1)), most(&grey(3840, 2160, 1)), most(&grey(7680, 70_000, 1))], [8, 4, 1]);
        let chroma = Some(Extent { width: 960, height: 540, bytes: 1 });
        assert_eq!(most(&[grey(1920, 1080, 1)[0], chroma, chroma]), 4);
        let words = grey(1920, 1080, 2)[0];
        assert_eq!((most(&[words; 3]), most(&[None, words, None])), (2, 6));
    }

    #[test]
    fn shared_memory_is_shared_out_to_warps() {
        let of = |turn, lines, warps, is_first, most| {
            let shares = Shares::new(&grey(1920, 1080, 1), turn, Block { lines, warps }, is_first, most)?;
            Some((shares.slots[0], shares.bytes(warps)))
        };
        assert_eq!(of(Turn::Across, 17, 2, true, MOST), Some((47, 229_632)));
        assert_eq!(of(Turn::Across, 17, 2, false, MOST), Some((49, 230_144)));
        assert_eq!(of(Turn::Down, 32, 4, false, MOST), Some((11, 217_088)));
        // What fits stays; fewer than seven of many tiles are too few.
        assert_eq!(of(Turn::Across, 9, 1, true, MOST), Some((60, 81_792)));
        assert_eq!(
            (of(Turn::Down, 32, 1, false, 48 << 10), of(Turn::Down, 32, 2, false, 48 << 10)),
            (Some((8, 48_128)), None)
        );
    }
}
