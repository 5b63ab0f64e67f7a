//! Bitmaps in another size: in integers, with weights that are exact fractions.

use super::canvas::Pixel;

/// A picture of premultiplied colour.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bitmap {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) pixels: Vec<Pixel>,
}

impl Bitmap {
    /// The same in `width`×`height`, its edges in the same places. Between samples it is interpolated linearly; where it
    /// shrinks, the triangle is as wide as a new sample is, so that nothing is lost.
    pub(super) fn scaled(self, width: usize, height: usize) -> Bitmap {
        if (self.width, self.height) == (width, height) || self.pixels.is_empty() {
            return Bitmap { width, height, ..self };
        }
        let columns: Vec<Taps> = (0..width).map(|x| Taps::new(x, self.width, width)).collect();
        let wide: Vec<Pixel> = self
            .pixels
            .chunks_exact(self.width)
            .flat_map(|row| columns.iter().map(|taps| taps.mean(|x| row[x])))
            .collect();
        let rows = (0..height).map(|y| Taps::new(y, self.height, height));
        let pixels = rows.flat_map(|taps| {
            let wide = &wide;
            (0..width).map(move |x| taps.mean(|y| wide[y * width + x]))
        });
        Bitmap { width, height, pixels: pixels.collect() }
    }
}

/// The samples that a new one is the weighted mean of.
struct Taps {
    first: usize,
    weights: Vec<u64>,
}

impl Taps {
    /// Of the `new`th of `to` samples, made of `from`. Positions are in units of half a sample of the finer grid that
    /// both share: whole numbers.
    fn new(new: usize, from: usize, to: usize) -> Taps {
        let reach = 2 * from.max(to);
        let weight = |old: usize| reach.saturating_sub(((2 * new + 1) * from).abs_diff((2 * old + 1) * to)) as u64;
        // Always within reach.
        let nearest = new * from / to;
        let first = (0..=nearest).rev().take_while(|old| weight(*old) > 0).last().unwrap_or(nearest);
        Taps { first, weights: (first..from).map(weight).take_while(|weight| *weight > 0).collect() }
    }

    /// Rounded half up.
    fn mean(&self, sample: impl Fn(usize) -> Pixel) -> Pixel {
        let total: u64 = self.weights.iter().sum();
        let mut sums = [total / 2; 4];
        for (place, weight) in self.weights.iter().enumerate() {
            for (sum, value) in sums.iter_mut().zip(sample(self.first + place)) {
                *sum += weight * u64::from(value);
            }
        }
        sums.map(|sum| (sum / total) as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: &[u16]) -> Bitmap {
        Bitmap { width: values.len(), height: 1, pixels: values.iter().map(|value| [*value; 4]).collect() }
    }

    fn values(bitmap: &Bitmap) -> Vec<u16> {
        bitmap.pixels.iter().map(|pixel| pixel[0]).collect()
    }

    #[test]
    fn twice_and_half_the_size() {
        // Centres lie at a quarter and three quarters between the old ones; beyond the edges the nearest stays.
        assert_eq!(values(&row(&[0, 400]).scaled(4, 1)), [0, 100, 300, 400]);
        // Triangles of a radius of two old samples about the middle of each pair: 1 3 3 1, at an edge without what lies outside.
        assert_eq!(values(&row(&[700, 700, 0, 0]).scaled(2, 1)), [600, 100]);
        assert_eq!(values(&row(&[8; 7]).scaled(3, 5)), [8; 15]);
        assert_eq!(row(&[1, 2, 3]).scaled(3, 1), row(&[1, 2, 3]));
    }
}
