//! How planes are cut in tiles: what a block copies to shared memory and filters there.

use crate::error::Result;
use crate::filters::deband::plan::Plan;

/// Shared memory that every device gives a block unasked.
const SHARED: usize = 48 << 10;

/// A tile may copy so many times the samples it filters; reading where it must is faster than that.
const MOST_COPIED: usize = 8;

/// A group of components that share their offsets: what tiles are cut from.
#[derive(Clone, Copy)]
pub struct Shape {
    width: usize,
    height: usize,
    range: usize,
    components: usize,
    sample_bytes: usize,
}

/// The groups of a picture: luma, grey or all of YC48; then Cb and Cr, where there are such.
pub struct Shapes {
    first: Shape,
    chroma: Option<Shape>,
}

impl Shapes {
    /// The groups of `plan`, with samples of `sample_bytes`.
    pub fn of(plan: &Plan, sample_bytes: usize) -> Shapes {
        let shape = |index: usize, components| {
            let super::super::plan::Component { width, height, range, .. } = plan.components[index];
            Shape { width, height, range, components, sample_bytes }
        };
        if plan.yc48 {
            return Shapes { first: shape(0, 3), chroma: None };
        }
        Shapes { first: shape(0, 1), chroma: (plan.components.len() > 1).then(|| shape(1, 2)) }
    }

    /// Threads of a block: what the kernels are compiled for.
    fn threads(&self) -> u32 {
        if self.first.components == 3 { 256 } else { 128 }
    }
}

/// One group cut in tiles.
#[derive(Clone, Copy, Default)]
pub struct Tiles {
    /// Tiles in a row and in a column of them.
    pub across: usize,
    pub down: usize,
    /// Samples of a tile.
    pub columns: usize,
    pub rows: usize,
    /// Columns copied on each side, and pieces of 16 bytes in a row with them.
    pub halo: usize,
    pub pieces: usize,
    /// Bytes of one component's tile with its surroundings.
    pub lane: usize,
    /// Samples that a tile filters, and samples that it copies.
    filtered: usize,
    copied: usize,
    shared: usize,
}

impl Tiles {
    /// `shape` cut in tiles of `columns` by `rows`.
    fn cut(shape: &Shape, columns: usize, rows: usize) -> Tiles {
        let halo = shape.range.next_multiple_of(16 / shape.sample_bytes);
        let pieces = (columns + 2 * halo) * shape.sample_bytes / 16;
        // In a field, rounding down to even reaches one row further.
        let lane = (rows + 2 * (shape.range + 1)) * pieces * 16;
        Tiles {
            across: shape.width.div_ceil(columns),
            down: shape.height.div_ceil(rows),
            columns,
            rows,
            halo,
            pieces,
            lane,
            filtered: columns * rows * shape.components,
            copied: lane * shape.components / shape.sample_bytes,
            shared: lane * shape.components,
        }
    }

    /// How many tiles there are.
    pub fn count(&self) -> u32 {
        (self.across * self.down) as u32
    }

    fn fits(&self) -> bool {
        self.shared <= SHARED && self.copied <= MOST_COPIED * self.filtered
    }

    /// The time that a tile takes a multiprocessor, in samples filtered: ten are copied in the time of one.
    fn cost(&self) -> usize {
        self.filtered + self.copied / 10
    }
}

/// All tiles of a picture.
pub struct Grid {
    /// Those of the first group, and of chroma.
    pub tiles: [Tiles; 2],
    /// Bytes of shared memory of a block.
    pub shared: usize,
    /// Threads of a block.
    pub threads: u32,
}

/// What a wave of blocks costs beside its work, in samples that a multiprocessor could filter meanwhile.
const WAVE: usize = 4000;

impl Grid {
    /// The tiles that `multiprocessors` are estimated to filter soonest: large ones copy less, small ones leave no
    /// multiprocessor idle at the end. `resident` gives the blocks of so many threads and bytes of shared memory that one
    /// holds at a time. `None` when no tile fits.
    ///
    /// # Errors
    /// Of `resident`.
    pub fn choose(
        shapes: &Shapes,
        multiprocessors: usize,
        resident: impl Fn(u32, usize) -> Result<u32>,
    ) -> Result<Option<Grid>> {
        let threads = shapes.threads();
        let mut best: Option<(usize, Grid)> = None;
        for columns in [64, 32] {
            for rows in (8..=128).step_by(4) {
                let first = Tiles::cut(&shapes.first, columns, rows);
                // A tile of chroma has two components, so half the rows make it as long as one of luma.
                let chroma = shapes.chroma.map(|shape| Tiles::cut(&shape, columns, (rows / 2).next_multiple_of(4)));
                if !first.fits() || chroma.is_some_and(|tiles| !tiles.fits()) {
                    continue;
                }
                let tiles = [first, chroma.unwrap_or_default()];
                let grid = Grid { tiles, shared: tiles[0].shared.max(tiles[1].shared), threads };
                let at_once = (resident(threads, grid.shared)? as usize).max(1);
                let blocks = (grid.blocks() as usize).div_ceil(multiprocessors.max(1));
                let cost = blocks * tiles[0].cost().max(tiles[1].cost()) + blocks.div_ceil(at_once) * WAVE;
                if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                    best = Some((cost, grid));
                }
            }
        }
        Ok(best.map(|(_, grid)| grid))
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> u32 {
        self.tiles[0].count() + self.tiles[1].count()
    }
}
