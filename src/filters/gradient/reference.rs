//! The plain kernel: the definition, on whole planes with their borders around them.

use super::plan::{CELL, ComponentPlan, Evidence, LEVEL_PARTS, Offset, Plan, SHARES, SLOPE, border, rounded};
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

/// A plane, and what continues it beyond its borders.
#[derive(Clone)]
pub(super) struct Continued {
    width: isize,
    height: isize,
    reach: isize,
    values: Vec<i32>,
}

impl Continued {
    /// A plane of `width` by `height` samples that can be continued by `reach`.
    pub(super) fn new(width: usize, height: usize, reach: usize, value: impl Fn(usize, usize) -> i32) -> Continued {
        let values = vec![0; (width + 2 * reach) * (height + 2 * reach)];
        let (width, height, reach) = (width as isize, height as isize, reach as isize);
        let mut plane = Continued { width, height, reach, values };
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            plane.set(x, y, value(x as usize, y as usize));
        }
        plane
    }

    fn index(&self, x: isize, y: isize) -> usize {
        ((y + self.reach) * (self.width + 2 * self.reach) + x + self.reach) as usize
    }

    fn at(&self, x: isize, y: isize) -> i32 {
        self.values[self.index(x, y)]
    }

    fn set(&mut self, x: isize, y: isize, value: i32) {
        let index = self.index(x, y);
        self.values[index] = value;
    }

    /// Continues the plane by `reach` samples for pass `i`: rows first, then columns. In the corners rows 0 and `height − 1`
    /// go on.
    fn extend(&mut self, reach: usize, i: usize) {
        for y in 0..self.height {
            let row: Vec<i32> = (0..self.width).map(|x| self.at(x, y)).collect();
            for (k, value) in continuation(row.iter().copied(), reach, i) {
                self.set(-k, y, value);
            }
            for (k, value) in continuation(row.iter().rev().copied(), reach, i) {
                self.set(self.width - 1 + k, y, value);
            }
        }
        let reach = reach as isize;
        for x in -reach..self.width + reach {
            let column: Vec<i32> = if (0..self.width).contains(&x) {
                (0..self.height).map(|y| self.at(x, y)).collect()
            } else {
                Vec::new()
            };
            let (first, last) = (self.at(x, 0), self.at(x, self.height - 1));
            for k in 1..=reach {
                self.set(x, -k, first);
                self.set(x, self.height - 1 + k, last);
            }
            for (k, value) in continuation(column.iter().copied(), reach as usize, i) {
                self.set(x, -k, value);
            }
            for (k, value) in continuation(column.iter().rev().copied(), reach as usize, i) {
                self.set(x, self.height - 1 + k, value);
            }
        }
    }
}

/// What lies 1, 2, … `reach` samples before the first of `line`: on the straight through the means of its first samples and of
/// those that follow. Nothing for a line of no samples.
fn continuation(line: impl Iterator<Item = i32> + Clone, reach: usize, i: usize) -> impl Iterator<Item = (isize, i32)> {
    let first = line.clone().next().unwrap_or(0);
    let len = line.clone().count();
    let l = border(len, i);
    let near: i32 = line.clone().take(l).sum();
    let far: i32 = line.skip(l).take(l).sum();
    (1..=if len == 0 { 0 } else { reach }).map(move |k| {
        let (l, k) = (l as i32, k as i32);
        let slope = (far - near).clamp(-SLOPE, SLOPE);
        let value =
            if l == 0 { first } else { (2 * l * near - slope * (2 * k + l - 1) + l * l) >> (2 * l * l).ilog2() };
        (k as isize, value.clamp(0, 65535))
    })
}

/// How far the sample at (`x`, `y`) lies from the mean of itself, twice, and of the pairs that count.
fn delta(plane: &Continued, (x, y): (isize, isize), offsets: &[Offset], near: i32, bump: i32) -> i32 {
    let centre = plane.at(x, y);
    let (mut sum, mut count) = (0, 0);
    for (dx, dy) in offsets {
        let (a, b) = (plane.at(x + dx, y + dy) - centre, plane.at(x - dx, y - dy) - centre);
        if a.abs() <= near && b.abs() <= near && (a + b).abs() <= bump {
            sum += a + b;
            count += 1;
        }
    }
    (sum * i32::from(SHARES[count]) + 16384) >> 15
}

/// How much lower `plane` is than `source` in wide surroundings, at each sample.
fn levels(source: &Continued, plane: &Continued, window: usize) -> Vec<i32> {
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
pub(super) fn filter(mut source: Continued, component: &ComponentPlan, evidence: &Evidence) -> Vec<i32> {
    let (width, height) = (source.width, source.height);
    let all = || (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)));
    source.extend(source.reach as usize, 0);

    let found = |at| {
        let away = delta(&source, at, &evidence.offsets, evidence.near.into(), i32::MAX).abs();
        ((away - i32::from(evidence.floor)).max(0) * i32::from(evidence.scale)).min(255)
    };
    let found: Vec<i32> = all().map(found).collect();

    let mut plane = source.clone();
    for (i, pass) in component.passes.iter().enumerate() {
        if i > 0 {
            plane.extend(pass.step, i);
        }
        let level = if i == 3 { levels(&source, &plane, component.window) } else { Vec::new() };
        let mut next = plane.clone();
        let limit = i32::from(pass.limit);
        for (x, y) in all() {
            let own = source.at(x, y);
            let level = level.get((y * width + x) as usize).unwrap_or(&0);
            let delta = delta(&plane, (x, y), &pass.offsets, pass.near.into(), pass.bump.into());
            let moved = plane.at(x, y) - own + delta + level;
            next.set(x, y, (own + moved.clamp(-limit, limit)).clamp(0, 65535));
        }
        plane = next;
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
    let reach = component.reach(0);
    let source = Continued::new(src.width(), rows.len(), reach, |x, y| src.v16(x, rows[y]).into());
    for (i, value) in filter(source, component, &plan.evidence).into_iter().enumerate() {
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
