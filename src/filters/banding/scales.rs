//! Codes of ten bits with flat areas marked, at every scale: rows of the fast kernel.

use super::plan::{AROUND, FLAT, Plan, SCALES};
use crate::device::cpu::{CpuExec, CpuLevel};
use crate::error::Result;
use crate::filters::banding::tuning::cpu::SCALE_BAND as BAND;
use crate::simd::dispatch::by_level;
use crate::simd::rows::widen;
use crate::video::{Format, Picture, PlaneRef};
use std::ops::Range;

/// The pictures of all scales.
pub struct Scales {
    /// What leads to the first scale.
    a: Picture,
    b: Picture,
    c: Picture,
    /// Every second sample of the scale before, from the second scale on.
    halves: Vec<Picture>,
    /// What contrasts are looked for in.
    pub maps: Vec<Picture>,
}

/// A picture of one plane of 16 bits.
pub fn plane_of((width, height): (usize, usize)) -> Result<Picture> {
    Picture::alloc(Format::gray(16)?, width, height)
}

impl Scales {
    pub fn new(sizes: [(usize, usize); SCALES]) -> Result<Scales> {
        let all = |sizes: &[(usize, usize)]| sizes.iter().map(|size| plane_of(*size)).collect::<Result<Vec<_>>>();
        Ok(Scales {
            a: plane_of(sizes[0])?,
            b: plane_of(sizes[0])?,
            c: plane_of(sizes[0])?,
            halves: all(&sizes[1..])?,
            maps: all(&sizes)?,
        })
    }

    /// Makes all of them from `luma`.
    pub fn make(&mut self, plan: &Plan, luma: &PlaneRef<'_>, level: CpuLevel, exec: &CpuExec) {
        let Scales { a, b, c, halves, maps } = self;
        let make = |step: Reduction<'_>, from: &PlaneRef<'_>, out: &mut Picture| {
            exec.bands(&mut out.planes_mut(), BAND, |_, rows: Range<usize>, mut band| {
                for (i, y) in rows.enumerate() {
                    // SAFETY: the kernel was made for a level that the processor has.
                    unsafe { row(level, &step, from, y, band.row_u16_mut(i)) };
                }
            });
        };
        if plan.smooths {
            make(Reduction::Codes(plan), luma, c);
            make(Reduction::Means, &c.planes()[0], a);
        } else {
            make(Reduction::Codes(plan), luma, a);
        }
        make(Reduction::Flats, &a.planes()[0], b);
        make(Reduction::ColumnSums, &b.planes()[0], c);
        make(Reduction::Mark { codes: a.planes()[0], flat: plan.flat }, &c.planes()[0], b);
        make(Reduction::Modes, &b.planes()[0], &mut maps[0]);
        for (scale, half) in halves.iter_mut().enumerate() {
            make(Reduction::EverySecond, &maps[scale].planes()[0], half);
            make(Reduction::Modes, &half.planes()[0], &mut maps[scale + 1]);
        }
    }
}

/// What a picture is made of another one by.
enum Reduction<'a> {
    Codes(&'a Plan),
    Means,
    Flats,
    ColumnSums,
    /// Of column sums and the codes that they belong to.
    Mark {
        codes: PlaneRef<'a>,
        flat: u32,
    },
    Modes,
    EverySecond,
}

by_level!(row = row_of(step: &Reduction<'_>, from: &PlaneRef<'_>, y: usize, out: &mut [u16]));

#[inline(always)]
fn row_of(step: &Reduction<'_>, from: &PlaneRef<'_>, y: usize, out: &mut [u16]) {
    let below = || (y + 1 < from.height()).then(|| from.row_u16(y + 1));
    match step {
        Reduction::Codes(plan) => codes_row(plan, from, y, out),
        Reduction::Means => means_row(from.row_u16(y), below(), out),
        Reduction::Flats => flats_row(from.row_u16(y), below(), out),
        Reduction::ColumnSums => column_sums_row(from, y, out),
        Reduction::Mark { codes, flat } => mark_row(from.row_u16(y), codes.row_u16(y), *flat, out),
        Reduction::Modes => modes_row(from, y, out),
        Reduction::EverySecond => every_second_of(from.row_u16(2 * y), out),
    }
}

