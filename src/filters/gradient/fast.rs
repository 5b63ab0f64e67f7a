//! The fast kernel: bands of rows, shared out between threads.

use super::band::{BandRows, RowOrder, Scratch, run};
use super::plan::Plan;
use super::simd::Portable;
#[cfg(target_arch = "x86_64")]
use super::simd::{Avx2, Avx512};
use crate::device::cpu::CpuLevel;
use crate::error::Result;
use crate::filters::gradient::tuning::cpu::BAND;
use crate::filters::stock::Stock;
use crate::filters::{CpuJob, CpuKernel};
use crate::simd::rows::copy;
use crate::video::{FrameProps, PlaneMut, Planes, PlanesMut};

/// The kernel.
pub(super) struct Fast {
    plan: Plan,
    level: CpuLevel,
    scratch: Stock<Scratch>,
}

impl Fast {
    /// The kernel of `plan` at `level`.
    ///
    /// # Errors
    /// When the processor lacks the level.
    pub(super) fn new(plan: Plan, level: CpuLevel) -> Result<Fast> {
        level.require()?;
        Ok(Fast { plan, level, scratch: Stock::new(Scratch::default()) })
    }

    /// Into how many bands component `index` is cut whose fields have `rows` rows. Both borders get one of their own where there are rows
    /// enough.
    fn bands(&self, index: usize, rows: usize, threads: usize) -> usize {
        let component = &self.plan.components[index];
        let reach: usize = component.passes.iter().map(|pass| pass.rows()).sum();
        match rows {
            _ if !component.filters => rows.div_ceil(BAND),
            _ if rows < 4 * reach.max(BAND / 2) => 1,
            _ if threads == 1 => 2,
            _ => (2 * threads).min(rows / BAND),
        }
    }

    /// Filters the rows of component `index` from `top` on into `dst`, which has these rows only.
    fn filter(&self, props: &FrameProps, src: &Planes<'_>, index: usize, top: usize, dst: &mut PlaneMut<'_>) {
        let (src, fields, rows) = (src[index], self.plan.fields(props), dst.height());
        for field in 0..fields {
            // `top` is a row of the first field.
            let lines = RowOrder {
                first: field as isize,
                step: fields as isize,
                count: (src.height() - field.min(src.height())).div_ceil(fields),
            };
            let start = top / fields;
            let rows = start as isize..(start + (rows - field.min(rows)).div_ceil(fields)) as isize;
            if rows.is_empty() {
                continue;
            }
            let count = lines.count as isize;
            let component = &self.plan.components[index];
            let work = BandRows { component, evidence: &self.plan.evidence, src, lines, rows: rows.clone(), top };
            let work = match rows.start + rows.end <= count {
                true => BandRows { lines: lines.reversed(), rows: count - rows.end..count - rows.start, ..work },
                false => work,
            };
            // SAFETY: `new` checked that the processor has the level.
            self.scratch.with(Scratch::default, |scratch| unsafe { run_at(self.level, &work, dst, scratch) });
        }
    }
}

impl CpuKernel for Fast {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { props, src, mut dst, exec, .. } = job;
        let (src, dst) = (src.here(), &mut dst);
        let this = &*self;
        let dst: &PlanesMut<'_> = dst;
        let fields = self.plan.fields(props);
        let bands_of = |index: usize| this.bands(index, dst.get(index).height().div_ceil(fields), exec.threads());
        let count = (0..dst.len()).map(bands_of).sum();
        exec.each(count, |i| {
            let (mut band, mut index) = (i, 0);
            while band >= bands_of(index) {
                band -= bands_of(index);
                index += 1;
            }
            let (plane, bands) = (dst.get(index), bands_of(index));
            // Both fields of a band go together.
            let bound = |band: usize| {
                if band == bands { plane.height() } else { plane.height() * band / bands / fields * fields }
            };
            let rows = bound(band)..bound(band + 1);
            // SAFETY: each index names other rows of a component, and `dst` is borrowed exclusively by this call.
            let mut part = unsafe { plane.band(rows.clone()) };
            if this.plan.components[index].filters {
                this.filter(props, src, index, rows.start, &mut part);
            } else {
                copy(&src[index], rows, &mut part);
            }
        });
    }

    fn path(&self) -> &'static str {
        self.level.name()
    }
}

/// Runs `work` with the vectors of `level`.
///
/// # Safety
/// The processor must have the level.
unsafe fn run_at(level: CpuLevel, work: &BandRows<'_>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch) {
    // SAFETY: by the caller.
    unsafe {
        match level {
            #[cfg(target_arch = "x86_64")]
            CpuLevel::Avx512 => avx512(work, dst, scratch),
            #[cfg(target_arch = "x86_64")]
            CpuLevel::Avx2 => avx2(work, dst, scratch),
            _ => run::<Portable>(work, dst, scratch),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn avx512(work: &BandRows<'_>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch) {
    // SAFETY: this runs with the instructions.
    unsafe { run::<Avx512>(work, dst, scratch) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2(work: &BandRows<'_>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch) {
    // SAFETY: this runs with the instructions.
    unsafe { run::<Avx2>(work, dst, scratch) }
}
