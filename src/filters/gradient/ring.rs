//! Rows of samples, of which as many are kept as some pass reads, and where the pairs of their samples lie.
//!
//! Near the left and the right border pairs are closer. The outer sample of such a pair is the row's outermost: rows go on with
//! copies of that, so it is found where it would be without a border. The inner one lies twice as far from the border as the
//! centre: for centres side by side that is every second sample. Those are copied to *folded* lanes apart from the row, for each
//! distance of pairs, and after them what lies at that distance, up to whole steps. So vectors need not be put together.

use super::plan::Offset;
use crate::simd::aligned::Aligned;
use crate::simd::rows::widen;
use crate::video::PlaneRef;
use std::ops::Range;

/// Lanes that loops go by, which no vector exceeds.
pub(super) const STEP: usize = 32;

/// Parts of a row, each of which reads pairs in one way: its left end, its middle and its right end.
pub(super) const PARTS: usize = 3;

/// The lanes of both samples of each pair, to the right and to the left.
pub(super) type SamplePairs<'a, const N: usize> = [[&'a [i16]; 2]; N];

/// Rows of samples, v16 with the sign bit flipped, and what their pairs read near the ends.
#[derive(Default)]
pub(super) struct Ring {
    data: Aligned<i16>,
    pitch: usize,
    count: usize,
    width: usize,
    height: usize,
    /// Lanes of a row that loops go over.
    len: usize,
    /// How many columns away pairs are at most, and as many lanes of whole steps, which lie before and after a row's.
    reach: usize,
    beside: usize,
    /// There are folded lanes for columns before `left`, of samples to the right, and from `right` on, of those to the left.
    /// Narrow rows have both for all columns.
    left: usize,
    right: usize,
    /// How many columns away pairs are, each number once.
    distances: Vec<usize>,
    taps: Vec<Tap>,
}

/// Where a pair is read.
struct Tap {
    /// How many rows below the centre the sample to the right of it lies.
    down: isize,
    /// How far from the starts of their rows the lanes of both samples lie, for each part.
    lanes: [[usize; 2]; PARTS],
}

impl Ring {
    /// Fits it to planes of `width` by `height` samples, of which it keeps `count` rows to read pairs at `offsets` from.
    pub fn fit(&mut self, (width, height): (usize, usize), offsets: &[Offset], count: usize) {
        self.distances.clear();
        for distance in offsets.iter().map(|(dx, _)| dx.unsigned_abs()) {
            if distance > 0 && !self.distances.contains(&distance) {
                self.distances.push(distance);
            }
        }
        (self.width, self.height, self.count) = (width, height, count);
        self.len = width.next_multiple_of(STEP);
        self.reach = self.distances.iter().copied().max().unwrap_or(0);
        self.beside = self.reach.next_multiple_of(STEP);
        (self.left, self.right) = (self.beside, width.saturating_sub(self.reach) / STEP * STEP);
        if self.left > self.right {
            (self.left, self.right) = (self.len, 0);
        }
        self.pitch = self.len + 2 * self.beside + self.distances.len() * self.folded();
        self.data.grow(self.pitch * count);
        self.taps.clear();
        for offset in offsets {
            self.taps.push(self.tap(*offset));
        }
    }

    /// Where the pair at an offset is read.
    fn tap(&self, (dx, dy): Offset) -> Tap {
        let distance = dx.unsigned_abs();
        let number = self.distances.iter().position(|other| *other == distance);
        let fold = number.map(|number| self.len + 2 * self.beside + number * self.folded());
        let lanes = std::array::from_fn(|part| {
            let Range { start, end } = self.part(part);
            let right = fold.filter(|_| start < self.left).map(|fold| fold + start);
            let left = fold.filter(|_| end > self.right).map(|fold| fold + self.left + start - self.right);
            [right.unwrap_or(self.beside + start + distance), left.unwrap_or(self.beside + start - distance)]
        });
        Tap { down: if dx < 0 { -dy } else { dy }, lanes }
    }

    /// Folded lanes of one distance.
    #[inline(always)]
    fn folded(&self) -> usize {
        self.left + self.len - self.right
    }

