//! The fast kernel: a row's grain is put together block by block, and then added in vectors.

use super::plan::{ComponentPlan, Curve, Plan};
use super::template::{BLOCK, OVERLAP, Template, blend, place, templates};
use super::tuning::cpu::BAND;
use crate::device::cpu::CpuLevel;
use crate::error::Result;
use crate::filters::guide::{LumaAt, LumaScratch};
use crate::filters::stock::Stock;
use crate::filters::{CpuJob, CpuKernel};
use crate::simd::dispatch::by_level;
use crate::simd::rows::{copy, narrow, widen};
use crate::video::{PlaneMut, PlaneRef};
use std::ops::Range;

/// The kernel.
pub(super) struct Fast {
    plan: Plan,
    level: CpuLevel,
    templates: Vec<Option<Template>>,
    width: usize,
    scratch: Stock<Scratch>,
}

/// What a thread works in.
struct Scratch {
    lanes: Vec<u16>,
    /// What says how strong grain is.
    steer: Vec<u16>,
    luma: LumaScratch,
    /// A row's grain, and that of the blocks above where they reach into it.
    grain: Vec<i16>,
    above: Vec<i16>,
}

impl Scratch {
    fn new(width: usize) -> Scratch {
        Scratch {
            lanes: vec![0; width],
            steer: vec![0; width],
            luma: LumaScratch::new(width),
            grain: vec![0; width],
            above: vec![0; width],
        }
    }
}

impl Fast {
    /// The kernel of `plan` for pictures of `width` columns, at `level`.
    ///
    /// # Errors
    /// When the processor lacks the level.
    pub(super) fn new(plan: Plan, width: usize, level: CpuLevel) -> Result<Fast> {
        level.require()?;
        Ok(Fast { templates: templates(&plan), scratch: Stock::new(Scratch::new(width)), plan, level, width })
    }
}

impl CpuKernel for Fast {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { props, src, mut dst, exec, .. } = job;
        let (this, src, key) = (&*self, src.here(), self.plan.key(props.frame_index));
        exec.bands(&mut dst, BAND, |index, rows, mut band| {
            let Some(template) = &this.templates[index] else {
                return copy(&src[index], rows, &mut band);
            };
            let component = this.plan.components[index];
            let luma = component.follows_luma.then(|| LumaAt::new(src[0], this.plan.subsampling));
            let work = Band { curve: this.plan.curve, component, template, key, src: src[index], luma, rows };
            // SAFETY: `new` checked that the processor has the level.
            let filter = |scratch: &mut Scratch| unsafe { run_band(this.level, &work, &mut band, scratch) };
            this.scratch.with(|| Scratch::new(this.width), filter);
        });
    }

    fn path(&self) -> &'static str {
        self.level.name()
    }
}

/// A band of rows to make.
struct Band<'a> {
    curve: Curve,
    component: ComponentPlan,
    template: &'a Template,
    key: u64,
    src: PlaneRef<'a>,
    /// Where luma says how strong grain is.
    luma: Option<LumaAt<'a>>,
    rows: Range<usize>,
}

by_level!(run_band = band(work: &Band<'_>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch));

#[inline(always)]
fn band(work: &Band<'_>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch) {
    let width = work.src.width();
    let Scratch { lanes, steer, luma, grain, above } = scratch;
    let (lanes, steer) = (&mut lanes[..width], &mut steer[..width]);
    let (grain, above) = (&mut grain[..width], &mut above[..width]);
    for (row, y) in work.rows.clone().enumerate() {
        widen(&work.src, 0, y, lanes);
        match &work.luma {
            Some(at) => at.row(y, luma, steer),
            None => steer.copy_from_slice(lanes),
        }
        work.row(y, grain, above);
        add(&work.curve, &work.component, lanes, steer, grain);
        narrow(dst, 0, row, lanes);
    }
}

#[inline(always)]
fn add(curve: &Curve, component: &ComponentPlan, lanes: &mut [u16], steer: &[u16], grain: &[i16]) {
    for ((lane, steer), grain) in lanes.iter_mut().zip(steer).zip(grain) {
        *lane = curve.grained(component, *lane, *steer, *grain);
    }
}

impl Band<'_> {
    /// The grain of row `y`.
    #[inline(always)]
    fn row(&self, y: usize, grain: &mut [i16], above: &mut [i16]) {
        let (row, down) = (y / BLOCK, y % BLOCK);
        self.row_of_blocks(row, down, grain);
        if row > 0 && down < OVERLAP {
            self.row_of_blocks(row - 1, BLOCK + down, above);
            for (later, earlier) in grain.iter_mut().zip(above) {
                *later = blend(down, *earlier, *later);
            }
        }
    }

    /// Row `down` of the blocks of row `row` of them.
    #[inline(always)]
    fn row_of_blocks(&self, row: usize, down: usize, out: &mut [i16]) {
        let mut overlap: Option<[i16; OVERLAP]> = None;
        for (column, out) in out.chunks_mut(BLOCK).enumerate() {
            let grain = self.template.row(place(self.key, column, row), down);
            out.copy_from_slice(&grain[..out.len()]);
            for (i, (later, earlier)) in out.iter_mut().zip(overlap.iter().flatten()).enumerate() {
                *later = blend(i, *earlier, *later);
            }
            overlap = Some([grain[BLOCK], grain[BLOCK + 1]]);
        }
    }
}
