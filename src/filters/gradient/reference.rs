//! The plain kernel: the definition, on whole planes.

use super::plan::{CELL, ComponentPlan, Evidence, LEVEL_PARTS, Offset, Plan, SHARES, rounded};
use crate::filters::{CpuJob, CpuKernel};
use crate::simd::rows::copy;
use crate::video::{PlaneMut, PlaneRef};

/// The scalar kernel.
pub(super) struct Reference {
    plan: Plan,
}

impl Reference {
    pub(super) fn new(plan: Plan) -> Reference {
        Reference { plan }
    }
}

/// The samples of a plane.
#[derive(Clone)]
pub(super) struct Samples {
    width: isize,
    height: isize,
    values: Vec<i32>,
}

impl Samples {
    /// A plane of `width` by `height` samples.
    pub(super) fn new(width: usize, height: usize, value: impl Fn(usize, usize) -> i32) -> Samples {
        let values = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| value(x, y)).collect();
        Samples { width: width as isize, height: height as isize, values }
    }

    fn at(&self, x: isize, y: isize) -> i32 {
        self.values[(y * self.width + x) as usize]
    }

    /// How far the sample at (`x`, `y`) lies from the mean of itself, twice, and of the pairs that count.
    pub(super) fn delta(&self, (x, y): (isize, isize), offsets: &[Offset], near: i32, bump: i32) -> i32 {
        let centre = self.at(x, y);
        // How far both samples of a pair may lie away, so that they are inside.
        let (across, down) = (x.min(self.width - 1 - x), y.min(self.height - 1 - y));
        let (mut sum, mut count) = (0, 0);
        for &(dx, dy) in offsets {
            let (dx, dy) = (dx.clamp(-across, across), dy.clamp(-down, down));
            let (a, b) = (self.at(x + dx, y + dy) - centre, self.at(x - dx, y - dy) - centre);
            if a.abs() <= near && b.abs() <= near && (a + b).abs() <= bump {
                sum += a + b;
                count += 1;
            }
        }
        (sum * i32::from(SHARES[count]) + 16384) >> 15
    }
}

/// How much lower `plane` is than `source` in wide surroundings, at each sample.
fn levels(source: &Samples, plane: &Samples, window: usize) -> Vec<i32> {
    let (width, height, cell, reach) = (source.width, source.height, CELL as isize, window as isize);
    let (across, down) = ((width + cell - 1) / cell, (height + cell - 1) / cell);
    let each = || (0..down).flat_map(move |y| (0..across).map(move |x| (x, y)));
    let mean = |(left, top): (isize, isize)| {
        let rows = top * cell..height.min(top * cell + cell);
        let inside = rows.flat_map(|y| (left * cell..width.min(left * cell + cell)).map(move |x| (x, y)));
        let (sum, count) = inside.fold((0, 0), |(sum, n), (x, y)| (sum + source.at(x, y) - plane.at(x, y), n + 1));
        rounded(LEVEL_PARTS * sum, count)
    };
    // The mean of a line's values around its `middle`th.
    let around = |middle: isize, len: isize, value: &dyn Fn(isize) -> i32| {
        let inside = (middle - reach + 1).max(0)..(middle + reach).min(len);
        let weight = |i: isize| (reach - (i - middle).abs()) as i32;
        rounded(inside.clone().map(|i| weight(i) * value(i)).sum(), inside.map(weight).sum())
    };
    let at = |(x, y): (isize, isize)| (y * across + x) as usize;
    let means: Vec<i32> = each().map(mean).collect();
    let rows: Vec<i32> = each().map(|(x, y)| around(x, across, &|x| means[at((x, y))])).collect();
    let cells: Vec<i32> = each().map(|(x, y)| around(y, down, &|y| rows[at((x, y))])).collect();

    // Between the middles of cells along straight lines: the cell before, the one after, and how far from the first.
    let between = |at: isize, count: isize| {
        let before = (at - cell / 2).div_euclid(cell);
        let part = 2 * (at - cell / 2 - before * cell) + 1;
        (before.clamp(0, count - 1), (before + 1).clamp(0, count - 1), part as i32)
    };
    let whole = 2 * cell as i32;
    let level = |(x, y): (isize, isize)| {
        let ((left, right, part), (top, bottom, down)) = (between(x, across), between(y, down));
        let column = |x| rounded(cells[at((x, top))] * (whole - down) + cells[at((x, bottom))] * down, whole);
        rounded(column(left) * (whole - part) + column(right) * part, whole * LEVEL_PARTS)
    };
    (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(level).collect()
}

/// What becomes of `source`, row by row.
pub(super) fn filter(source: &Samples, component: &ComponentPlan, evidence: &Evidence) -> Vec<i32> {
    let (width, height) = (source.width, source.height);
    let all = || (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)));

    let found = |at| {
        let away = source.delta(at, &evidence.offsets, evidence.near.into(), i32::MAX).abs();
        ((away - i32::from(evidence.floor)).max(0) * i32::from(evidence.scale)).min(255)
    };
    let found: Vec<i32> = all().map(found).collect();

    let mut plane = source.clone();
    for (i, pass) in component.passes.iter().enumerate() {
        let level = if i == 3 { levels(source, &plane, component.window) } else { Vec::new() };
        let limit = i32::from(pass.limit);
        let moved = |(x, y)| {
            let own = source.at(x, y);
            let level = level.get((y * width + x) as usize).unwrap_or(&0);
            let delta = plane.delta((x, y), &pass.offsets, pass.near.into(), pass.bump.into());
            let moved = plane.at(x, y) - own + delta + level;
            (own + moved.clamp(-limit, limit)).clamp(0, 65535)
        };
        plane = Samples { values: all().map(moved).collect(), ..plane };
    }

    let around = |x: isize, y: isize| -> i32 {
        let window = (-3..=3).flat_map(|dy| (-3..=3).map(move |dx| (x + dx, y + dy)));
        let clamped = window.map(|(x, y)| (x.clamp(0, width - 1), y.clamp(0, height - 1)));
        clamped.map(|(x, y)| found[(y * width + x) as usize]).sum()
    };
    let result = |(x, y)| {
        let own = source.at(x, y);
        let value = own + (((plane.at(x, y) - own) * evidence.weight(around(x, y)) + 16384) >> 15);
        value.clamp(component.low.into(), component.high.into())
    };
    all().map(result).collect()
}

/// Filters every `step`th row from `first` on, as a picture.
fn filter_rows(src: PlaneRef<'_>, dst: &mut PlaneMut<'_>, plan: &Plan, index: usize, first: usize, step: usize) {
    let rows: Vec<usize> = (first..src.height()).step_by(step).collect();
    if rows.is_empty() {
        return;
    }
    let component = &plan.components[index];
    let source = Samples::new(src.width(), rows.len(), |x, y| src.v16(x, rows[y]).into());
    for (i, value) in filter(&source, component, &plan.evidence).into_iter().enumerate() {
        dst.set_v16(i % src.width(), rows[i / src.width()], value as u16);
    }
}

impl CpuKernel for Reference {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { props, src, mut dst, .. } = job;
        let (src, dst) = (src.here(), &mut dst);
        let fields = self.plan.fields(props);
        for index in 0..src.len() {
            let (src, dst) = (src[index], dst.get_mut(index));
            if self.plan.components[index].filters {
                (0..fields).for_each(|field| filter_rows(src, dst, &self.plan, index, field, fields));
            } else {
                copy(&src, 0..dst.height(), dst);
            }
        }
    }

    fn path(&self) -> &'static str {
        "reference"
    }
}
