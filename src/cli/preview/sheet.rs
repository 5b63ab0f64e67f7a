//! The sheet: source and result side by side, and below each its local contrast, amplified.

use super::rgb::Image;

/// How much the lower pair amplifies: one 8-bit step becomes 16.
pub const GAIN: f32 = 16.0;

/// The side of the ordered dither's tile.
const TILE: usize = 8;

/// An 8-bit R'G'B' picture, row after row.
pub struct Sheet {
    pub width: usize,
    pub height: usize,
    pub bytes: Vec<u8>,
}

/// What lies beside a picture that is smaller than the other.
const EMPTY: u8 = 64;

impl Sheet {
    /// A picture alone, dithered as both of [`compose`] are.
    pub fn of(image: &Image) -> Sheet {
        let Image { width, height, rgb, .. } = image;
        let dithered = |(at, pixel): (usize, &[f32; 3])| pixel.map(|value| dithered(value, at % width, at / width));
        Sheet { width: *width, height: *height, bytes: rgb.iter().enumerate().flat_map(dithered).collect() }
    }

    /// The same picture no wider than `most`: each pixel is the mean of those in its place.
    pub fn shrunk(&self, most: usize) -> Sheet {
        let width = self.width.min(most).max(1);
        let height = (self.height * width / self.width.max(1)).max(1);
        let span = |i: usize, of: usize, whole: usize| i * whole / of..((i + 1) * whole / of).max(i * whole / of + 1);
        let mut bytes = Vec::with_capacity(width * height * 3);
        for y in 0..height {
            for x in 0..width {
                let (rows, columns) = (span(y, height, self.height), span(x, width, self.width));
                let count = rows.len() * columns.len();
                let mut sums = [0usize; 3];
                for row in rows {
                    let (from, to) = (row * self.width + columns.start, row * self.width + columns.end);
                    for pixel in self.bytes[3 * from..3 * to].chunks(3) {
                        sums.iter_mut().zip(pixel).for_each(|(sum, value)| *sum += usize::from(*value));
                    }
                }
                bytes.extend(sums.map(|sum| ((sum + count / 2) / count) as u8));
            }
        }
        Sheet { width, height, bytes }
    }
}

/// Lays out `source` (left) and `result` (right) over their amplified luma.
///
/// The sheet has 8 bits because that is what viewers show. The upper pair is rounded with the same ordered dither on
/// both sides, so the deeper result does not get bands of its own from being shown. The lower pair is grey plus
/// [`GAIN`] times (luma − the mean round about), computed before any rounding, and by the same rule on both sides: the
/// source's steps show as edges, and what the chain put in their place shows as it is. The mean is the source's, or where
/// the pictures differ in size each one's own.
pub fn compose(source: &Image, result: &Image) -> Sheet {
    let mean_of = |image: &Image| local_mean(&image.luma, image.width, image.height);
    let mean = mean_of(source);
    let alike = (source.width, source.height) == (result.width, result.height);
    let own = if alike { None } else { Some(mean_of(result)) };
    let (width, height) = (source.width + result.width, source.height.max(result.height));
    let mut sheet = Sheet { width, height: 2 * height, bytes: vec![EMPTY; width * 2 * height * 3] };
    for (left, image, mean) in [(0, source, &mean), (source.width, result, own.as_ref().unwrap_or(&mean))] {
        for (x, y) in (0..image.height).flat_map(|y| (0..image.width).map(move |x| (x, y))) {
            let at = y * image.width + x;
            sheet.put(left + x, y, image.rgb[at].map(|value| dithered(value, x, y)));
            sheet.put(left + x, height + y, [rounded(0.5 + GAIN * (image.luma[at] - mean[at])); 3]);
        }
    }
    sheet
}

impl Sheet {
    fn put(&mut self, x: usize, y: usize, pixel: [u8; 3]) {
        self.bytes[(y * self.width + x) * 3..][..3].copy_from_slice(&pixel);
    }
}

/// `value` (0 to 1) at 8 bits.
pub fn rounded(value: f32) -> u8 {
    (value * 255.0).round() as u8
}

/// `value` at 8 bits: a fractional code becomes a pattern of the codes on its two sides.
pub fn dithered(value: f32, x: usize, y: usize) -> u8 {
    (value * 255.0 + bayer(x % TILE, y % TILE)) as u8
}

/// The threshold of an 8×8 Bayer tile, in 0..1: the bits of x ^ y and y, interleaved and in reverse.
fn bayer(x: usize, y: usize) -> f32 {
    let rank = (0..3).fold(0, |rank, bit| rank << 2 | ((x ^ y) >> bit & 1) << 1 | y >> bit & 1);
    (rank as f32 + 0.5) / (TILE * TILE) as f32
}

