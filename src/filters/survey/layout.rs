//! Where the numbers of a survey lie: words of 32 bits, each as two samples of a picture of one row, the low half first.

use crate::video::{Format, PlaneMut, PlaneRef, StreamInfo};

/// Parts of the scale of light that the histogram distinguishes.
pub const BINS: usize = 64;

/// Rows of the reduced picture, as far as the picture has so many, and columns at most.
const ROWS: usize = 16;
const MOST_COLUMNS: usize = 64;

/// The words: a level, with the mean of levels in the upper half; the histogram; and the mean light of each cell of the reduced
/// picture.
pub const LEVEL: usize = 0;
pub const HISTOGRAM: usize = 1;
pub const CELLS: usize = HISTOGRAM + BINS;

/// The surveys of frames of one size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurveyLayout {
    /// Of the frames.
    pub width: usize,
    pub height: usize,
    /// Of their reduced pictures.
    pub columns: usize,
    pub rows: usize,
}

impl SurveyLayout {
    /// Of frames of `info`.
    pub fn of(info: &StreamInfo) -> SurveyLayout {
        let (width, height) = (info.width, info.height);
        let rows = ROWS.min(height);
        let columns = ((width * rows + height / 2) / height).clamp(1, MOST_COLUMNS.min(width));
        SurveyLayout { width, height, columns, rows }
    }

    /// Samples of luma.
    pub fn samples(&self) -> u64 {
        self.width as u64 * self.height as u64
    }

    pub fn cells(&self) -> usize {
        self.columns * self.rows
    }

    pub fn words(&self) -> usize {
        CELLS + self.cells()
    }

    /// The first sample of each cell of a row, and the end of the last.
    pub fn lefts(&self) -> impl Iterator<Item = usize> {
        let SurveyLayout { width, columns, .. } = *self;
        (0..=columns).map(move |column| (column * width).div_ceil(columns))
    }

    /// The row of cells that row `y` is in.
    pub fn row_of(&self, y: usize) -> usize {
        y * self.rows / self.height
    }

    /// Samples in each row of a cell of row `row`, and rows of it.
    pub fn rows_of(&self, row: usize) -> usize {
        ((row + 1) * self.height).div_ceil(self.rows) - (row * self.height).div_ceil(self.rows)
    }

    /// The stream of surveys of `info`.
    ///
    /// # Errors
    /// None: there are such pictures.
    pub fn stream(&self, info: &StreamInfo) -> crate::error::Result<StreamInfo> {
        let bare = StreamInfo::bare(Format::gray(16)?, 2 * self.words(), 1);
        Ok(StreamInfo {
            timebase: info.timebase,
            frame_rate: info.frame_rate,
            frame_count: info.frame_count,
            field_order: info.field_order,
            ..bare
        })
    }
}

/// Reads the words of a survey.
pub fn read(plane: &PlaneRef<'_>, words: &mut Vec<u32>) {
    words.clear();
    let half = |x: usize| u32::from(plane.v16(x, 0));
    words.extend((0..plane.width() / 2).map(|word| half(2 * word) | half(2 * word + 1) << 16));
}

/// Writes `words`.
pub fn write(words: &[u32], plane: &mut PlaneMut<'_>) {
    for (i, word) in words.iter().enumerate() {
        plane.set_v16(2 * i, 0, *word as u16);
        plane.set_v16(2 * i + 1, 0, (word >> 16) as u16);
    }
}
