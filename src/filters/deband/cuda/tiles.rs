//! How planes are cut in tiles: what a block copies to shared memory and filters there.

use crate::filters::deband::plan::{ComponentPlan, Plan};
use crate::filters::deband::tuning::cuda::{ASYNC_BLOCKS, ENOUGH_TILES as ENOUGH, MOST_COPIED, TILE};
use std::fmt;

/// Shared memory that every device gives a block unasked.
const SHARED: usize = 48 << 10;

/// Bytes of a tile's row with its surroundings: the kernels multiply by them in a byte.
const ROW_BYTES: usize = 255;

/// A group of components that share their offsets: what tiles are cut from.
#[derive(Clone, Copy)]
pub struct TiledGroup {
    pub width: usize,
    pub height: usize,
    pub range: usize,
    pub components: usize,
    pub sample_bytes: usize,
}

/// The groups of a picture: luma, grey, R or all of YC48; then Cb and Cr, or G and B.
pub struct TiledGroups {
    pub first: TiledGroup,
    pub chroma: Option<TiledGroup>,
}

impl TiledGroups {
    /// The groups of `plan`, with samples of `sample_bytes`.
    pub fn of(plan: &Plan, sample_bytes: usize) -> TiledGroups {
        let shape = |index: usize, components| {
            let ComponentPlan { width, height, range, .. } = plan.components[index];
            TiledGroup { width, height, range, components, sample_bytes }
        };
        if plan.yc48 {
            return TiledGroups { first: shape(0, 3), chroma: None };
        }
        TiledGroups { first: shape(0, 1), chroma: (plan.components.len() > 1).then(|| shape(1, 2)) }
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
    pub component_bytes: usize,
    /// Of a strip, bytes of one component's ring.
    pub ring_bytes: usize,
    /// Bytes of shared memory of all components.
    pub shared: usize,
    /// Samples that a tile filters, and samples that it copies.
    pub filtered: usize,
    pub copied: usize,
}

impl Tiles {
    /// `shape` cut in tiles of `columns` by `rows`.
    fn cut(shape: &TiledGroup, columns: usize, rows: usize) -> Tiles {
        let halo = shape.range.next_multiple_of(16 / shape.sample_bytes);
        let pieces = (columns + 2 * halo) * shape.sample_bytes / 16;
        // In a field, rounding down to even reaches one row further.
        let component_bytes = (rows + 2 * (shape.range + 1)) * pieces * 16;
        Tiles {
            across: shape.width.div_ceil(columns),
            down: shape.height.div_ceil(rows),
            columns,
            rows,
            halo,
            pieces,
            component_bytes,
            filtered: columns * rows * shape.components,
            copied: component_bytes * shape.components / shape.sample_bytes,
            shared: component_bytes * shape.components,
            ring_bytes: 0,
        }
    }

    /// How many tiles there are.
    pub fn count(&self) -> u32 {
        (self.across * self.down) as u32
    }

    fn fits(&self) -> bool {
        self.shared <= SHARED && self.pieces * 16 <= ROW_BYTES && self.copied <= MOST_COPIED * self.filtered
    }
}

/// All tiles of a picture.
#[derive(Clone)]
pub struct TileGrid {
    /// Those of the first group, and of chroma.
    pub tiles: [Tiles; 2],
    /// Bytes of shared memory of a block.
    pub shared: usize,
    /// Threads of a block.
    pub threads: u32,
}

impl TileGrid {
    /// All that fit: first the largest tiles that are enough for `multiprocessors`, or else the smallest.
    pub fn ways(shapes: &TiledGroups, multiprocessors: usize) -> Vec<TileGrid> {
        let sizes = [1, 2].into_iter().flat_map(|narrower| [1, 2, 4].map(|lower| (narrower, lower)));
        let mut grids: Vec<_> =
            sizes.filter_map(|(narrower, lower)| TileGrid::cut(shapes, TILE.0 / narrower, lower)).collect();
        let enough = grids.iter().position(|grid| grid.blocks() as usize >= ENOUGH * multiprocessors);
        if let Some(first) = enough.or(grids.len().checked_sub(1)) {
            grids[..=first].rotate_right(1);
        }
        grids
    }

    /// Those for the kernel that copies asynchronously: first the lowest tiles that `multiprocessors` hold all of at once, or else
    /// the lowest.
    pub fn asynchronous(shapes: &TiledGroups, multiprocessors: usize) -> Vec<TileGrid> {
        let mut grids: Vec<_> = [2, 1].into_iter().filter_map(|lower| TileGrid::cut(shapes, TILE.0, lower)).collect();
        grids.sort_by_key(|grid| grid.blocks() as usize > ASYNC_BLOCKS * multiprocessors);
        grids
    }

    /// Tiles of so many columns and the `lower`th part of the rows of [`TILE`], where they fit.
    fn cut(shapes: &TiledGroups, columns: usize, lower: usize) -> Option<TileGrid> {
        let cut = |shape: &TiledGroup| Tiles::cut(shape, columns, TILE.1[shape.components - 1] / lower);
        let tiles = [cut(&shapes.first), shapes.chroma.as_ref().map(cut).unwrap_or_default()];
        let shared = tiles[0].shared.max(tiles[1].shared);
        tiles.iter().all(Tiles::fits).then_some(TileGrid { tiles, shared, threads: shapes.threads() })
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> u32 {
        self.tiles[0].count() + self.tiles[1].count()
    }
}

impl fmt::Display for TileGrid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.tiles[0].columns, self.tiles[0].rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asynchronous_tiles_are_low_unless_high_ones_all_run_at_once() {
        let grids = |(width, height), by: usize, range: usize| {
            let group = |by: usize, components| TiledGroup {
                width: width / by,
                height: height / by,
                range: range / by,
                components,
                sample_bytes: 2,
            };
            TileGrid::asynchronous(&TiledGroups { first: group(1, 1), chroma: Some(group(by, 2)) }, 132)
        };
        let first = |size, by| grids(size, by, 15)[0].to_string();
        // What was measured to be the fastest on an H200.
        let measured = [(1280, 720), (1920, 1080), (2560, 1440), (3840, 2160)].map(|size| first(size, 2));
        assert_eq!(measured, ["64x32", "64x64", "64x32", "64x32"]);
        assert_eq!(first((1920, 1080), 1), "64x32");
        assert_eq!([24, 25].map(|range| grids((1920, 1080), 2, range).len()), [2, 0]);
    }
}
