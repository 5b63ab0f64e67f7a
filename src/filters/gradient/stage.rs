//! Rows of a stage: of the source, or of what a pass made, and what continues them beyond borders.

use super::plan::border;
use super::ring::Ring;
use super::rows::{Beyond, extend_row};

/// Rows of a plane in the order in which they are taken.
#[derive(Clone, Copy)]
pub(super) struct RowOrder {
    pub first: isize,
    pub step: isize,
    pub count: usize,
}

impl RowOrder {
    /// Where row `y` lies.
    pub fn at(&self, y: isize) -> usize {
        (self.first + self.step * y) as usize
    }

    /// The same rows, the last one first.
    pub fn reversed(&self) -> RowOrder {
        let RowOrder { first, step, count } = *self;
        RowOrder { first: first + step * (count as isize - 1), step: -step, count }
    }
}

/// Rows of a stage.
#[derive(Default)]
pub(super) struct StageRows {
    pub ring: Ring,
    /// The pass that reads them.
    pass: usize,
    /// How far rows are continued.
    reach: usize,
    /// How many rows it is ahead of the result.
    pub ahead: isize,
    /// The first row that is needed.
    pub start: isize,
    /// Sums of the columns of the rows next to the border, and of those before.
    near: Vec<i32>,
    far: Vec<i32>,
}

impl StageRows {
    /// Fits them to rows of `width` samples that pass `pass` reads, continued by `reach`; `count` of them are kept, from
    /// `above` rows before the picture on.
    pub fn fit(&mut self, pass: usize, width: usize, reach: usize, count: usize, above: usize) {
        (self.pass, self.reach) = (pass, reach);
        self.ring.fit(width, reach, count, above);
        for sums in [&mut self.near, &mut self.far] {
            sums.clear();
            sums.resize(width, 0);
        }
    }

    /// Continues row `y` to its sides, and keeps in mind what continues the picture below it.
    #[inline(always)]
    pub fn finish(&mut self, y: isize, height: isize, width: usize) {
        extend_row(&mut self.ring, y, width, self.reach, self.pass);
        let l = border(height as usize, self.pass) as isize;
        if y < height - 2 * l {
            return;
        }
        let sums = if y < height - l { &mut self.far } else { &mut self.near };
        add(sums, &self.ring.row(y, 0)[..width]);
    }

    /// Makes row `y` below the picture.
    #[inline(always)]
    pub fn continue_below(&mut self, height: isize, y: isize, width: usize) {
        self.continue_beyond(height, (height - 1, y), (y - height + 1) as usize, width);
    }

    /// Makes all rows above the picture, whose rows are all there.
    #[inline(always)]
    pub fn continue_above(&mut self, height: isize, width: usize) {
        let l = border(height as usize, self.pass) as isize;
        self.near.fill(0);
        self.far.fill(0);
        for y in 0..l {
            add(&mut self.near, &self.ring.row(y, 0)[..width]);
            add(&mut self.far, &self.ring.row(y + l, 0)[..width]);
        }
        for k in 1..=self.reach {
            self.continue_beyond(height, (0, -(k as isize)), k, width);
        }
    }

    /// Makes row `to`, which is the `k`th beyond row `from` at the border.
    #[inline(always)]
    fn continue_beyond(&mut self, height: isize, (from, to): (isize, isize), k: usize, width: usize) {
        if height == 1 {
            self.ring.copy_row(from, to);
        } else {
            let row = &mut self.ring.row_mut(to)[..width];
            let beyond = Beyond::new(border(height as usize, self.pass));
            let sums = self.near.iter().zip(&self.far);
            row.iter_mut().zip(sums).for_each(|(out, (near, far))| *out = beyond.at(*near, *far, k as i32));
        }
        self.ring.copy_sides(from, to, width, self.reach);
    }
}

/// Adds a row to sums of columns.
#[inline(always)]
fn add(sums: &mut [i32], row: &[i16]) {
    sums.iter_mut().zip(row).for_each(|(sum, sample)| *sum += i32::from(*sample));
}
