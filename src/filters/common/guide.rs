//! Luma where a chroma sample is, for filters that let luma steer chroma.

use crate::simd::rows::{SIGN, widen};
use crate::video::{PlaneMut, PlaneRef, SampleType};

/// The lane of a sample, for references.
pub(crate) fn lane(plane: &PlaneRef<'_>, x: usize, y: usize) -> i32 {
    if is_signed(plane.layout().sample) { plane.get(x, y) + i32::from(SIGN) } else { plane.v16(x, y).into() }
}

/// Stores a lane, for references.
pub(crate) fn set_lane(plane: &mut PlaneMut<'_>, x: usize, y: usize, lane: u16) {
    if is_signed(plane.layout().sample) {
        plane.set(x, y, i32::from(lane) - i32::from(SIGN));
    } else {
        plane.set_v16(x, y, lane);
    }
}

pub(crate) fn is_signed(sample: SampleType) -> bool {
    sample == SampleType::I16
}

/// The mean of the luma samples that chroma sample (x, y) covers, rounded half up.
pub(crate) fn luma_at(luma: &PlaneRef<'_>, (columns, rows): (usize, usize), x: usize, y: usize) -> i32 {
    let covered = (0..1 << rows).flat_map(|v| (0..1 << columns).map(move |u| ((x << columns) + u, (y << rows) + v)));
    let sum: i32 = covered.map(|(x, y)| lane(luma, x.min(luma.width() - 1), y.min(luma.height() - 1))).sum();
    (sum + ((1 << (columns + rows)) >> 1)) >> (columns + rows)
}

/// Luma at chroma's resolution.
#[derive(Clone, Copy)]
pub(crate) struct LumaAt<'a> {
    luma: PlaneRef<'a>,
    /// Base-two logarithms of the luma columns and rows of a chroma sample.
    subsampling: (usize, usize),
}

impl<'a> LumaAt<'a> {
    pub fn new(luma: PlaneRef<'a>, subsampling: (usize, usize)) -> LumaAt<'a> {
        LumaAt { luma, subsampling }
    }

    /// The lanes of chroma row `y`: means of the luma samples that each of its samples covers, rounded half up.
    #[inline(always)]
    pub fn row(&self, y: usize, scratch: &mut LumaScratch, out: &mut [u16]) {
        let (columns, rows) = self.subsampling;
        let lanes = &mut scratch.lanes[..self.luma.width()];
        let sums = &mut scratch.sums[..out.len()];
        sums.fill(0);
        for row in y << rows..(y + 1) << rows {
            widen(&self.luma, 0, row.min(self.luma.height() - 1), lanes);
            for (x, sum) in sums.iter_mut().enumerate() {
                let covered = x << columns..(x + 1) << columns;
                *sum += covered.map(|x| u32::from(lanes[x.min(lanes.len() - 1)])).sum::<u32>();
            }
        }
        let bits = columns + rows;
        let half = (1 << bits) >> 1;
        out.iter_mut().zip(sums).for_each(|(out, sum)| *out = ((*sum + half) >> bits) as u16);
    }
}

/// What a row of means is worked out in.
pub(crate) struct LumaScratch {
    lanes: Vec<u16>,
    sums: Vec<u32>,
}

impl LumaScratch {
    /// For luma of `width` columns.
    pub fn new(width: usize) -> LumaScratch {
        LumaScratch { lanes: vec![0; width], sums: vec![0; width] }
    }
}
