//! The fast kernels on the CPU: parts of rows where rows stay rows, and blocks where they become columns.

use super::map::{Map, Outside};
use super::swap::swap;
use crate::device::cpu::{CpuExec, CpuLevel};
use crate::error::Result;
use crate::filters::remap::tuning::cpu::{BAND, PART};
use crate::simd::dispatch::by_level;
use crate::simd::rows::{fill, narrow, widen};
use crate::video::{PlaneMut, PlaneRef, Planes, PlanesMut, SampleLayout, SampleType};

/// Moves samples at a vector level.
pub struct Mover {
    maps: [Map; 3],
    level: CpuLevel,
}

impl Mover {
    /// By `maps`, at `level`.
    ///
    /// # Errors
    /// When the processor lacks `level`.
    pub fn new(maps: [Map; 3], level: CpuLevel) -> Result<Mover> {
        level.require()?;
        Ok(Mover { maps, level })
    }

    /// The level.
    pub fn level(&self) -> CpuLevel {
        self.level
    }

    /// Moves the samples of `src` to `dst`.
    pub fn apply(&self, src: &Planes<'_>, dst: &mut PlanesMut<'_>, exec: &CpuExec) {
        exec.bands(dst, BAND, |component, rows, mut band| {
            let (map, src) = (&self.maps[component], src[component]);
            // Samples that are stored alike are moved as they are stored: words of 16 bits are taken for v16.
            let (alike, layout) = (src.layout() == band.layout(), band.layout());
            if alike && layout.sample == SampleType::U16 {
                let plain = SampleLayout { shift: 0, bit_depth: 16, ..layout };
                let stored = layout.narrow(map.fill());
                let map = Map { beside: filled(map.beside, stored), ..*map };
                // SAFETY: `new` asked for the level.
                unsafe { run(self.level, &map, &src.with_layout(plain), rows.start, &mut band.with_layout(plain)) };
            } else {
                // SAFETY: as above.
                unsafe { run(self.level, map, &src, rows.start, &mut band) };
            }
        });
    }
}

fn filled(beside: Outside, lane: u16) -> Outside {
    match beside {
        Outside::Fill(_) => Outside::Fill(lane),
        nearest => nearest,
    }
}

by_level!(run = move_band(map: &Map, src: &PlaneRef<'_>, first: usize, dst: &mut PlaneMut<'_>));

/// Makes the rows of the result from row `first` on.
#[inline(always)]
fn move_band(map: &Map, src: &PlaneRef<'_>, first: usize, dst: &mut PlaneMut<'_>) {
    if map.swap {
        swap(map, src, first, dst);
        return;
    }
    let inside = map.columns.inside(src.width(), dst.width());
    for y in 0..dst.height() {
        let (_, row) = map.place(0, first + y, src.height());
        match usize::try_from(row) {
            Ok(row) if row < src.height() && !inside.is_empty() => {
                fill(dst, 0..inside.start, y, map.fill());
                let last = map.columns.at(inside.end - 1).min(map.columns.at(inside.start));
                let part = ColumnRange { x: last as usize, y: row, len: inside.len(), backwards: map.columns.step < 0 };
                copy(src, part, dst, inside.start, y);
                fill(dst, inside.end..dst.width(), y, map.fill());
            }
            _ => fill(dst, 0..dst.width(), y, map.fill()),
        }
    }
}

/// Columns of a row.
#[derive(Clone, Copy)]
struct ColumnRange {
    x: usize,
    y: usize,
    len: usize,
    backwards: bool,
}

#[inline(always)]
fn copy(src: &PlaneRef<'_>, part: ColumnRange, dst: &mut PlaneMut<'_>, x: usize, y: usize) {
    let SampleLayout { sample, step, .. } = src.layout();
    let from = part.x..part.x + part.len;
    match (src.layout() == dst.layout(), sample, step) {
        (true, SampleType::U8, 1) => {
            copy_row(&src.row_u8(part.y)[from], &mut dst.row_u8_mut(y)[x..x + part.len], part.backwards);
        }
        (true, SampleType::U16, 1) => {
            copy_row(&src.row_u16(part.y)[from], &mut dst.row_u16_mut(y)[x..x + part.len], part.backwards);
        }
        _ => copy_lanes(src, part, dst, x, y),
    }
}

#[inline(always)]
fn copy_row<T: Copy>(src: &[T], dst: &mut [T], backwards: bool) {
    if backwards {
        for (to, from) in dst.iter_mut().zip(src.iter().rev()) {
            *to = *from;
        }
    } else {
        dst.copy_from_slice(src);
    }
}

#[inline(always)]
fn copy_lanes(src: &PlaneRef<'_>, part: ColumnRange, dst: &mut PlaneMut<'_>, x: usize, y: usize) {
    let mut lanes = [0; PART];
    for done in (0..part.len).step_by(PART) {
        let lanes = &mut lanes[..PART.min(part.len - done)];
        let from = if part.backwards { part.x + part.len - done - lanes.len() } else { part.x + done };
        widen(src, from, part.y, lanes);
        if part.backwards {
            lanes.reverse();
        }
        narrow(dst, x + done, y, lanes);
    }
}
