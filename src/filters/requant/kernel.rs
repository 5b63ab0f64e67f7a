//! Rounding and pattern dithers: samples are independent, so rows are cut in parts that stay in the first cache.

use crate::device::cpu::CpuLevel;
use crate::filters::requant::Requant;
use crate::filters::requant::pattern::{TILE, Tile, origin};
use crate::filters::requant::scaling::{MulShift, Scaling};
use crate::filters::requant::tuning::cpu::{BAND, PART};
use crate::filters::{CpuJob, CpuKernel};
use crate::simd::dispatch::by_level;
use crate::simd::rows::{narrow, widen};
use crate::video::{PlaneMut, PlaneRef};

/// How a component's values map.
enum Mapping {
    /// They only lose their low bits; thresholds are in v16 units.
    Cut { top: u16, bias: u16, tile: Tile },
    /// They are scaled first; thresholds are in the scaling's finer units.
    Scale { scaling: MulShift, bias: i32, highest: i32, tile: Tile },
}

/// The fast kernel of every dither but error diffusion.
pub struct Threshold {
    requant: Requant,
    level: CpuLevel,
    maps: [Mapping; 3],
}

impl Threshold {
    /// A kernel at `level`, which the processor has.
    pub fn new(requant: Requant, level: CpuLevel) -> Threshold {
        let map = |component: usize| {
            let (scaling, bias): (Scaling, i32) = (requant.scalings[component], requant.bias());
            let tile = |shift| Tile::new(requant.dither, requant.fraction_bits(), shift);
            if scaling.is_identity() {
                Mapping::Cut {
                    top: scaling.top as u16,
                    bias: (bias >> requant.guard) as u16,
                    tile: tile(requant.guard),
                }
            } else {
                let (scaling, highest) = (MulShift::new(scaling, requant.guard), requant.highest(component));
                Mapping::Scale { scaling, bias, highest, tile: tile(0) }
            }
        };
        Threshold { requant, level, maps: std::array::from_fn(map) }
    }
}

impl CpuKernel for Threshold {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { props, src, mut dst, exec, .. } = job;
        let (src, dst) = (src.here(), &mut dst);
        let Threshold { requant, level, maps } = &*self;
        exec.bands(dst, BAND, |component, rows, mut band| {
            let origin = origin(requant, component, props.frame_index);
            let work = BandSetup { map: &maps[component], requant, src: src[component], first: rows.start, origin };
            // SAFETY: the caller of `new` vouches that the processor has the level.
            unsafe { run_band(*level, &work, &mut band) };
        });
    }

    fn path(&self) -> &'static str {
        self.level.name()
    }
}

/// What a band of rows needs.
struct BandSetup<'a> {
    map: &'a Mapping,
    requant: &'a Requant,
    src: PlaneRef<'a>,
    first: usize,
    origin: (usize, usize),
}

by_level!(run_band = band(work: &BandSetup<'_>, dst: &mut PlaneMut<'_>));

#[inline(always)]
fn band(work: &BandSetup<'_>, dst: &mut PlaneMut<'_>) {
    let mut part = [0; PART];
    for row in 0..dst.height() {
        let y = work.first + row;
        for x in (0..dst.width()).step_by(PART) {
            let part = &mut part[..PART.min(dst.width() - x)];
            widen(&work.src, x, y, part);
            requantise(work, y, part);
            narrow(dst, x, row, part);
        }
    }
}

/// Sets every sample of `$part` to `$sum` of itself and the threshold at its place. No function of a closure: the compiler
/// may leave that out of line, where it has no vectors.
macro_rules! each {
    ($part:ident, $thresholds:expr, $v:ident, $t:ident, $sum:expr) => {{
        let thresholds: &[u16; TILE] = $thresholds;
        let (whole, rest) = $part.as_chunks_mut::<TILE>();
        for values in whole {
            for (value, threshold) in values.iter_mut().zip(thresholds) {
                let ($v, $t) = (*value, *threshold);
                *value = $sum;
            }
        }
        for (value, threshold) in rest.iter_mut().zip(thresholds) {
            let ($v, $t) = (*value, *threshold);
            *value = $sum;
        }
    }};
}

/// Requantises part of row `y` that starts at a multiple of the tile's width.
#[inline(always)]
fn requantise(work: &BandSetup<'_>, y: usize, part: &mut [u16]) {
    let Requant { drop, .. } = *work.requant;
    let (x, y) = (work.origin.0, work.origin.1 + y);
    match *work.map {
        Mapping::Cut { top, bias: 0, ref tile } => {
            let mask = !0 << drop;
            each!(part, tile.row(x, y), v, t, (v.min(top) + t) & mask);
        }
        // What saturates is in the highest code in any case.
        Mapping::Cut { top, bias, ref tile } => {
            let mask = !0 << drop;
            each!(part, tile.row(x, y), v, t, v.min(top).saturating_add(t).saturating_sub(bias) & mask);
        }
        Mapping::Scale { scaling, bias, highest, ref tile } => {
            let cut = work.requant.fraction_bits();
            each!(part, tile.row(x, y), v, t, {
                let sum = (scaling.apply(v) + i32::from(t) - bias).clamp(0, highest);
                (sum >> cut << drop) as u16
            });
        }
    }
}
