//! The edges of a plane's blocks: one after the other as they are defined, and many at a time.
//!
//! Loops over lanes count, so that compilers see vectors of a known length.

#![allow(clippy::needless_range_loop)]

use super::DeblockParams;
use super::tables::{ALPHA, BETA, FIRST, TC0};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::window::{Grid, Tile, WindowOp};

/// How far samples across an edge reach, and one more: a side's outer sample is read where it is of no use.
const RADIUS: usize = 4;

/// Edges that are filtered at a time.
const LANES: usize = 16;

device_struct! {
    /// What decides how samples change, on the scale of 16 bits.
    #[derive(Debug, Default)]
    pub struct Thresholds = "DeblockThresholds" {
        alpha: i32,
        beta: i32,
        tc0: i32,
        /// A code of eight bits.
        one: i32,
    }
}

generated! {
    "deblock_thresholds.cuh" after ["../common/plane.cuh"]: Thresholds;
}

/// The operation.
#[derive(Clone, Debug)]
pub struct Deblock {
    pub block: usize,
    /// Chroma of fewer samples than luma.
    pub is_chroma: bool,
    pub thresholds: Thresholds,
}

impl Thresholds {
    /// Those of `params`, where a code of eight bits is `one`; `None` where no edge is filtered.
    pub fn new(params: &DeblockParams, one: i32) -> Option<Thresholds> {
        let index = |offset: i64| ((params.qp + offset).clamp(0, 51) as usize).checked_sub(FIRST);
        let (a, b) = (index(params.alpha_offset)?, index(params.beta_offset)?);
        let [alpha, beta, tc0] =
            [ALPHA[a], BETA[b], TC0[params.strength as usize - 1][a]].map(|code| i32::from(code) * one);
        Some(Thresholds { alpha, beta, tc0, one })
    }
}

impl Deblock {
    /// What becomes of p1, p0, q0 and q1 of p2, p1, p0, q0, q1 and q2.
    #[inline(always)]
    fn edge(&self, [p2, p1, p0, q0, q1, q2]: [i32; 6]) -> [i32; 4] {
        let Thresholds { alpha, beta, tc0, one } = self.thresholds;
        let is_near = |a: i32, b: i32| (a - b).abs() < beta;
        let is_filtered = (p0 - q0).abs() < alpha && is_near(p1, p0) && is_near(q1, q0);
        let (is_flat_p, is_flat_q) = (!self.is_chroma & is_near(p2, p0), !self.is_chroma & is_near(q2, q0));
        let wider = i32::from(is_flat_p) + i32::from(is_flat_q) + i32::from(self.is_chroma);
        let tc = tc0 + wider * one;
        let delta = ((4 * (q0 - p0) + p1 - q1 + 4) >> 3).max(-tc).min(tc);
        let middle = (p0 + q0 + 1) >> 1;
        let outer = |far: i32, near: i32| ((far + middle - 2 * near) >> 1).max(-tc0).min(tc0);
        let changed = |is_changed: bool, value: i32, by: i32| value + if is_filtered & is_changed { by } else { 0 };
        [
            changed(is_flat_p, p1, outer(p2, p1)),
            changed(true, p0, delta).clamp(0, 0xffff),
            changed(true, q0, -delta).clamp(0, 0xffff),
            changed(is_flat_q, q1, outer(q2, q1)),
        ]
    }

    /// The edge that sample `at` of `len` lies beside, and its place in what [`Deblock::edge`] gives.
    fn beside(&self, at: usize, len: usize) -> Option<(usize, usize)> {
        let behind = at % self.block;
        match self.block - behind {
            _ if behind < 2 => Some((at - behind, behind + 2)).filter(|(edge, _)| *edge > 0),
            before @ 1..=2 => Some((at + before, 2 - before)).filter(|(edge, _)| *edge < len),
            _ => None,
        }
    }

