//! The fast kernel: rows are cut in parts that stay in the first cache, and each step goes over a part.

use super::tables::{BuiltStep, compile};
use super::tuning::cpu::{BAND, PART};
use super::{Points, groups};
use crate::device::cpu::CpuLevel;
use crate::error::Result;
use crate::filters::{CpuJob, CpuKernel, Setup};
use crate::simd::dispatch::by_level;
use crate::simd::rows::{narrow, widen};
use crate::video::{PlaneMut, Planes};
use std::array::from_fn;
use std::ops::Range;

/// Components that are worked on together, and what is done to them.
struct Group {
    components: Range<usize>,
    steps: Vec<BuiltStep>,
}

/// The kernel.
pub struct Fast {
    groups: Vec<Group>,
    level: CpuLevel,
}

impl Fast {
    /// The kernel of `points` at `level`.
    ///
    /// # Errors
    /// When the processor lacks the level.
    pub fn new(points: &Points, setup: &Setup, level: CpuLevel) -> Result<Fast> {
        level.require()?;
        let built = |components: Range<usize>| {
            let steps = compile(&points.of_group(&components), setup);
            Group { components, steps }
        };
        Ok(Fast { groups: groups(setup.input.format).into_iter().map(built).collect(), level })
    }
}

impl CpuKernel for Fast {
    fn run(&mut self, job: CpuJob<'_>) {
        let (src, dst, this) = (job.src.here(), job.dst, &*self);
        let bands_of = |group: &Group| src[group.components.start].height().div_ceil(BAND);
        let count = this.groups.iter().map(bands_of).sum();
        job.exec.each(count, |mut band| {
            let mut groups = this.groups.iter();
            let mut group = groups.next().expect("a picture has components");
            while band >= bands_of(group) {
                band -= bands_of(group);
                group = groups.next().expect("there are no more bands than counted");
            }
            let Group { components: group, steps } = group;
            let rows = band * BAND..((band + 1) * BAND).min(src[group.start].height());
            let part = |c: usize| {
                let is_made = group.contains(&c) && dst.get(c).height() > 0;
                // SAFETY: each band has other rows of each component, and `dst` is borrowed by this call alone.
                is_made.then(|| unsafe { dst.get(c).band(rows.clone()) })
            };
            let mut to = from_fn(|c| if c < dst.len() { part(c) } else { None });
            let band = Band { steps, group, src, rows };
            // SAFETY: `new` has asked for the level.
            unsafe { run_band(this.level, &band, &mut to) };
        });
    }

    fn path(&self) -> &'static str {
        self.level.name()
    }
}

/// A band of rows of the components of a group.
struct Band<'a> {
    steps: &'a [BuiltStep],
    group: &'a Range<usize>,
    src: &'a Planes<'a>,
    rows: Range<usize>,
}

by_level!(run_band = make(band: &Band<'_>, to: &mut [Option<PlaneMut<'_>>; 3]));

#[inline(always)]
fn make(band: &Band<'_>, to: &mut [Option<PlaneMut<'_>>; 3]) {
    let Band { steps, group, src, rows } = band;
    let width = src[group.start].width();
    let mut parts = [[0; PART]; 3];
    for (row, y) in rows.clone().enumerate() {
        for x in (0..width).step_by(PART) {
            let len = PART.min(width - x);
            (*group).clone().for_each(|c| widen(&src[c], x, y, &mut parts[c][..len]));
            let mut views = parts.each_mut().map(|part| &mut part[..len]);
            steps.iter().for_each(|step| apply(step, group, &mut views));
            for c in (*group).clone() {
                if let Some(to) = &mut to[c] {
                    narrow(to, x, row, &parts[c][..len]);
                }
            }
        }
    }
}

/// One step over parts of rows of a group's components.
#[inline(always)]
fn apply(step: &BuiltStep, group: &Range<usize>, parts: &mut [&mut [u16]; 3]) {
    let [first, second, third] = parts;
    match (step, group.len()) {
        (BuiltStep::Tables { tables, turned }, _) => {
            for c in group.clone() {
                let Some(table) = &tables[c] else { continue };
                parts[c].iter_mut().for_each(|value| *value = table.look_up(*value, *turned));
            }
        }
        (_, 1) => {}
        (BuiltStep::Mix(mix), 2) => {
            for (cb, cr) in second.iter_mut().zip(third.iter_mut()) {
                [*cb, *cr] = mix.chroma([*cb, *cr]);
            }
        }
        (BuiltStep::Vibrance(vibrance), 2) => {
            for (cb, cr) in second.iter_mut().zip(third.iter_mut()) {
                [*cb, *cr] = vibrance.chroma([*cb, *cr]);
            }
        }
        (BuiltStep::Mix(mix), _) => {
            for ((r, g), b) in first.iter_mut().zip(second.iter_mut()).zip(third.iter_mut()) {
                [*r, *g, *b] = mix.mixed([*r, *g, *b]);
            }
        }
        (BuiltStep::Vibrance(vibrance), _) => {
            for ((r, g), b) in first.iter_mut().zip(second.iter_mut()).zip(third.iter_mut()) {
                [*r, *g, *b] = vibrance.rgb([*r, *g, *b]);
            }
        }
    }
}
