//! The plain kernel: the definition, sample by sample.

use super::angle::{self, REACH};
use super::plan::{Plan, nearest_row};
use super::soft::{Differences, Soft, between};
use super::table::{Draw, Table};
use crate::error::Result;
use crate::filters::{CpuJob, CpuKernel};
use crate::video::PlaneRef;

/// Rows that a thread takes at a time.
const BAND: usize = 16;

/// The scalar kernel.
pub(super) struct Reference {
    plan: Plan,
    table: Table,
    soft: Vec<Soft>,
    arcs: Vec<u16>,
}

impl Reference {
    /// The kernel of `plan`.
    ///
    /// # Errors
    /// When there is no memory for the random table.
    pub(super) fn new(plan: Plan) -> Result<Reference> {
        let table = Table::new(plan.width, plan.height, plan.seed, plan.rand_each_frame)?;
        Ok(Self::with_table(plan, table))
    }

    /// The kernel of `plan` with random bytes of the caller's.
    pub(super) fn with_table(plan: Plan, table: Table) -> Reference {
        let components = plan.components.iter().take(if plan.is_soft() { plan.components.len() } else { 0 });
        let soft = components.map(|component| Soft::new(&plan, component)).collect();
        let arcs = if plan.sample == 7 { angle::arcs() } else { Vec::new() };
        Reference { plan, table, soft, arcs }
    }

    /// The result at (`x`, `y`) of component `index`.
    fn sample(&self, src: PlaneRef<'_>, index: usize, x: usize, y: usize, base: usize, by_field: bool) -> i32 {
        let plan = &self.plan;
        let c = &plan.components[index];
        let draw_at = |draw, n| spread(self.table.row(draw, base, x, y)[0], n);
        let (right, below) = (c.width - 1 - x, c.height - 1 - y);
        let n = if plan.extend { c.range } else { c.range.min(x).min(y).min(right).min(below) } as i32;
        let (a, b) = (draw_at(Draw::RefA, n), draw_at(Draw::RefB, n));

        // Outside, the nearest sample of the plane, or of the field.
        let (left, above, right, below) = (x as i32, y as i32, right as i32, below as i32);
        let (rows_above, rows_below) = if by_field { (above & !1, below & !1) } else { (above, below) };
        let inside = |dx: i32, dy: i32| {
            let x = x.wrapping_add_signed(dx.clamp(-left, right) as isize);
            (x, y.wrapping_add_signed(dy.clamp(-rows_above, rows_below) as isize))
        };
        let value_at = |dx: i32, dy: i32| self.value(src, inside(dx, dy));
        // One reference looks up only where its offset is negative; a pair looks as far down as up.
        let room = if plan.sample == 0 { above } else { above.min(below) };
        let rows = |offset: i32| match (by_field, plan.extend) {
            (false, _) => offset,
            (true, true) => offset & !1,
            (true, false) => within_field(offset, room),
        };
        let pair = |dx: i32, dy: i32| [value_at(dx, dy), value_at(-dx, -dy)];

        let own = value_at(0, 0);
        let differs = |value: i32| own.abs_diff(value) as i32;
        let farthest = |references: &[i32]| references.iter().map(|r| differs(*r)).max().unwrap_or(0);
        let debanded = |references: &[i32]| {
            let value = average(references);
            let difference = if plan.blur_first { differs(value) } else { farthest(references) };
            if difference < c.threshold { value } else { own }
        };
        let value = match plan.sample {
            0 => debanded(&[value_at(b, rows(a))]),
            1 => debanded(&pair(b, rows(a))),
            2 => debanded([pair(b, rows(a)), pair(a, -rows(b))].as_flattened()),
            3 => debanded(&pair(b, 0)),
            4 => average(&[debanded(&pair(0, rows(a))), debanded(&pair(b, 0))]),
            mode => {
                let pairs = [pair(0, rows(a)), pair(b, 0)];
                let (all, middles) = (pairs.as_flattened(), pairs.map(|pair| average(&pair)));
                let value = average(all);
                if mode == 5 {
                    let is_band = differs(value) < c.threshold && farthest(all) < c.farthest;
                    if is_band && farthest(&middles) < c.middle { value } else { own }
                } else {
                    let angle_at = |dx, dy| self.angle(src, inside(dx, dy), by_field);
                    let turns = |dx, dy| u32::from(angle_at(dx, dy).abs_diff(angle_at(0, 0)));
                    let around = [(0, rows(a)), (0, -rows(a)), (b, 0), (-b, 0)];
                    let share = self.soft[index].share(Differences {
                        average: differs(value) as u16,
                        farthest: farthest(all) as u16,
                        middles: middles.map(|middle| differs(middle) as u16),
                        is_steady: mode == 7 && around.iter().all(|&(dx, dy)| turns(dx, dy) <= plan.max_angle),
                    });
                    between(own, value, share)
                }
            }
        };
        (value + draw_at(Draw::Dither(index), c.dither)).clamp(c.low, c.high)
    }

    fn value(&self, src: PlaneRef<'_>, (x, y): (usize, usize)) -> i32 {
        if self.plan.yc48 { src.get(x, y) } else { i32::from(src.v16(x, y)) }
    }

    /// The angle of the gradient around (`x`, `y`).
    fn angle(&self, src: PlaneRef<'_>, (x, y): (usize, usize), by_field: bool) -> u16 {
        let reach = REACH as isize;
        let (across, up) = angle::gradient(|dx, dy| {
            let x = (x as isize + dx as isize * reach).clamp(0, src.width() as isize - 1) as usize;
            self.value(src, (x, nearest_row(y as isize + dy as isize * reach, src.height(), by_field)))
        });
        angle::angle(across, up, &self.arcs)
    }
}

/// The mean of one, two or four values, rounded half up.
fn average(values: &[i32]) -> i32 {
    let count = values.len() as i32;
    (values.iter().sum::<i32>() + count / 2).div_euclid(count)
}

/// Maps a random byte to −n..n.
fn spread(byte: u8, n: i32) -> i32 {
    (((2 * n + 1) * i32::from(byte)) >> 8) - n
}

/// A vertical offset rounded down to even, so that it stays within a field; two more where that passes `room` rows.
fn within_field(offset: i32, room: i32) -> i32 {
    let even = offset & !1;
    if even < -room { even + 2 } else { even }
}

impl CpuKernel for Reference {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { props, src, mut dst, exec, .. } = job;
        let (src, dst) = (src.here(), &mut dst);
        let this = &*self;
        let base = this.table.base(props.frame_index, this.plan.rand_each_frame);
        let by_field = this.plan.by_field(props);
        exec.bands(dst, BAND, |index, rows, mut band| {
            for (row, y) in rows.enumerate() {
                for x in 0..band.width() {
                    let value = this.sample(src[index], index, x, y, base, by_field);
                    if this.plan.yc48 {
                        band.set(x, row, value);
                    } else {
                        band.set_v16(x, row, value as u16);
                    }
                }
            }
        });
    }

    fn path(&self) -> &'static str {
        "reference"
    }
}