#[inline(always)]
fn codes_row(plan: &Plan, luma: &PlaneRef<'_>, y: usize, out: &mut [u16]) {
    widen(luma, 0, y, out);
    out.iter_mut().for_each(|value| *value = plan.code(*value));
}

#[inline(always)]
fn means_row(row: &[u16], below: Option<&[u16]>, out: &mut [u16]) {
    let Some(last) = row.len().checked_sub(1) else { return };
    match below {
        Some(below) => {
            for (x, out) in out[..last].iter_mut().enumerate() {
                *out = (row[x] + row[x + 1] + below[x] + below[x + 1]) / 4;
            }
            out[last] = (row[last] + below[last]) / 2;
        }
        None => {
            for (x, out) in out[..last].iter_mut().enumerate() {
                *out = (row[x] + row[x + 1]) / 2;
            }
            out[last] = row[last];
        }
    }
}

/// 1 where a sample is like those to the right of it and below.
#[inline(always)]
fn flats_row(row: &[u16], below: Option<&[u16]>, out: &mut [u16]) {
    let Some(last) = row.len().checked_sub(1) else { return };
    let below = below.unwrap_or(row);
    for (x, out) in out[..last].iter_mut().enumerate() {
        *out = u16::from((row[x] == row[x + 1]) & (row[x] == below[x]));
    }
    out[last] = u16::from(row[last] == below[last]);
}

/// The sum of each column over the rows around `y`.
#[inline(always)]
fn column_sums_row(flat: &PlaneRef<'_>, y: usize, out: &mut [u16]) {
    out.fill(0);
    for y in y.saturating_sub(AROUND)..(y + AROUND + 1).min(flat.height()) {
        for (out, flat) in out.iter_mut().zip(flat.row_u16(y)) {
            *out += flat;
        }
    }
}

/// Adds columns up to those of windows, and marks the codes of flat areas.
#[inline(always)]
fn mark_row(sums: &[u16], codes: &[u16], flat: u32, out: &mut [u16]) {
    const WIDE: usize = 2 * AROUND + 1;
    let (width, flat) = (sums.len(), flat as u16);
    let marked = |sum: u16, code: u16| if sum > flat { code | FLAT } else { code };
    // Columns whose window is whole.
    let inner = AROUND.min(width)..width.saturating_sub(AROUND).max(AROUND.min(width));
    for (window, x) in sums.windows(WIDE).zip(inner.clone()) {
        out[x] = marked(window.iter().sum(), codes[x]);
    }
    for x in (0..inner.start).chain(inner.end..width) {
        let sum = sums[x.saturating_sub(AROUND)..(x + AROUND + 1).min(width)].iter().sum();
        out[x] = marked(sum, codes[x]);
    }
}

/// The value that two of the three have, else the smallest; all without marks.
#[inline(always)]
fn mode(a: u16, b: u16, c: u16) -> u16 {
    let (a, b, c) = (a & !FLAT, b & !FLAT, c & !FLAT);
    let other = if b == c { b } else { a.min(b).min(c) };
    if (a == b) | (a == c) { a } else { other }
}

/// The mode of three in rows, then in columns; marks stay where they are.
#[inline(always)]
fn modes_row(marked: &PlaneRef<'_>, y: usize, out: &mut [u16]) {
    let row = marked.row_u16(y);
    if y == 0 || y + 1 == marked.height() {
        out.copy_from_slice(row);
        return;
    }
    let rows = [marked.row_u16(y - 1), row, marked.row_u16(y + 1)];
    let width = row.len();
    let across = |row: &[u16], x: usize| mode(row[x - 1], row[x], row[x + 1]);
    for (x, out) in out[..width.saturating_sub(1)].iter_mut().enumerate().skip(1) {
        *out = mode(across(rows[0], x), across(rows[1], x), across(rows[2], x)) | row[x] & FLAT;
    }
    for x in [0, width - 1] {
        out[x] = mode(rows[0][x], row[x], rows[2][x]) | row[x] & FLAT;
    }
}

#[inline(always)]
fn every_second_of(row: &[u16], out: &mut [u16]) {
    for (out, value) in out.iter_mut().zip(row.iter().step_by(2)) {
        *out = *value;
    }
}
