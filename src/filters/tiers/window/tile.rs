//! Part of a plane with all that the windows of its samples reach.

use super::tuning::cpu::COLUMNS;
use crate::device::cpu::CpuLevel;
use crate::simd::rows::{narrow, widen};
use crate::video::{PlaneMut, PlaneRef};
use std::ops::Range;

/// Lanes that the length of a row is a multiple of: whole vectors are read and written.
const PAD: usize = 32;

/// The lanes around a part of a plane, and the results. Beyond the plane the nearest lane stands.
pub struct Tile {
    /// Rows of the part and of the `radius` around it, `stride` lanes each, of which as many count as the part has columns
    /// and the radius adds.
    pub lanes: Vec<u16>,
    /// From one row of `lanes` to the next.
    pub stride: usize,
    /// The results: `columns` lanes a row, without gaps.
    pub out: Vec<u16>,
    /// As large as `lanes`, for what an operation keeps between its steps.
    pub spare: [Vec<u16>; 2],
    /// How far lanes reach around the part.
    pub radius: (usize, usize),
    /// The part in the plane.
    pub columns: Range<usize>,
    /// Its rows.
    pub rows: Range<usize>,
    /// Columns and rows of the plane.
    pub plane: (usize, usize),
    /// Low bits that are 0 in every lane.
    pub zeros: u32,
    level: CpuLevel,
}

impl Tile {
    /// A tile of up to `band` rows with as much around it.
    pub(super) fn new(radius: (usize, usize), band: usize, level: CpuLevel) -> Tile {
        let stride = (COLUMNS + 2 * radius.0).next_multiple_of(PAD);
        let room = stride * (band + 2 * radius.1) + PAD;
        Tile {
            lanes: vec![0; room],
            stride,
            out: vec![0; COLUMNS * band],
            spare: [vec![0; room], vec![0; room]],
            radius,
            columns: 0..0,
            rows: 0..0,
            plane: (0, 0),
            zeros: 0,
            level,
        }
    }

    /// Vectors that the processor has.
    pub fn level(&self) -> CpuLevel {
        self.level
    }

    /// Columns that count in a row of `lanes`.
    pub fn wide(&self) -> usize {
        self.columns.len() + 2 * self.radius.0
    }

    /// Rows of `lanes`.
    pub fn high(&self) -> usize {
        self.rows.len() + 2 * self.radius.1
    }

    /// Columns and rows of the plane among those of the part and `radius` around it.
    #[inline(always)]
    pub(crate) fn inside(&self, radius: (usize, usize)) -> (Range<usize>, Range<usize>) {
        let inside = |radius: usize, part: &Range<usize>, plane: usize| {
            let end = part.len() + 2 * radius - (part.end + radius).saturating_sub(plane);
            radius.saturating_sub(part.start)..end
        };
        (inside(radius.0, &self.columns, self.plane.0), inside(radius.1, &self.rows, self.plane.1))
    }

    /// Reads `columns` of `rows` of `src`, and what is around them.
    #[inline(always)]
    pub(super) fn read(&mut self, src: &PlaneRef<'_>, columns: Range<usize>, rows: Range<usize>) {
        let layout = src.layout();
        self.zeros = layout.shift.into();
        self.plane = (src.width(), src.height());
        (self.columns, self.rows) = (columns, rows);
        let ((rx, ry), wide) = (self.radius, self.wide());
        let (start, end) = (self.columns.start.saturating_sub(rx), (self.columns.end + rx).min(src.width()));
        let before = start + rx - self.columns.start;
        for row in 0..self.high() {
            let y = (self.rows.start + row).saturating_sub(ry).min(src.height() - 1);
            let lanes = &mut self.lanes[row * self.stride..][..wide];
            widen(src, start, y, &mut lanes[before..][..end - start]);
            repeat_ends(lanes, before..before + (end - start));
        }
    }

    /// Writes row `row` of the results.
    #[inline(always)]
    pub(super) fn write(&self, row: usize, dst: &mut PlaneMut<'_>) {
        let columns = self.columns.len();
        narrow(dst, self.columns.start, row, &self.out[row * columns..][..columns]);
    }
}

/// Gives rows of `wide` lanes what lies nearest in `columns` and `rows` of them, where they are outside.
#[inline(always)]
pub(crate) fn repeat_border(
    lanes: &mut [u16],
    stride: usize,
    (wide, high): (usize, usize),
    (columns, rows): (Range<usize>, Range<usize>),
) {
    for row in rows.clone() {
        repeat_ends(&mut lanes[row * stride..][..wide], columns.clone());
    }
    let mut repeat = |from: usize, to: usize| lanes.copy_within(from * stride..from * stride + wide, to * stride);
    (0..rows.start).for_each(|to| repeat(rows.start, to));
    (rows.end..high).for_each(|to| repeat(rows.end - 1, to));
}

/// Gives the lanes beside `inside` the values of its ends.
#[inline(always)]
pub(crate) fn repeat_ends(lanes: &mut [u16], inside: Range<usize>) {
    let (first, last) = (lanes[inside.start], lanes[inside.end - 1]);
    lanes[..inside.start].fill(first);
    lanes[inside.end..].fill(last);
}
