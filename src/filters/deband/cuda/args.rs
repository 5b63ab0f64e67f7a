//! The structs that the kernels get.

use super::soft::SoftTables;
use super::table::Draws;
use super::tiles::{TileGrid, Tiles};
use crate::filters::cuda::PlaneArgs;
use crate::filters::deband::plan::{self, Plan};
use crate::filters::device_struct::{device_struct, generated};
use std::array::from_fn;

device_struct! {
    /// What is done to one component.
    pub struct ComponentArgs = "Component" {
        src: PlaneArgs,
        dst: PlaneArgs,
        /// The frame's noise bytes of this component.
        noise: u64 = "const u8*",
        /// How far references may lie.
        range: i32,
        /// A sample that differs less becomes the average.
        threshold: i32,
        /// Noise reaches from -dither to dither.
        dither: i32,
        /// Smallest and largest result.
        low: i32,
        high: i32,
        /// For `filter_chunk`, which folds operations: a difference d is below the threshold when d + near_bias,
        near_bias: i32,
        /// unsigned, is below near_limit.
        near_limit: u32,
        /// Rounds the average, and takes the noise's lower end off it.
        round: i32,
    }
}

device_struct! {
    /// Components that share their offsets, and how they are cut in tiles.
    #[derive(Default)]
    pub struct Group = "Group" {
        /// Tiles in a row.
        across: u32,
        /// 2^32 / across, rounded up.
        across_inverse: u32,
        /// Columns of a tile or strip: 32 or 64, or up to 256.
        columns: u32,
        /// Rows of a tile.
        rows: u32,
        /// Columns copied on each side of it, whole pieces of 16 bytes.
        halo: u32,
        /// Pieces in a row of a tile and its halo.
        pieces: u32,
        /// 2^16 / pieces, rounded up.
        pieces_inverse: u32,
        /// Bytes of a tile with its surroundings; 0 for strips.
        component_bytes: u32,
        /// 2 to this power are the chunks in a row of a strip.
        chunks_shift: u32,
        /// Bytes of one component's rows, after which a strip's ring starts over.
        ring_bytes: u32,
    }
}

device_struct! {
    /// Arguments of the kernels.
    pub struct Args = "Deband" {
        component: [ComponentArgs; 3],
        /// Luma or grey or all of YC48; chroma.
        group: [Group; 2],
        /// The frame's bytes for offsets: a, b of column 0, a, b of column 1, ...
        offsets: u64 = "const u8*",
        /// Bytes from one row of them to the next.
        offsets_pitch: u32,
        /// The same for noise.
        noise_pitch: u32,
        /// Blocks of the first group; those that follow belong to the second.
        first_blocks: u32,
        /// Keep vertical offsets within a field.
        by_field: u32,
        /// 0, 1, 2: one reference, a pair, two pairs; 3, 4: the same pairs, blurred first.
        sample: u32,
        unused: u32,
    }
}

device_struct! {
    /// What `deband_direct` gets.
    pub struct Direct = "DebandDirect" {
        base: Args,
        /// For `sample` 6 and 7, the shares of each component: by the difference to the average, to the farthest reference and to the
        /// middle of a pair; then the same for raised thresholds.
        shares: u64 = "const u16*",
        /// For `sample` 7, arcs by slope.
        arcs: u64 = "const u16*",
        /// For `sample` 5, the other thresholds of each component: of any reference, and of the middle of each pair.
        farthest: [i32; 3],
        middle: [i32; 3],
        /// Entries of a table of shares.
        shares_count: u32,
        /// By how many 65536ths of half a turn steady angles differ at most.
        max_angle: u32,
        /// The number of the definition.
        sample: u32,
        blur_first: u32,
        /// References outside are the nearest samples inside.
        extend: u32,
        unused: u32,
    }
}

generated! {
    "deband.cuh" after ["../common/plane.cuh"]: ComponentArgs, Group, Args, Direct;
}

impl Direct {
    /// `base` for a kernel of `plan`, with its tables.
    pub fn new(base: Args, plan: &Plan, soft: Option<&SoftTables>) -> Direct {
        let of = |value: fn(&plan::ComponentPlan) -> i32| from_fn(|i| plan.components.get(i).map_or(0, value));
        Direct {
            base,
            shares: soft.map_or(0, |soft| soft.shares.address()),
            arcs: soft.map_or(0, |soft| soft.arcs.address()),
            farthest: of(|component| component.farthest),
            middle: of(|component| component.middle),
            shares_count: soft.map_or(0, |soft| soft.count as u32),
            max_angle: plan.max_angle,
            sample: plan.sample as u32,
            blur_first: plan.blur_first.into(),
            extend: plan.extend.into(),
            unused: 0,
        }
    }
}

impl ComponentArgs {
    /// A component that a picture does not have.
    pub const NONE: ComponentArgs = ComponentArgs {
        src: PlaneArgs::NONE,
        dst: PlaneArgs::NONE,
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
    pub fn new(
        src: PlaneArgs,
        dst: PlaneArgs,
        noise: u64,
        of: &plan::ComponentPlan,
        plan: &Plan,
        eight_bit: bool,
    ) -> ComponentArgs {
        // Stored differences of 8-bit samples are compared as they are, averages in v16.
        let threshold = if eight_bit && !plan.blur_first { (of.threshold + 255) >> 8 } else { of.threshold };
        let references = plan.references() as i32;
        ComponentArgs {
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
    /// The arguments without a [`TileGrid`].
    pub fn new(component: [ComponentArgs; 3], draws: &Draws, by_field: bool, sample: u32) -> Args {
        Args {
            component,
            group: [Group::default(); 2],
            offsets: draws.offsets,
            offsets_pitch: draws.offsets_pitch,
            noise_pitch: draws.noise_pitch,
            first_blocks: 0,
            by_field: by_field.into(),
            sample,
            unused: 0,
        }
    }

    /// Says how the groups are cut in tiles.
    pub fn set_grid(&mut self, grid: &TileGrid) {
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
            component_bytes: tiles.component_bytes as u32,
            chunks_shift: (tiles.columns / 8).max(1).ilog2(),
            ring_bytes: tiles.ring_bytes as u32,
        }
    }
}