/// The mean of the window around each sample; the window is cut off at the borders.
fn local_mean(values: &[f32], width: usize, height: usize) -> Vec<f32> {
    // Wide enough to span several bands of a slow gradient, small enough to follow the picture.
    let radius = (width.max(height) / 32).max(4);
    let rows: Vec<f32> = values.chunks(width).flat_map(|row| window_means(row.iter().copied(), radius)).collect();
    let column = |x: usize| window_means(rows[x..].iter().step_by(width).copied(), radius);
    let columns: Vec<Vec<f32>> = (0..width).map(column).collect();
    (0..height).flat_map(|y| columns.iter().map(move |column| column[y])).collect()
}

/// The mean of each sample's window in one line.
fn window_means(line: impl Iterator<Item = f32>, radius: usize) -> Vec<f32> {
    let sum_before = |sum: &mut f64, value: f32| {
        *sum += f64::from(value);
        Some(*sum)
    };
    let sums: Vec<f64> = std::iter::once(0.0).chain(line.scan(0.0, sum_before)).collect();
    let length = sums.len() - 1;
    let mean = |i: usize| {
        let (from, to) = (i.saturating_sub(radius), (i + radius + 1).min(length));
        ((sums[to] - sums[from]) / (to - from) as f64) as f32
    };
    (0..length).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(width: usize, height: usize, value: impl Fn(usize, usize) -> f32) -> Image {
        let luma: Vec<f32> =
            (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| value(x, y)).collect();
        Image { width, height, rgb: luma.iter().map(|v| [*v; 3]).collect(), luma }
    }

    fn pixel(sheet: &Sheet, x: usize, y: usize) -> u8 {
        sheet.bytes[(y * sheet.width + x) * 3]
    }

    #[test]
    fn a_small_sheet_has_the_means_of_the_large() {
        // Five columns make two of two and three, and three rows one.
        let values = [0, 10, 90, 90, 90, 20, 30, 90, 90, 90, 40, 50, 90, 90, 90u8];
        let sheet = Sheet { width: 5, height: 3, bytes: values.iter().flat_map(|value| [*value, 7, 255]).collect() };
        let small = sheet.shrunk(2);
        assert_eq!((small.width, small.height, &*small.bytes), (2, 1, &[25, 7, 255, 90, 7, 255][..]));
        assert_eq!(sheet.shrunk(9).bytes, sheet.bytes, "it is small enough");
    }

    #[test]
    fn means_of_a_line() {
        // Radius 1, cut at the ends: (1+3)/2, (1+3+8)/3, (3+8)/2.
        assert_eq!(window_means([1.0, 3.0, 8.0].into_iter(), 1), [2.0, 4.0, 5.5]);
    }

    #[test]
    fn flat_is_grey_below_and_one_step_becomes_sixteen() {
        let flat = image(64, 16, |_, _| 0.25);
        let raised = image(64, 16, |_, _| 0.25 + 1.0 / 255.0);
        let sheet = compose(&flat, &raised);
        assert_eq!((sheet.width, sheet.height, sheet.bytes.len()), (128, 32, 128 * 32 * 3));
        assert_eq!(pixel(&sheet, 5, 20), 128);
        assert_eq!(pixel(&sheet, 64 + 5, 20), 128 + 16, "the result is held against the source's mean");
    }

    #[test]
    fn the_dither_keeps_the_mean_and_every_threshold_occurs_once() {
        let mut thresholds: Vec<_> = (0..64).map(|i| (bayer(i % 8, i / 8) * 64.0) as u32).collect();
        thresholds.sort_unstable();
        assert!(thresholds.iter().copied().eq(0..64));
        let sum: u32 = (0..64).map(|i| u32::from(dithered(100.25 / 255.0, i % 8, i / 8))).sum();
        assert_eq!(sum, 100 * 64 + 16);
        assert_eq!(
            (dithered(0.0, 7, 7), dithered(1.0, 7, 7), dithered(1.5, 0, 0), dithered(-1.0, 0, 0)),
            (0, 255, 255, 0)
        );
    }

    #[test]
    fn pictures_of_two_sizes_lie_side_by_side() {
        let sheet = compose(&image(3, 2, |_, _| 0.25), &image(2, 4, |_, _| 0.75));
        assert_eq!((sheet.width, sheet.height), (5, 8));
        assert_eq!([(0, 0), (4, 3), (0, 4), (4, 7)].map(|(x, y)| pixel(&sheet, x, y)), [63, 191, 128, 128]);
        assert_eq!([(0, 2), (2, 3), (0, 6)].map(|(x, y)| pixel(&sheet, x, y)), [EMPTY; 3], "nothing is there");
    }

    #[test]
    fn equal_pictures_give_equal_halves_of_any_size() {
        for (width, height) in [(1, 1), (2, 1), (5, 3)] {
            let picture = image(width, height, |x, y| (x + y) as f32 / 10.0);
            let sheet = compose(&picture, &picture);
            for (x, y) in (0..2 * height).flat_map(|y| (0..width).map(move |x| (x, y))) {
                assert_eq!(pixel(&sheet, x, y), pixel(&sheet, width + x, y));
            }
        }
    }
}
