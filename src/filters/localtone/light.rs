//! Fast kernels of what all methods share: light of a picture's rows before, luma and colours after.

use super::grid::{Cpu, Grid, RowWork, Scratch, some};
use super::plan::Plan;
use crate::simd::rows::{narrow, widen};
use crate::video::{Planes, PlanesMut};
use std::ops::Range;

/// Fills `light` of a picture.
pub fn read(cpu: Cpu<'_>, plan: &Plan, src: &Planes<'_>, light: &mut Grid<u16>) {
    light.make(cpu, |y, to| cpu.work(LightRows { plan, src, y, to }));
}

/// Fills `skin` of a picture, at the places of its chroma.
pub fn read_skin(cpu: Cpu<'_>, plan: &Plan, src: &Planes<'_>, skin: &mut Grid<u16>) {
    skin.make(cpu, |y, to| cpu.work(SkinRows { plan, src, y, to }));
}

/// Row `y` of three components on the 16-bit scale.
#[inline(always)]
fn colours(src: &Planes<'_>, y: usize, rows: &mut [&mut [u16]; 3]) {
    for (component, row) in rows.iter_mut().enumerate() {
        widen(&src[component], 0, y, row);
    }
}

struct LightRows<'a> {
    plan: &'a Plan,
    src: &'a Planes<'a>,
    y: usize,
    to: &'a mut [u16],
}

impl RowWork for LightRows<'_> {
    #[inline(always)]
    fn run(self, scratch: &mut Scratch) {
        let LightRows { plan, src, y, to } = self;
        let mut rows = some(&mut scratch.lanes, plan.width);
        for (i, to) in to.chunks_exact_mut(plan.width).enumerate() {
            match &plan.scale.rgb {
                None => widen(&src[0], 0, y + i, to),
                Some(rgb) => {
                    colours(src, y + i, &mut rows);
                    let [r, g, b] = &rows;
                    to.iter_mut().enumerate().for_each(|(x, to)| *to = rgb.luma_of([r[x], g[x], b[x]]));
                }
            }
            to.iter_mut().for_each(|to| *to = plan.light(*to) as u16);
        }
    }
}

struct SkinRows<'a> {
    plan: &'a Plan,
    src: &'a Planes<'a>,
    y: usize,
    to: &'a mut [u16],
}

impl RowWork for SkinRows<'_> {
    #[inline(always)]
    fn run(self, scratch: &mut Scratch) {
        let SkinRows { plan, src, y, to } = self;
        let width = src[1].width();
        let mut rows = some(&mut scratch.lanes, width);
        for (i, to) in to.chunks_exact_mut(width).enumerate() {
            match &plan.scale.rgb {
                Some(_) => colours(src, y + i, &mut rows),
                None => (1..3).for_each(|component| widen(&src[component], 0, y + i, rows[component])),
            }
            for (x, to) in to.iter_mut().enumerate() {
                let colour = rows.each_ref().map(|row| row[x]);
                let (cb, cr) = match &plan.scale.rgb {
                    Some(rgb) => rgb.chroma_of(colour, rgb.luma_of(colour)),
                    None => (i32::from(colour[1]) - 32_768, i32::from(colour[2]) - 32_768),
                };
                *to = plan.colour.skin_of(cb, cr) as u16;
            }
        }
    }
}

/// Rows of the result.
pub struct ResultRows<'a, 'd> {
    pub plan: &'a Plan,
    pub src: &'a Planes<'a>,
    pub light: &'a Grid<u16>,
    pub made: &'a Grid<u16>,
    /// Rows of luma, an even one first.
    pub rows: Range<usize>,
    /// Those rows of each component.
    pub to: &'a mut PlanesMut<'d>,
}

impl RowWork for ResultRows<'_, '_> {
    #[inline(always)]
    fn run(self, scratch: &mut Scratch) {
        let ResultRows { plan, src, light, made, rows, to } = self;
        if plan.scale.rgb.is_some() {
            return colour_rows(plan, src, [light, made], rows, to, scratch);
        }
        let lanes = &mut scratch.lanes[0][..plan.width];
        for (i, y) in rows.clone().enumerate() {
            widen(&src[0], 0, y, lanes);
            for ((v, light), made) in lanes.iter_mut().zip(light.row(y)).zip(made.row(y)) {
                *v = plan.luma(*v, (*light).into(), (*made).into());
            }
            narrow(to.get_mut(0), 0, i, lanes);
        }
        if plan.has_chroma {
            let first = rows.start >> plan.halved.1;
            chroma_rows(plan, src, [light, made], first, to, scratch);
        }
    }
}

