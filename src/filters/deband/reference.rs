//! The plain kernel: the definition, sample by sample.

use super::plan::Plan;
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
        Reference { plan, table }
    }

    /// The result at (`x`, `y`) of component `index`.
    fn sample(&self, src: PlaneRef<'_>, index: usize, x: usize, y: usize, base: usize, by_field: bool) -> i32 {
        let plan = &self.plan;
        let c = &plan.components[index];
        let n = c.range.min(x).min(y).min(c.width - 1 - x).min(c.height - 1 - y) as i32;
        let draw = |draw, n| spread(self.table.row(draw, base, x, y)[0], n);
        let (a, b) = (draw(Draw::RefA, n), draw(Draw::RefB, n));

        let value_at = |dx: i32, dy: i32| {
            let (x, y) = (x.wrapping_add_signed(dx as isize), y.wrapping_add_signed(dy as isize));
            if plan.yc48 { src.get(x, y) } else { i32::from(src.v16(x, y)) }
        };
        let (above, below) = (y as i32, (c.height - 1 - y) as i32);
        // One reference looks up only where its offset is negative; a pair looks as far down as up.
        let room = if plan.sample == 0 { above } else { above.min(below) };
        let rows = |offset: i32| if by_field { within_field(offset, room) } else { offset };

        let own = value_at(0, 0);
        let (value, farthest) = match plan.sample {
            0 => {
                let p = value_at(b, rows(a));
                (p, own.abs_diff(p))
            }
            1 => {
                let (p, m) = (value_at(b, rows(a)), value_at(-b, -rows(a)));
                ((p + m + 1) >> 1, own.abs_diff(p).max(own.abs_diff(m)))
            }
            _ => {
                let refs = [value_at(b, rows(a)), value_at(-b, -rows(a)), value_at(a, -rows(b)), value_at(-a, rows(b))];
                let farthest = refs.map(|r| own.abs_diff(r)).into_iter().max().unwrap_or(0);
                ((refs.iter().sum::<i32>() + 2) >> 2, farthest)
            }
        };
        let difference = if plan.blur_first { own.abs_diff(value) } else { farthest };
        let debanded = if (difference as i32) < c.threshold { value } else { own };
        (debanded + draw(Draw::Dither(index), c.dither)).clamp(c.low, c.high)
    }
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
