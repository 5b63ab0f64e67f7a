//! The plain kernel: the definition, sample by sample.

use super::plan::{BINS, JOINED, ONE, Plan};
use super::table::{TileCurve, make};
use crate::filters::{CpuJob, CpuKernel};
use crate::simd::rows::{copy, narrow, widen};
use crate::video::PlaneRef;

/// The scalar kernel.
pub(super) struct Reference {
    plan: Plan,
}

impl Reference {
    pub(super) fn new(plan: Plan) -> Reference {
        Reference { plan }
    }

    /// The curve of tile `tile` of a plane.
    fn curve(&self, rows: &[Vec<u16>], tile: usize) -> TileCurve {
        let (columns, tile_rows) = self.plan.tile(tile);
        let (mut counts, mut curve) = ([0; BINS], [0; BINS + 1]);
        for lane in rows[tile_rows].iter().flat_map(|row| &row[columns.clone()]) {
            if let Some(bin) = self.plan.levels.bin(*lane) {
                counts[bin] += 1;
            }
        }
        make(&self.plan.levels, &counts, &mut curve);
        curve
    }

    /// What becomes of a lane at (x, y).
    fn sample(&self, curves: &[TileCurve], x: usize, y: usize, lane: u16) -> u16 {
        let Plan { levels, tiles: (across, _), .. } = &self.plan;
        let Some(bin) = levels.bin(lane) else { return lane };
        let ((left, right, weight_x), (above, below, weight_y)) = (self.plan.column(x), self.plan.row(y));
        let joined = |edge: usize| {
            let at = |column: usize, row: usize| u64::from(curves[row * across + column][edge]);
            let in_row = |row| at(left, row) * u64::from(ONE - weight_x) + at(right, row) * u64::from(weight_x);
            (in_row(above) * u64::from(ONE - weight_y) + in_row(below) * u64::from(weight_y)) >> (16 - JOINED)
        };
        let (step, shift) = (u64::from(lane) & ((1 << levels.shift) - 1), levels.shift + JOINED);
        let value = joined(bin) * ((1 << levels.shift) - step) + joined(bin + 1) * step;
        ((value + (1 << (shift - 1))) >> shift) as u16
    }
}

fn read(plane: &PlaneRef<'_>) -> Vec<Vec<u16>> {
    let mut rows = vec![vec![0; plane.width()]; plane.height()];
    rows.iter_mut().enumerate().for_each(|(y, row)| widen(plane, 0, y, row));
    rows
}

impl CpuKernel for Reference {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { src, mut dst, .. } = job;
        for (component, src) in src.here().iter().enumerate() {
            let dst = dst.get_mut(component);
            if !self.plan.works_on(component) {
                copy(src, 0..dst.height(), dst);
                continue;
            }
            let rows = read(src);
            let tiles = self.plan.tiles.0 * self.plan.tiles.1;
            let curves: Vec<TileCurve> = (0..tiles).map(|tile| self.curve(&rows, tile)).collect();
            for (y, row) in rows.iter().enumerate() {
                let made: Vec<u16> =
                    row.iter().enumerate().map(|(x, lane)| self.sample(&curves, x, y, *lane)).collect();
                narrow(dst, 0, y, &made);
            }
        }
    }

    fn path(&self) -> &'static str {
        "reference"
    }
}