/// Rows of Cb and Cr, from row `first` of chroma on.
#[inline(always)]
fn chroma_rows(
    plan: &Plan,
    src: &Planes<'_>,
    lights: [&Grid<u16>; 2],
    first: usize,
    to: &mut PlanesMut<'_>,
    scratch: &mut Scratch,
) {
    let width = src[1].width();
    let [cbs, crs, before, after] = some(&mut scratch.lanes, width);
    let masks = &mut scratch.sums[0][..width];
    for i in 0..to.get(1).height() {
        let y = first + i;
        widen(&src[1], 0, y, cbs);
        widen(&src[2], 0, y, crs);
        covered(lights[0], plan.halved, y, before);
        covered(lights[1], plan.halved, y, after);
        // What is looked up is looked up first: the rest is vectors.
        for x in 0..width {
            masks[x] = plan.colour.skin_of(i32::from(cbs[x]) - 32_768, i32::from(crs[x]) - 32_768);
        }
        for x in 0..width {
            let (b, r) = (i32::from(cbs[x]) - 32_768, i32::from(crs[x]) - 32_768);
            let change = plan.colour.change_of(masks[x], before[x].into(), after[x].into(), b, r);
            (cbs[x], crs[x]) = change.chroma(b, r);
        }
        narrow(to.get_mut(1), 0, i, cbs);
        narrow(to.get_mut(2), 0, i, crs);
    }
}

/// Rounded means of the samples that row `y` of chroma covers.
#[inline(always)]
fn covered(light: &Grid<u16>, halved: (u32, u32), y: usize, to: &mut [u16]) {
    let top = light.near((y << halved.1) as isize);
    let bottom = light.near(((y << halved.1) + (1 << halved.1) - 1) as isize);
    if halved.0 == 0 {
        let pairs = top.iter().zip(bottom);
        return to.iter_mut().zip(pairs).for_each(|(to, (a, b))| *to = (*a + *b + 1) >> 1);
    }
    let ((top, top_last), (bottom, bottom_last)) = (top.as_chunks::<2>(), bottom.as_chunks::<2>());
    let (to, last) = to.split_at_mut(top.len());
    for (to, (a, b)) in to.iter_mut().zip(top.iter().zip(bottom)) {
        *to = (a[0] + a[1] + b[0] + b[1] + 2) >> 2;
    }
    // An odd width ends with half of a pair.
    if let ([to], [a], [b]) = (last, top_last, bottom_last) {
        *to = (*a + *a + *b + *b + 2) >> 2;
    }
}

/// Rows of R, G and B.
#[inline(always)]
fn colour_rows(
    plan: &Plan,
    src: &Planes<'_>,
    [light, made]: [&Grid<u16>; 2],
    rows: Range<usize>,
    to: &mut PlanesMut<'_>,
    scratch: &mut Scratch,
) {
    let Some(rgb) = &plan.scale.rgb else { return };
    let mut three = some(&mut scratch.lanes, plan.width);
    for (i, y) in rows.enumerate() {
        colours(src, y, &mut three);
        let lights = light.row(y).iter().zip(made.row(y));
        for (x, (light, made)) in lights.enumerate() {
            let colour = three.each_ref().map(|row| row[x]);
            let (light, made, luma) = (i32::from(*light), i32::from(*made), rgb.luma_of(colour));
            let (cb, cr) = rgb.chroma_of(colour, luma);
            let change = plan.colour.change(light, made, cb, cr);
            let after = plan.luma(luma, light, made);
            for (index, row) in three.iter_mut().enumerate() {
                row[x] = rgb.component(index, colour[index], luma, after, change);
            }
        }
        for (component, row) in three.iter().enumerate() {
            narrow(to.get_mut(component), 0, i, row);
        }
    }
}
