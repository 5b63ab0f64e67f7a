//! Cuts between shots: where both the brightness of a frame and its picture, much reduced, are others than before.

use super::localtone::LightScale;
use crate::simd::rows::widen;
use crate::video::{Planes, StreamInfo};

/// Values that the histogram distinguishes.
const BINS: usize = 64;

/// Rows of the reduced picture, as far as there are so many.
const ROWS: usize = 16;

/// From so many thousandths of other samples, and so many steps of 8 bits in the mean of the reduced picture, on it is a cut.
const HISTOGRAM_PERMILLE: u64 = 160;
const PICTURE_STEPS: u64 = 22;

/// White of the working scale, and what lies between black and white in steps of 8 bits.
const WHITE: u64 = 16_383;
const STEPS: u64 = 219;

/// What is kept of a frame, to find the cut before the next one.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    samples: u64,
    histogram: [u64; BINS],
    /// Mean light of each cell.
    cells: Vec<u64>,
}

impl Look {
    /// Of a picture of `info`.
    pub fn of(info: &StreamInfo, picture: &Planes<'_>) -> Look {
        let scale = LightScale::new(info);
        let (width, height) = (info.width, info.height);
        let rows = ROWS.min(height);
        let columns = ((width * rows + height / 2) / height).clamp(1, width);
        let mut look = Look { samples: (width * height) as u64, histogram: [0; BINS], cells: vec![0; rows * columns] };
        let mut counts = vec![0u64; rows * columns];
        let cell_of: Vec<usize> = (0..width).map(|x| x * columns / width).collect();
        let mut components: Vec<Vec<u16>> = picture.iter().map(|plane| vec![0; plane.width()]).collect();
        for y in 0..height {
            for (lanes, plane) in components.iter_mut().zip(picture.iter()).take(scale.components()) {
                widen(plane, 0, y, lanes);
            }
            let first = y * rows / height * columns;
            for (x, column) in cell_of.iter().enumerate() {
                let light = scale.light_at(&components, x);
                look.histogram[light as usize >> 8] += 1;
                look.cells[first + column] += light as u64;
                counts[first + column] += 1;
            }
        }
        look.cells.iter_mut().zip(counts).for_each(|(sum, count)| *sum = (*sum + count / 2) / count);
        look
    }

    /// True when a new shot begins with the frame that looks like `next`. Both are of one stream.
    pub fn cuts_to(&self, next: &Look) -> bool {
        let apart = |a: &[u64], b: &[u64]| a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).sum::<u64>();
        let histogram = apart(&self.histogram, &next.histogram) * 1000 >= HISTOGRAM_PERMILLE * 2 * self.samples;
        let picture = apart(&self.cells, &next.cells) * STEPS >= PICTURE_STEPS * WHITE * self.cells.len() as u64;
        histogram && picture
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::testing::picture;
    use crate::video::Format;

    fn look(format: &str, value: impl Fn(usize, usize, usize) -> i32) -> Look {
        let format: Format = format.parse().unwrap();
        Look::of(&StreamInfo::bare(format, 64, 36), &picture(format, 64, 36, value).planes())
    }

    #[test]
    fn a_cut_is_another_brightness_and_another_picture() {
        let ramp = |_: usize, x: usize, _: usize| 16 + 2 * x as i32;
        let before = look("yuv420p", ramp);
        assert!(!before.cuts_to(&before));
        // The same samples elsewhere: another picture of the same brightness.
        assert!(!before.cuts_to(&look("yuv420p", |_, x, _| 16 + 2 * (63 - x as i32))));
        // 20 steps brighter all over: another histogram, a picture less than 22 steps apart.
        assert!(!before.cuts_to(&look("yuv420p", |c, x, y| ramp(c, x, y) + 20)));
        assert!(before.cuts_to(&look("yuv420p", |c, x, y| ramp(c, x, y) + 24)));
        assert!(before.cuts_to(&look("yuv420p", |_, _, y| 235 - 4 * y as i32)));
    }

    #[test]
    fn depth_does_not_matter_and_rgb_has_cuts() {
        let of = |format: &str, scale: i32| look(format, move |_, x, y| (x + y) as i32 * scale);
        assert_eq!(of("yuv420p", 2), of("yuv444p10", 8));
        let (dark, bright) = (look("gbrp10", |_, x, _| x as i32), look("gbrp10", |_, x, _| 900 + x as i32));
        assert!(dark.cuts_to(&bright) && !dark.cuts_to(&dark));
    }
}
