//! The definition, step by step and sample by sample.

use super::plan::{AROUND, Plan, SCALES, WEIGHTS};
use super::pool;
use crate::filters::remap::{Map, apply_plainly};
use crate::filters::{CpuJob, CpuKernel};
use crate::video::PlaneRef;

/// Values in columns and rows.
#[derive(Clone)]
struct ValueGrid<T> {
    width: usize,
    height: usize,
    values: Vec<T>,
}

impl<T: Copy> ValueGrid<T> {
    fn new((width, height): (usize, usize), value: impl Fn(usize, usize) -> T) -> ValueGrid<T> {
        let values = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| value(x, y)).collect();
        ValueGrid { width, height, values }
    }

    fn at(&self, x: usize, y: usize) -> T {
        self.values[y * self.width + x]
    }

    fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    /// The places up to `radius` from (x, y), in each direction, that there are.
    fn around(&self, x: usize, y: usize, radius: usize) -> impl Iterator<Item = (usize, usize)> + use<T> {
        let columns = x.saturating_sub(radius)..(x + radius + 1).min(self.width);
        (y.saturating_sub(radius)..(y + radius + 1).min(self.height))
            .flat_map(move |y| columns.clone().map(move |x| (x, y)))
    }

    fn halved(&self) -> ValueGrid<T> {
        ValueGrid::new((self.width.div_ceil(2), self.height.div_ceil(2)), |x, y| self.at(2 * x, 2 * y))
    }
}

/// The kernel.
pub struct Reference {
    plan: Plan,
}

impl Reference {
    pub fn new(plan: Plan) -> Reference {
        Reference { plan }
    }

    /// The picture in codes of ten bits.
    fn codes(&self, luma: &PlaneRef<'_>) -> ValueGrid<u16> {
        let codes = ValueGrid::new((luma.width(), luma.height()), |x, y| self.plan.code(luma.v16(x, y)));
        if self.plan.smooths { means(&codes) } else { codes }
    }

    /// Which samples lie in flat areas.
    fn flat_areas(&self, codes: &ValueGrid<u16>) -> ValueGrid<bool> {
        let flat = ValueGrid::new(codes.size(), |x, y| {
            let like =
                |x: usize, y: usize, other: u16| x >= codes.width || y >= codes.height || codes.at(x, y) == other;
            like(x + 1, y, codes.at(x, y)) && like(x, y + 1, codes.at(x, y))
        });
        ValueGrid::new(codes.size(), |x, y| {
            let around = flat.around(x, y, AROUND).filter(|(x, y)| flat.at(*x, *y)).count();
            around as u32 > self.plan.flat
        })
    }

    /// The contrast of a sample with what lies around it.
    fn contrast(&self, codes: &ValueGrid<u16>, flat: &ValueGrid<bool>, x: usize, y: usize) -> u16 {
        if !flat.at(x, y) {
            return 0;
        }
        let code = codes.at(x, y);
        let mut level = vec![0u32; 2 * self.plan.steps.len() + 1];
        let lowest = i32::from(code) - self.plan.steps.len() as i32;
        for (x, y) in codes.around(x, y, self.plan.radius).filter(|(x, y)| flat.at(*x, *y)) {
            if let Some(count) = usize::try_from(i32::from(codes.at(x, y)) - lowest).ok().and_then(|i| level.get_mut(i))
            {
                *count += 1;
            }
        }
        let middle = self.plan.steps.len();
        let seen = self.plan.steps.iter().enumerate();
        let contrasts = seen.filter(|(_, step)| (step.lowest..=step.highest).contains(&code)).map(|(i, step)| {
            let (own, other) = (level[middle], level[middle + i + 1].max(level[middle - i - 1]));
            step.weight * own * other * self.plan.gain / (own + other)
        });
        contrasts.max().unwrap_or(0) as u16
    }
}

/// Every sample the mean, cut, of the 2×2 from it on; at the last column and row of the two that there are.
fn means(codes: &ValueGrid<u16>) -> ValueGrid<u16> {
    ValueGrid::new(codes.size(), |x, y| {
        let (right, below) = (x + 1 < codes.width, y + 1 < codes.height);
        let at = |x: usize, y: usize| u32::from(codes.at(x, y));
        let sum = match (right, below) {
            (true, true) => (at(x, y) + at(x + 1, y) + at(x, y + 1) + at(x + 1, y + 1)) / 4,
            (true, false) => (at(x, y) + at(x + 1, y)) / 2,
            (false, true) => (at(x, y) + at(x, y + 1)) / 2,
            (false, false) => at(x, y),
        };
        sum as u16
    })
}

/// The value that two of the three have, else the smallest.
fn mode(a: u16, b: u16, c: u16) -> u16 {
    if a == b || a == c {
        a
    } else if b == c {
        b
    } else {
        a.min(b).min(c)
    }
}

/// The mode of three in rows, then in columns. The first and last row stay as they are.
fn modes(codes: &ValueGrid<u16>) -> ValueGrid<u16> {
    let across = ValueGrid::new(codes.size(), |x, y| match x {
        x if x == 0 || x + 1 == codes.width => codes.at(x, y),
        x => mode(codes.at(x - 1, y), codes.at(x, y), codes.at(x + 1, y)),
    });
    ValueGrid::new(codes.size(), |x, y| match y {
        y if y == 0 || y + 1 == codes.height => codes.at(x, y),
        y => mode(across.at(x, y - 1), across.at(x, y), across.at(x, y + 1)),
    })
}

impl CpuKernel for Reference {
    fn run(&mut self, mut job: CpuJob<'_>) {
        let src = job.src.here();
        let plan = &self.plan;
        let mut codes = self.codes(&src[0]);
        let mut flat = self.flat_areas(&codes);
        let mut sums = [0; SCALES];
        let mut map = ValueGrid::new(codes.size(), |_, _| 0u32);
        for scale in 0..SCALES {
            if scale > 0 {
                (codes, flat) = (codes.halved(), flat.halved());
            }
            codes = modes(&codes);
            let contrasts = ValueGrid::new(codes.size(), |x, y| self.contrast(&codes, &flat, x, y));
            let mut sorted = contrasts.values.clone();
            sorted.sort_unstable_by(|a, b| b.cmp(a));
            sums[scale] = sorted.iter().take(plan.counted(scale) as usize).map(|contrast| u64::from(*contrast)).sum();
            map = ValueGrid::new(map.size(), |x, y| {
                map.at(x, y) + WEIGHTS[scale] * u32::from(contrasts.at(x >> scale, y >> scale))
            });
        }
        if plan.map {
            for (x, y) in (0..map.height).flat_map(|y| (0..map.width).map(move |x| (x, y))) {
                job.dst.get_mut(0).set_v16(x, y, plan.shade(map.at(x, y)));
            }
            for plane in job.dst.each_mut().skip(1) {
                super::fill_grey(plane);
            }
        } else {
            apply_plainly(&[Map::ROWS; 3], src, &mut job.dst);
        }
        pool::finish(plan, sums, job.record);
    }

    fn path(&self) -> &'static str {
        "reference"
    }
}
