//! Which rows a band needs of a stage that its result is made from, and when they are made: one a step, all stages as far ahead
//! of the result as it looks into them, so that what they exchange stays in the cache.

use std::ops::Range;

/// Rows of a stage.
pub(super) struct StageRows {
    rows: Range<usize>,
    /// How many rows it is behind the steps.
    behind: usize,
}

/// The steps in which all stages of `band` are made, of which the result looks into the first by `most` rows up and down.
pub(super) fn steps(band: &Range<usize>, most: usize) -> Range<usize> {
    band.start.saturating_sub(most)..band.end + most
}

impl StageRows {
    /// Those of a stage that the result looks into by `reach` rows, `most` at most, in planes of `height` rows.
    pub fn new(band: &Range<usize>, reach: usize, most: usize, height: usize) -> StageRows {
        StageRows { rows: band.start.saturating_sub(reach)..height.min(band.end + reach), behind: most - reach }
    }

    /// The row made in a step, if there is one.
    #[inline(always)]
    pub fn at(&self, step: usize) -> Option<usize> {
        step.checked_sub(self.behind).filter(|y| self.rows.contains(y))
    }
}