    /// The columns of a part, whole steps of them. There may be none.
    #[inline(always)]
    fn part(&self, part: usize) -> Range<usize> {
        let bounds = [0, self.left, self.right.max(self.left), self.len];
        bounds[part]..bounds[part + 1]
    }

    /// Where row `y` and all beside it begins.
    #[inline(always)]
    fn start(&self, y: usize) -> usize {
        y % self.count * self.pitch
    }

    /// Row `y`.
    #[inline(always)]
    pub fn row(&self, y: usize) -> &[i16] {
        let first = self.start(y) + self.beside;
        &self.data[first..][..self.len]
    }

    /// Row `y`, to write; to be finished then where pairs are read from it.
    #[inline(always)]
    pub fn row_mut(&mut self, y: usize) -> &mut [i16] {
        let first = self.start(y) + self.beside;
        &mut self.data[first..][..self.len]
    }

    /// Takes row `y` of `src`, by way of `lanes`, at least as many as a row has samples, and finishes it.
    #[inline(always)]
    pub fn take_source(&mut self, src: &PlaneRef<'_>, y: usize, lanes: &mut [u16]) {
        let lanes = &mut lanes[..self.width];
        widen(src, 0, y, lanes);
        self.row_mut(y).iter_mut().zip(lanes).for_each(|(out, lane)| *out = (*lane ^ 0x8000) as i16);
        self.finish(y);
    }

    /// Makes what lies beside row `y`.
    #[inline(always)]
    pub fn finish(&mut self, y: usize) {
        let (width, first, folded, start) = (self.width, self.beside, self.folded(), self.start(y));
        let end = first + width;
        let (row, folds) = self.data[start..][..self.pitch].split_at_mut(self.len + 2 * first);
        let (leftmost, rightmost) = (row[first], row[end - 1]);
        row[first - self.reach..first].fill(leftmost);
        row[end..end + self.reach].fill(rightmost);
        for (&distance, folds) in self.distances.iter().zip(folds.chunks_exact_mut(folded)) {
            let (left, right) = folds.split_at_mut(self.left);
            // Samples at an end whose pairs are closer. The one in the middle of a narrow row is at both ends.
            let closer = distance.min(width.div_ceil(2));
            let (inner, rest) = left.split_at_mut(closer);
            let seconds = row[first..][..2 * closer].as_chunks().0;
            inner.iter_mut().zip(seconds).for_each(|(out, [inner, _])| *out = *inner);
            rest.copy_from_slice(&row[first + closer + distance..][..rest.len()]);

            let (rest, inner) = right.split_at_mut(width - closer - self.right);
            let seconds = row[end - 2 * closer..][..2 * closer].as_chunks().0;
            inner.iter_mut().zip(seconds).for_each(|(out, [_, inner])| *out = *inner);
            rest.copy_from_slice(&row[first + self.right - distance..][..rest.len()]);
        }
    }

    /// The pairs of row `y`, which are closer near the upper and the lower border.
    #[inline(always)]
    pub fn pairs<const N: usize>(&self, y: usize) -> Pairs<'_, N> {
        let most = y.min(self.height - 1 - y) as isize;
        let mut starts = [[0; 2]; N];
        for (starts, tap) in starts.iter_mut().zip(&self.taps) {
            let down = tap.down.clamp(-most, most);
            *starts = [self.start(y.wrapping_add_signed(down)), self.start(y.wrapping_add_signed(-down))];
        }
        Pairs { ring: self, starts }
    }
}

/// The pairs of a row's samples.
pub(super) struct Pairs<'a, const N: usize> {
    ring: &'a Ring,
    /// Of their rows.
    starts: [[usize; 2]; N],
}

impl<'a, const N: usize> Pairs<'a, N> {
    /// The columns of a part of the row, and the pairs there.
    #[inline(always)]
    pub fn part(&self, part: usize) -> (Range<usize>, SamplePairs<'a, N>) {
        let columns = self.ring.part(part);
        let mut pairs = [[[].as_slice(); 2]; N];
        for ((pair, starts), tap) in pairs.iter_mut().zip(&self.starts).zip(&self.ring.taps) {
            let lanes = |i: usize| &self.ring.data[starts[i] + tap.lanes[part][i]..][..columns.len()];
            *pair = [lanes(0), lanes(1)];
        }
        (columns, pairs)
    }
}
