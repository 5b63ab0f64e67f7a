//! Luma where a chroma sample is.

use crate::simd::rows::widen;
use crate::video::PlaneRef;

/// Luma at chroma's resolution.
#[derive(Clone, Copy)]
pub(super) struct LumaAt<'a> {
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
pub(super) struct LumaScratch {
    lanes: Vec<u16>,
    sums: Vec<u32>,
}

impl LumaScratch {
    /// For luma of `width` columns.
    pub fn new(width: usize) -> LumaScratch {
        LumaScratch { lanes: vec![0; width], sums: vec![0; width] }
    }
}
