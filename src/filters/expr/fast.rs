//! The fast kernel: every step of the code is done for a block of samples before the next, so that choosing it costs little and
//! its loop is one of vectors.

use super::code::{Code, Step, Value};
use super::plan::{ComponentPlan, Plan};
use super::tuning::cpu::{BAND, BLOCK};
use super::words::Given;
use crate::device::cpu::CpuLevel;
use crate::error::Result;
use crate::filters::stock::Stock;
use crate::filters::{CpuJob, CpuKernel};
use crate::simd::dispatch::by_level;
use crate::simd::rows::{copy, narrow, widen};
use crate::video::{PlaneMut, PlaneRef};
use std::ops::Range;

/// The kernel.
pub struct Fast {
    plan: Plan,
    level: CpuLevel,
    registers: Stock<Registers>,
    count: usize,
}

/// What a thread works in: values of a block each. They are moved while they are written, so each has memory of its own.
type Registers = Vec<Vec<f32>>;

impl Fast {
    /// The kernel of `plan` at `level`.
    ///
    /// # Errors
    /// When the processor lacks the level.
    pub fn new(plan: Plan, level: CpuLevel) -> Result<Fast> {
        level.require()?;
        let codes = plan.components.iter().flatten().map(|component| component.expression.code());
        let count = codes.map(|code| code.registers).max().unwrap_or(0);
        Ok(Fast { plan, level, registers: Stock::new(registers(count)), count })
    }
}

fn registers(count: usize) -> Registers {
    vec![vec![0.0; BLOCK]; count]
}

impl CpuKernel for Fast {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { props, src, mut dst, exec, .. } = job;
        let this = &*self;
        exec.bands(&mut dst, BAND, |index, rows, mut band| {
            let own = src.here()[index];
            let Some(component) = &this.plan.components[index] else { return copy(&own, rows, &mut band) };
            let sources = this.plan.inputs.map(|input| input.map_or(own, |input| src.at(input, 0)[index]));
            let work = Band { component, sources, rows, frame: props.frame_index as f32 };
            // SAFETY: `new` checked that the processor has the level.
            let filter = |registers: &mut Registers| unsafe { run_band(this.level, &work, &mut band, registers) };
            this.registers.with(|| registers(this.count), filter);
        });
    }

    fn path(&self) -> &'static str {
        self.level.name()
    }
}

/// A band of rows.
struct Band<'a> {
    component: &'a ComponentPlan,
    sources: [PlaneRef<'a>; 3],
    rows: Range<usize>,
    frame: f32,
}

by_level!(run_band = band(work: &Band<'_>, dst: &mut PlaneMut<'_>, registers: &mut Registers));

#[inline(always)]
fn band(work: &Band<'_>, dst: &mut PlaneMut<'_>, registers: &mut Registers) {
    let ComponentPlan { expression, stream } = work.component;
    let mut lanes = [0; BLOCK];
    for (row, y) in work.rows.clone().enumerate() {
        for x in (0..dst.width()).step_by(BLOCK) {
            let count = BLOCK.min(dst.width() - x);
            let result = run(expression.code(), work, (x, y), count, registers);
            for (lane, value) in lanes.iter_mut().zip(&registers[result]) {
                *lane = stream.sample(*value);
            }
            narrow(dst, x, row, &lanes[..count]);
        }
    }
}

/// Does the steps for `count` samples from column `x` of row `y` on, and gives the register of the result.
#[inline(always)]
fn run(code: &Code, work: &Band<'_>, (x, y): (usize, usize), count: usize, registers: &mut Registers) -> usize {
    let stream = &work.component.stream;
    let mut result = 0;
    for Step { to, value } in &code.steps {
        let mut out = std::mem::take(&mut registers[*to]);
        match value {
            Value::Number(number) => out.fill(*number),
            Value::Source(source) => read(&work.sources[*source], (x, y), count, 1.0 / stream.unit, &mut out),
            Value::Given(Given::Column) => (x..).zip(&mut out).for_each(|(x, out)| *out = x as f32),
            Value::Given(Given::Row) => out.fill(y as f32),
            Value::Given(Given::Frame) => out.fill(work.frame),
            Value::Given(given) => out.fill(stream.number(*given).unwrap_or(0.0)),
            Value::Apply(op, from) => op.of_all(&mut out[..BLOCK], from.map(|register| &registers[register][..BLOCK])),
        }
        registers[*to] = out;
        result = *to;
    }
    result
}

/// The codes of `count` samples.
#[inline(always)]
fn read(plane: &PlaneRef<'_>, (x, y): (usize, usize), count: usize, scale: f32, out: &mut [f32]) {
    let mut lanes = [0; BLOCK];
    widen(plane, x, y, &mut lanes[..count]);
    for (out, lane) in out.iter_mut().zip(lanes) {
        *out = f32::from(lane) * scale;
    }
}
