//! The structs that the kernels get, laid out as in cuda/deband.cuh.

use super::table::Draws;
use super::tiles::{Grid, Tiles};
use crate::filters::cuda::{Plane, layout};
use crate::filters::deband::plan::{self, Plan};

/// What is done to one component. Mirrors `Component`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Component {
    src: Plane,
    dst: Plane,
    noise: u64,
    range: i32,
    threshold: i32,
    dither: i32,
    low: i32,
    high: i32,
    near_bias: i32,
    near_limit: u32,
    round: i32,
}

layout!(Component: 88 {
    src: 0, dst: 24, noise: 48, range: 56, threshold: 60, dither: 64, low: 68, high: 72, near_bias: 76, near_limit: 80,
    round: 84,
});

/// How a group is cut in tiles. Mirrors `Group`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Group {
    across: u32,
    across_inverse: u32,
    columns: u32,
    rows: u32,
    halo: u32,
    pieces: u32,
    pieces_inverse: u32,
    lane: u32,
}

layout!(Group: 32 {
    across: 0, across_inverse: 4, columns: 8, rows: 12, halo: 16, pieces: 20, pieces_inverse: 24, lane: 28,
});

/// Mirrors `Deband`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Args {
    component: [Component; 3],
    group: [Group; 2],
    offsets: u64,
    offsets_pitch: u32,
    noise_pitch: u32,
    first_blocks: u32,
    by_field: u32,
    sample: u32,
    _end: u32,
}

layout!(Args: 360 {
    component: 0, group: 264, offsets: 328, offsets_pitch: 336, noise_pitch: 340, first_blocks: 344, by_field: 348,
    sample: 352,
});

impl Component {
    /// A component that a picture does not have.
    pub const NONE: Component = Component {
        src: Plane::NONE,
        dst: Plane::NONE,
        noise: 0,
        range: 0,
        threshold: 0,
        dither: 0,
        low: 0,
        high: 0,
        near_bias: 0,
        near_limit: 0,
        round: 0,
    };

    /// What `of` says of a component, for a source that is stored in eight bits or more.
    pub fn new(src: Plane, dst: Plane, noise: u64, of: &plan::Component, plan: &Plan, eight_bit: bool) -> Component {
        // Stored differences of 8-bit samples are compared as they are, averages in v16.
        let threshold = if eight_bit && !plan.blur_first { (of.threshold + 255) >> 8 } else { of.threshold };
        let references = 1 << plan.sample;
        Component {
            src,
            dst,
            noise,
            range: of.range as i32,
            threshold: of.threshold,
            dither: of.dither,
            low: of.low,
            high: of.high,
            near_bias: threshold - 1,
            near_limit: (2 * threshold - 1).max(0) as u32,
            round: references / 2 - of.dither * references,
        }
    }
}

impl Args {
    /// The arguments without a [`Grid`].
    pub fn new(component: [Component; 3], draws: &Draws, by_field: bool, sample: u32) -> Args {
        Args {
            component,
            group: [Group::default(); 2],
            offsets: draws.offsets,
            offsets_pitch: draws.offsets_pitch,
            noise_pitch: draws.noise_pitch,
            first_blocks: 0,
            by_field: by_field.into(),
            sample,
            _end: 0,
        }
    }

    /// Says how the groups are cut in tiles.
    pub fn set_grid(&mut self, grid: &Grid) {
        self.group = grid.tiles.map(Group::new);
        self.first_blocks = grid.tiles[0].count();
    }
}

impl Group {
    fn new(tiles: Tiles) -> Group {
        let across = tiles.across as u32;
        Group {
            across,
            // One tile across is not divided by.
            across_inverse: (1u64 << 32).div_ceil(u64::from(across.max(2))) as u32,
            columns: tiles.columns as u32,
            rows: tiles.rows as u32,
            halo: tiles.halo as u32,
            pieces: tiles.pieces as u32,
            pieces_inverse: (1u32 << 16).div_ceil(tiles.pieces.max(1) as u32),
            lane: tiles.lane as u32,
        }
    }
}
