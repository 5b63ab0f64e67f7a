//! What is drawn over a frame: premultiplied colour in 16 bits, over nothing.

use std::ops::Range;

/// Full coverage, and full colour.
pub(super) const ONE: u16 = u16::MAX;

/// Red, green and blue times coverage, and coverage.
pub(super) type Pixel = [u16; 4];

/// `color` at `coverage`.
pub(super) fn premultiply(color: [u16; 3], coverage: u16) -> Pixel {
    let [r, g, b] = color.map(|value| times(value, coverage));
    [r, g, b, coverage]
}

/// The product of two numbers that count from 0 to [`ONE`], rounded half up.
fn times(a: u16, b: u16) -> u16 {
    ((u32::from(a) * u32::from(b) + u32::from(ONE) / 2) / u32::from(ONE)) as u16
}

/// A picture of the output's size, mostly nothing: each row knows which columns are drawn.
pub(super) struct Canvas {
    width: usize,
    pixels: Vec<Pixel>,
    drawn: Vec<Range<usize>>,
}

impl Canvas {
    /// Nothing, everywhere.
    pub(super) fn new(width: usize, height: usize) -> Canvas {
        Canvas { width, pixels: vec![[0; 4]; width * height], drawn: vec![0..0; height] }
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn height(&self) -> usize {
        self.drawn.len()
    }

    /// Makes it nothing again.
    pub(super) fn clear(&mut self) {
        for (y, drawn) in self.drawn.iter_mut().enumerate() {
            self.pixels[y * self.width..][drawn.clone()].fill([0; 4]);
            *drawn = 0..0;
        }
    }

    /// Lays `pixel` over what is at `(x, y)`, which may lie outside.
    pub(super) fn over(&mut self, x: i64, y: i64, pixel: Pixel) {
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { return };
        if x >= self.width || y >= self.height() || pixel[3] == 0 {
            return;
        }
        let below = &mut self.pixels[y * self.width + x];
        let through = ONE - pixel[3];
        for (below, above) in below.iter_mut().zip(pixel) {
            *below = above + times(*below, through);
        }
        let drawn = &mut self.drawn[y];
        *drawn = match drawn.start == drawn.end {
            true => x..x + 1,
            false => drawn.start.min(x)..drawn.end.max(x + 1),
        };
    }

    /// The columns of row `y` in which something may be drawn.
    pub(super) fn drawn(&self, y: usize) -> Range<usize> {
        self.drawn[y].clone()
    }

    pub(super) fn row(&self, y: usize) -> &[Pixel] {
        &self.pixels[y * self.width..][..self.width]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_covers_all_hides_what_is_below() {
        let mut canvas = Canvas::new(4, 2);
        canvas.over(1, 1, premultiply([ONE, 0, 0], ONE));
        canvas.over(1, 1, premultiply([0, 0, 257], ONE));
        canvas.over(2, 1, premultiply([ONE; 3], 0x8000));
        assert_eq!(canvas.row(1)[1..3], [[0, 0, 257, ONE], [0x8000; 4]]);
        assert_eq!((canvas.drawn(0), canvas.drawn(1)), (0..0, 1..3));
        for (x, y) in [(-1, 0), (0, -1), (4, 0), (0, 2), (i64::MAX, 0)] {
            canvas.over(x, y, [ONE; 4]);
        }
        assert_eq!(canvas.drawn(0), 0..0);
        canvas.clear();
        assert!(canvas.row(1).iter().all(|pixel| *pixel == [0; 4]) && canvas.drawn(1).is_empty());
    }

    #[test]
    fn colour_is_never_more_than_coverage() {
        let mut canvas = Canvas::new(1, 1);
        for coverage in (0..=ONE).step_by(771) {
            canvas.over(0, 0, premultiply([ONE, ONE / 3, 1], coverage));
            let [r, g, b, a] = canvas.row(0)[0];
            assert!(r <= a && g <= a && b <= a);
        }
    }
}