    /// The edges that lie beside any of `range` of `len` samples.
    #[inline(always)]
    fn edges(&self, range: &std::ops::Range<usize>, len: usize) -> impl Iterator<Item = usize> {
        let first = range.start.saturating_sub(1).max(1).next_multiple_of(self.block);
        (first..(range.end + 2).min(len)).step_by(self.block)
    }

    /// What becomes of samples beside `LANES` edges.
    #[inline(always)]
    fn edges_at_once(&self, samples: &[[u16; LANES]; 6]) -> [[u16; LANES]; 4] {
        let mut results = [[0; LANES]; 4];
        for lane in 0..LANES {
            let edge = self.edge([0, 1, 2, 3, 4, 5].map(|i: usize| i32::from(samples[i][lane])));
            for (result, value) in results.iter_mut().zip(edge) {
                result[lane] = value as u16;
            }
        }
        results
    }

    /// Upright edges: from the lanes of a tile to its first spare ones.
    #[inline(always)]
    fn upright(&self, tile: &mut Tile) {
        let (stride, high) = (tile.stride, tile.high());
        tile.spare[0].copy_from_slice(&tile.lanes);
        for edge in self.edges(&tile.columns, tile.plane.0) {
            // Of p2.
            let column = edge + RADIUS - 3 - tile.columns.start;
            for first in (0..high).step_by(LANES) {
                let row = |lane: usize| (first + lane).min(high - 1) * stride + column;
                let mut samples = [[0; LANES]; 6];
                for lane in 0..LANES {
                    let from = &tile.lanes[row(lane)..][..6];
                    (0..6).for_each(|i| samples[i][lane] = from[i]);
                }
                let results = self.edges_at_once(&samples);
                for lane in 0..LANES {
                    let to = &mut tile.spare[0][row(lane) + 1..][..4];
                    (0..4).for_each(|i| to[i] = results[i][lane]);
                }
            }
        }
    }

    /// Level edges: from the first spare lanes of a tile to its results.
    #[inline(always)]
    fn level(&self, tile: &mut Tile) {
        let (stride, len) = (tile.stride, tile.columns.len());
        for (row, out) in tile.out.chunks_mut(len).enumerate().take(tile.rows.len()) {
            out.copy_from_slice(&tile.spare[0][(row + RADIUS) * stride + RADIUS..][..len]);
        }
        for edge in self.edges(&tile.rows, tile.plane.1) {
            let above = edge + RADIUS - 3 - tile.rows.start;
            for x in (0..len).step_by(LANES) {
                let mut samples = [[0; LANES]; 6];
                for (i, samples) in samples.iter_mut().enumerate() {
                    samples.copy_from_slice(&tile.spare[0][(above + i) * stride + RADIUS + x..][..LANES]);
                }
                for (i, result) in self.edges_at_once(&samples).iter().enumerate() {
                    // p1 is two rows above the edge.
                    let row = (edge + i).wrapping_sub(2 + tile.rows.start);
                    if row < tile.rows.len() {
                        let out = &mut tile.out[row * len..][x..len];
                        let count = LANES.min(out.len());
                        out[..count].copy_from_slice(&result[..count]);
                    }
                }
            }
        }
    }
}

impl WindowOp for Deblock {
    fn radius(&self) -> (usize, usize) {
        (RADIUS, RADIUS)
    }

    fn plain(&self, src: &Grid) -> Grid {
        let (width, height) = src.size();
        let upright = src.map(|x, y| match self.beside(x as usize, width) {
            Some((edge, place)) => {
                self.edge([-3, -2, -1, 0, 1, 2].map(|i| src.at(edge as isize + i, y).into()))[place] as u16
            }
            None => src.at(x, y),
        });
        upright.map(|x, y| match self.beside(y as usize, height) {
            Some((edge, place)) => {
                self.edge([-3, -2, -1, 0, 1, 2].map(|i| upright.at(x, edge as isize + i).into()))[place] as u16
            }
            None => upright.at(x, y),
        })
    }

    #[inline(always)]
    fn tile(&self, tile: &mut Tile) {
        self.upright(tile);
        self.level(tile);
    }
}
