//! Rows with room beside them, of which as many are kept as some pass reads.

use crate::simd::aligned::Aligned;

/// Lanes that loops go by, which no vector exceeds.
pub(super) const STEP: usize = 32;

/// Rows of samples, v16 with the sign bit flipped, and of what continues them to the left and right.
#[derive(Default)]
pub(super) struct Ring {
    data: Aligned<i16>,
    pitch: usize,
    /// Lanes before a row's first sample.
    left: usize,
    /// Lanes of a row that loops go over.
    len: usize,
    count: usize,
    /// Rows above the first of the picture.
    above: usize,
}

impl Ring {
    /// Fits it to rows of `width` samples that are continued by `reach`, of which it keeps `count`, from `above` rows before
    /// the picture on.
    pub fn fit(&mut self, width: usize, reach: usize, count: usize, above: usize) {
        self.left = reach.next_multiple_of(STEP);
        self.len = width.next_multiple_of(STEP);
        self.pitch = self.left + self.len + reach.next_multiple_of(STEP);
        (self.count, self.above) = (count, above);
        self.data.grow(self.pitch * count);
    }

    #[inline(always)]
    fn place(&self, y: isize) -> usize {
        (y + self.above as isize) as usize % self.count * self.pitch + self.left
    }

    /// The lanes from column `x` on that belong to row `y`'s samples from column 0 on: `x` may reach beside the row.
    #[inline(always)]
    pub fn row(&self, y: isize, x: isize) -> &[i16] {
        &self.data[self.place(y).wrapping_add_signed(x)..][..self.len]
    }

    /// Row `y`, to write.
    #[inline(always)]
    pub fn row_mut(&mut self, y: isize) -> &mut [i16] {
        let at = self.place(y);
        &mut self.data[at..][..self.len]
    }

    /// Row `y` with `reach` lanes on its left and right, `width` between them.
    #[inline(always)]
    pub fn continued(&mut self, y: isize, width: usize, reach: usize) -> (&mut [i16], &mut [i16], &mut [i16]) {
        let at = self.place(y);
        let (left, rest) = self.data[at - reach..][..width + 2 * reach].split_at_mut(reach);
        let (middle, right) = rest.split_at_mut(width);
        (left, middle, right)
    }

    /// Copies the samples of row `from` to row `to`.
    #[inline(always)]
    pub fn copy_row(&mut self, from: isize, to: isize) {
        let (from, to) = (self.place(from), self.place(to));
        self.data.copy_within(from..from + self.len, to);
    }

    /// Copies what continues row `from` to both sides of row `to`.
    #[inline(always)]
    pub fn copy_sides(&mut self, from: isize, to: isize, width: usize, reach: usize) {
        let (from, to) = (self.place(from), self.place(to));
        self.data.copy_within(from - reach..from, to - reach);
        self.data.copy_within(from + width..from + width + reach, to + width);
    }
}
