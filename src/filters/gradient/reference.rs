//! The plain kernel: the definition, on whole planes with their borders around them.

use super::plan::{ComponentPlan, Evidence, Offset, Plan, SHARES, border};
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

    /// Continues the plane by `reach` samples: rows first, then columns. In the corners rows 0 and `height − 1` go on.
    fn extend(&mut self, reach: usize) {
        for y in 0..self.height {
            let row: Vec<i32> = (0..self.width).map(|x| self.at(x, y)).collect();
            for (k, value) in continuation(row.iter().copied(), reach) {
                self.set(-k, y, value);
            }
            for (k, value) in continuation(row.iter().rev().copied(), reach) {
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
            for (k, value) in continuation(column.iter().copied(), reach as usize) {
                self.set(x, -k, value);
            }
            for (k, value) in continuation(column.iter().rev().copied(), reach as usize) {
                self.set(x, self.height - 1 + k, value);
            }
        }
    }
}

/// What lies 1, 2, … `reach` samples before the first of `line`: on the straight through the means of its first samples and of
/// those that follow. Nothing for a line of no samples.
fn continuation(line: impl Iterator<Item = i32> + Clone, reach: usize) -> impl Iterator<Item = (isize, i32)> {
    let first = line.clone().next().unwrap_or(0);
    let len = line.clone().count();
    let l = border(len);
    let near: i32 = line.clone().take(l).sum();
    let far: i32 = line.skip(l).take(l).sum();
    (1..=if len == 0 { 0 } else { reach }).map(move |k| {
        let (l, k) = (l as i32, k as i32);
        let value =
            if l == 0 { first } else { (2 * l * near - (far - near) * (2 * k + l - 1) + l * l) >> (2 * l * l).ilog2() };
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

/// What becomes of `source`, row by row.
pub(super) fn filter(mut source: Continued, component: &ComponentPlan, evidence: &Evidence) -> Vec<i32> {
    let (width, height) = (source.width, source.height);
    let all = || (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)));
    source.extend(source.reach as usize);

    let found = |at| {
        let away = delta(&source, at, &evidence.offsets, evidence.near.into(), i32::MAX).abs();
        ((away - i32::from(evidence.floor)).max(0) * i32::from(evidence.scale)).min(255)
    };
    let found: Vec<i32> = all().map(found).collect();

    let mut plane = source.clone();
    for (i, pass) in component.passes.iter().enumerate() {
        if i > 0 {
            plane.extend(pass.step);
        }
        let mut next = plane.clone();
        let limit = i32::from(pass.limit);
        for (x, y) in all() {
            let own = source.at(x, y);
            let moved = plane.at(x, y) - own + delta(&plane, (x, y), &pass.offsets, pass.near.into(), pass.bump.into());
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
